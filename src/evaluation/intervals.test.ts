import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meanInterval, wilsonInterval } from "./intervals.ts";

describe("meanInterval", () => {
  it("uses Student's t: 1, 2, 3 gives 2 ± 2.484", () => {
    const { mean, margin } = meanInterval([1, 2, 3]);
    expect(mean).toBe(2);
    expect(margin).toBeCloseTo(4.303 / Math.sqrt(3), 9);
  });
  it("has no margin for a single value", () => {
    expect(meanInterval([0.5])).toEqual({ mean: 0.5, margin: undefined, count: 1 });
  });
});

describe("wilsonInterval", () => {
  it("agrees with a published example: 15 of 20 gives 0.5313 to 0.8881", () => {
    const { low, high } = wilsonInterval(15, 20);
    expect(low).toBeCloseTo(0.5313, 4);
    expect(high).toBeCloseTo(0.8881, 4);
  });
  it("stays within bounds and around the rate", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (trials, share) => {
          const successes = Math.round(trials * share);
          const { low, high } = wilsonInterval(successes, trials);
          expect(low).toBeGreaterThanOrEqual(0);
          expect(high).toBeLessThanOrEqual(1);
          expect(low).toBeLessThanOrEqual(successes / trials + 1e-12);
          expect(high).toBeGreaterThanOrEqual(successes / trials - 1e-12);
        },
      ),
    );
  });
});
