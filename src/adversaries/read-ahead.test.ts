import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readAhead } from "./read-ahead.ts";

/** Later ones are ready sooner. */
function slowFirst(count: number) {
  const begun: number[] = [];
  const calledOff: number[] = [];
  const draw = async (index: number, signal: AbortSignal) => {
    begun.push(index);
    signal.addEventListener("abort", () => calledOff.push(index));
    await wait(5 * (count - index), undefined, { signal });
    return index;
  };
  return { begun, calledOff, draw };
}

describe("readAhead", () => {
  it("keeps the order, and draws the first alone and then two ahead", async () => {
    const { begun, draw } = slowFirst(6);
    const seen: number[] = [];
    const begunAt: number[] = [];
    for await (const item of readAhead({ count: 6, ahead: 2, draw, signal: undefined })) {
      seen.push(item);
      begunAt.push(begun.length);
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5]);
    expect(begunAt).toEqual([3, 4, 5, 6, 6, 6]);
  });

  it("draws nothing early with 0 ahead", async () => {
    const { begun, draw } = slowFirst(3);
    for await (const item of readAhead({ count: 3, ahead: 0, draw, signal: undefined }))
      expect(begun).toHaveLength(item + 1);
  });

  it("calls off what nobody waits for any more", async () => {
    const { begun, calledOff, draw } = slowFirst(6);
    for await (const _ of readAhead({ count: 6, ahead: 2, draw, signal: undefined })) break;
    expect(begun).toEqual([0, 1, 2]);
    expect(calledOff).toEqual(expect.arrayContaining([1, 2]));
  });

  it("fails at the turn of what failed, and not before", async () => {
    const draw = async (index: number) => {
      if (index === 1) throw new Error("lost");
      return index;
    };
    const seen: number[] = [];
    const all = async () => {
      for await (const item of readAhead({ count: 3, ahead: 2, draw, signal: undefined })) {
        await wait(5);
        seen.push(item);
      }
    };
    await expect(all()).rejects.toThrow("lost");
    expect(seen).toEqual([0]);
  });

  it.each([
    ["while one is looked at", (stop: () => void) => stop(), [0]],
    ["while one is drawn", (stop: () => void) => void setImmediate(stop), [0, 1]],
  ])("ends with the reason of whoever stops it %s", async (_, when, drawn) => {
    const stop = new AbortController();
    const enough = new Error("enough");
    const { begun, draw } = slowFirst(3);
    const all = async () => {
      for await (const item of readAhead({ count: 3, ahead: 0, draw, signal: stop.signal })) {
        expect(item).toBe(0);
        when(() => stop.abort(enough));
      }
    };
    await expect(all()).rejects.toBe(enough);
    expect(begun).toEqual(drawn);
  });

  it("draws nothing for a signal that was given before", async () => {
    const { begun, draw } = slowFirst(1);
    const enough = new Error("enough");
    const items = readAhead({ count: 1, ahead: 0, draw, signal: AbortSignal.abort(enough) });
    await expect(items.next()).rejects.toBe(enough);
    expect(begun).toEqual([]);
  });
});
