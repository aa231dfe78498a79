import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inLanes } from "./in-lanes.ts";

describe("inLanes", () => {
  it("keeps the order, runs each once, and never more at a time than it may", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5)), fc.integer({ min: 1, max: 4 }), async (turns, atOnce) => {
        let running = 0;
        let most = 0;
        const results = await inLanes(turns, {
          atOnce,
          run: async (wait, index) => {
            running += 1;
            most = Math.max(most, running);
            for (let turn = 0; turn <= wait; turn += 1) await Promise.resolve();
            running -= 1;
            return index;
          },
        });
        expect(results).toEqual(turns.map((_, index) => index));
        expect(most).toBe(Math.min(atOnce, turns.length));
      }),
    );
  });

  it("begins nothing after a failure and waits for what was begun", async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const work = inLanes([0, 1, 2, 3], {
      atOnce: 2,
      run: async (item) => {
        begun.push(item);
        if (item === 0) throw new Error("no");
        await new Promise((resolve) => setImmediate(resolve));
        ended.push(item);
      },
    });
    await expect(work).rejects.toThrow("no");
    expect([begun, ended]).toEqual([[0, 1], [1]]);
  });
});
