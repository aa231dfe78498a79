import { describe, expect, it } from "vitest";
import { inFinishOrder } from "./finish-order.ts";

function controlled(count: number) {
  const begun: number[] = [];
  const ends: Array<() => void> = [];
  const jobs = Array.from({ length: count }, (_, index) => index);
  const run = (item: number) =>
    new Promise<number>((resolve) => {
      begun.push(item);
      ends[item] = () => resolve(item);
    });
  return { begun, ends, jobs, run };
}

describe("inFinishOrder", () => {
  it("gives results as they finish", async () => {
    const { ends, jobs, run } = controlled(3);
    const results = inFinishOrder(jobs, { atOnce: 3, run });
    const first = results.next();
    ends[2]!();
    expect(await first).toEqual({ done: false, value: 2 });
    const second = results.next();
    ends[0]!();
    expect(await second).toEqual({ done: false, value: 0 });
    const third = results.next();
    ends[1]!();
    expect(await third).toEqual({ done: false, value: 1 });
    expect((await results.next()).done).toBe(true);
  });

  it("begins the next only when a result has been taken", async () => {
    const { begun, ends, jobs, run } = controlled(4);
    const results = inFinishOrder(jobs, { atOnce: 2, run });
    const first = results.next();
    expect(begun).toEqual([0, 1]);
    ends[0]!();
    ends[1]!();
    await first;
    expect(begun).toEqual([0, 1]);
    await results.next();
    expect(begun).toEqual([0, 1, 2]);
  });

  it("gives nothing for nothing", async () => {
    const { jobs, run } = controlled(0);
    expect((await inFinishOrder(jobs, { atOnce: 1, run }).next()).done).toBe(true);
  });
});
