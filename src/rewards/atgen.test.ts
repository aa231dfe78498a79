import { describe, expect, it } from "vitest";
import { type AttackClass, attackClasses, attackLadder, attackReward } from "./atgen.ts";

describe("attackReward", () => {
  it("is the mean of three parts worth 1 or −0.5, each gated by the one before", () => {
    const part = (succeeded: boolean) => (succeeded ? 1 : -0.5);
    const gates: Record<AttackClass, readonly [boolean, boolean, boolean]> = {
      "format-wrong": [false, false, false],
      "answer-wrong": [true, false, false],
      harmless: [true, true, false],
      attack: [true, true, true],
    };
    for (const reached of attackClasses) {
      const mean = gates[reached].map(part).reduce((sum, value) => sum + value, 0) / 3;
      expect(attackReward(reached)).toBeCloseTo(mean, 12);
    }
  });

  it("takes another ladder, such as 0 for a part that fails after a right format", () => {
    const ladder = { ...attackLadder, "answer-wrong": 1 / 3, harmless: 2 / 3 };
    expect(attackClasses.map((reached) => attackReward(reached, ladder))).toEqual([-0.5, 1 / 3, 2 / 3, 1]);
  });
});
