import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { suiteReward, suiteRewards } from "./suite-reward.ts";

describe("suiteReward", () => {
  it.each([
    ["pass-rate", 3, 4, 0.75],
    ["all-pass", 3, 4, 0],
    ["all-pass", 4, 4, 1],
    ["weighted", 3, 4, 0.775],
    ["weighted", 0, 4, 0.1],
    ["weighted", 4, 4, 1],
  ] as const)("%s of %i / %i is %f", (reward, passed, total, expected) => {
    expect(suiteReward(reward, { passed, total, parses: true })).toBeCloseTo(expected, 12);
  });

  it("gives nothing for a reply that is no program, and does not judge without tests", () => {
    for (const reward of suiteRewards) {
      expect(suiteReward(reward, { passed: 0, total: 4, parses: false })).toBe(0);
      expect(suiteReward(reward, { passed: 0, total: 0, parses: true })).toBeUndefined();
    }
  });

  it("lies between 0 and 1 and never falls when one more test passes", () => {
    const scores = fc
      .integer({ min: 1, max: 50 })
      .chain((total) => fc.tuple(fc.integer({ min: 0, max: total - 1 }), fc.constant(total)));
    fc.assert(
      fc.property(fc.constantFrom(...suiteRewards), scores, (reward, [passed, total]) => {
        const less = suiteReward(reward, { passed, total, parses: true })!;
        const more = suiteReward(reward, { passed: passed + 1, total, parses: true })!;
        expect(less).toBeGreaterThanOrEqual(0);
        expect(more).toBeLessThanOrEqual(1);
        expect(more).toBeGreaterThanOrEqual(less);
      }),
    );
  });
});
