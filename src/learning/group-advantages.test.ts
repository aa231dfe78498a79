import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupAdvantages, spread } from "./group-advantages.ts";
import { selectTopVariance } from "./select-groups.ts";

const reward = fc.double({ min: -1, max: 1, noNaN: true });

describe("groupAdvantages", () => {
  it("uses the unbiased deviation: rewards 1, 0, 0, 1 give ±0.8660", () => {
    const group = groupAdvantages([1, 0, 0, 1]);
    expect(group.kind).toBe("learn");
    const expected = 0.5 / (Math.sqrt(1 / 3) + 1e-6);
    expect(group.kind === "learn" && group.advantages).toEqual([expected, -expected, -expected, expected]);
  });
  it("gives ATGen's check vector: the deviation of n − 1, and 1e-6 added to it", () => {
    const rewards = [1, 0.5, 0, -0.5, 1, 0.5];
    const expected = [0.998, 0.1426, -0.7128, -1.5682, 0.998, 0.1426];
    const group = groupAdvantages(rewards);
    const advantages = group.kind === "learn" ? group.advantages : [];
    expect(advantages.map((advantage) => Number(advantage!.toFixed(4)))).toEqual(expected);
    const [mean, deviation] = [2.5 / 6, Math.sqrt(41 / 120)];
    expect(mean).toBeCloseTo(0.416667, 6);
    expect(deviation).toBeCloseTo(0.584523, 6);
    for (const [index, advantage] of advantages.entries()) {
      expect(advantage).toBeCloseTo((rewards[index]! - mean) / (deviation + 1e-6), 12);
    }
  });
  it("leaves masked members out of everything", () => {
    const masked = groupAdvantages([1, undefined, 0]);
    const plain = groupAdvantages([1, 0]);
    expect(masked.kind === "learn" && plain.kind === "learn" && masked.advantages).toEqual([
      plain.kind === "learn" && plain.advantages[0],
      undefined,
      plain.kind === "learn" && plain.advantages[1],
    ]);
  });
  it("skips a group that says nothing", () => {
    expect(groupAdvantages([0.3, undefined])).toEqual({ kind: "too-few" });
    expect(groupAdvantages([])).toEqual({ kind: "too-few" });
  });
  it("sees agreement exactly, whatever the rounding of the mean", () => {
    fc.assert(
      fc.property(reward, fc.integer({ min: 2, max: 16 }), (value, size) => {
        expect(groupAdvantages(new Array(size).fill(value)).kind).toBe("no-variance");
      }),
    );
  });
  it("gives advantages that sum to zero and keep the order of the rewards", () => {
    fc.assert(
      fc.property(fc.array(reward, { minLength: 2, maxLength: 16 }), (rewards) => {
        const group = groupAdvantages(rewards);
        if (group.kind === "too-few") throw new Error("two or more rewards are never too few");
        const advantages = group.advantages as number[];
        expect(Math.abs(advantages.reduce((sum, value) => sum + value, 0))).toBeLessThan(1e-6);
        for (let i = 1; i < rewards.length; i += 1) {
          if (rewards[i]! > rewards[i - 1]!) expect(advantages[i]).toBeGreaterThanOrEqual(advantages[i - 1]!);
        }
      }),
    );
  });
});

describe("selectTopVariance", () => {
  it("takes the groups that differ most and breaks ties by order", () => {
    const groups = [
      [0, 0],
      [0, 1],
      [0.5, 0.4],
      [1, 0],
    ];
    expect(selectTopVariance(groups, 1)).toEqual([1]);
    expect(selectTopVariance(groups, 2)).toEqual([1, 3]);
    expect(selectTopVariance(groups, 9)).toEqual([0, 1, 2, 3]);
  });
  it("keeps 8 of 64 suites at the paper's setting, by the deviation of the whole group", () => {
    const groups = Array.from({ length: 8 }, (_, candidate) =>
      Array.from({ length: 8 }, (_, position) => (position < candidate ? 1 : 0)),
    );
    expect(selectTopVariance(groups, 1)).toEqual([4]);
    expect(groups.map(spread)[4]).toBe(0.5);
    expect(spread([1, 0, 0, 1])).toBe(0.5);
  });
  it("counts a masked group as having no spread", () => {
    expect(spread([undefined, 1])).toBe(0);
    expect(spread([0, 1])).toBe(0.5);
  });
});
