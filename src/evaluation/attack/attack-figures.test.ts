import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../judge/outcome.ts";
import type { JudgedAttack } from "../judge-attack.ts";
import { attackFigures, attackManners, shareOf } from "./attack-figures.ts";

const testCase = { style: "stdio", input: "1\n", expected: "2\n" } as const;
const error = { type: "ValueError", message: "" };
const failures: readonly Outcome[] = [
  { kind: "wrong-answer", actual: "3" },
  { kind: "raised", error },
  { kind: "timed-out", limit: "cpu" },
  { kind: "out-of-memory" },
  { kind: "output-flood" },
  { kind: "did-not-load", error },
];
const passed: Outcome = { kind: "passed", actual: "2" };

const formatWrong = (reason: string): JudgedAttack => ({ kind: "judged", reached: "format-wrong", reason });
const unanswered: JudgedAttack = { kind: "judged", reached: "answer-wrong", reason: "it raises" };
const wrong = (outcome: Outcome): JudgedAttack => ({
  kind: "judged",
  reached: "answer-wrong",
  testCase,
  outcome,
});
const harmless: JudgedAttack = { kind: "judged", reached: "harmless", testCase, outcome: passed };
const attack = (outcome: Outcome): JudgedAttack => ({ kind: "judged", reached: "attack", testCase, outcome });
const masked: JudgedAttack = { kind: "masked", message: "lost" };
const pairOf = (...judged: JudgedAttack[]) => ({ replies: judged.map((each) => ({ judged: each })) });

const anyJudged = fc.oneof(
  fc.constantFrom("no JSON", "cut off").map(formatWrong),
  fc.constantFrom(unanswered, harmless, masked, wrong(passed)),
  fc.constantFrom(...failures).map(wrong),
  fc.constantFrom(...failures).map(attack),
);

describe("attackFigures", () => {
  it("counts what it says it counts", () => {
    const figures = attackFigures(
      [
        formatWrong("a"),
        formatWrong("b"),
        formatWrong("b"),
        unanswered,
        wrong(passed),
        wrong(failures[0]!),
        harmless,
        ...failures.map(attack),
        masked,
      ].map((judged) => pairOf(judged)),
    );
    expect(figures).toMatchObject({
      pairs: 13,
      maskedPairs: 1,
      maskedReplies: 1,
      ioAccuracy: { count: 7, of: 13 },
      attackRate: { count: 6, of: 13 },
      inputAttackRate: { count: 7, of: 13 },
      attackGivenRight: { count: 6, of: 7 },
      formatWrong: { count: 3, of: 13 },
      unanswered: { count: 1, of: 10 },
    });
    expect(figures.formatReasons).toEqual([
      { reason: "b", replies: 2 },
      { reason: "a", replies: 1 },
    ]);
    expect(attackManners.map((manner) => figures.attacksBy[manner]?.count)).toEqual([1, 1, 1, 2, 1]);
  });

  it("says nothing about nothing", () => {
    const figures = attackFigures([pairOf(masked)]);
    expect(figures).toMatchObject({ pairs: 0, maskedPairs: 1 });
    expect(figures.attackRate).toBeUndefined();
    expect(attackFigures([pairOf(formatWrong("a"))]).attackGivenRight).toBeUndefined();
  });

  it("counts a pair with the share of its replies, and leaves out those that were lost", () => {
    const { attackRate } = attackFigures([
      pairOf(attack(failures[0]!), harmless, masked),
      pairOf(harmless, harmless, harmless),
    ]);
    expect(attackRate).toMatchObject({ count: 0.5, of: 2, rate: 0.25 });
  });

  it("keeps the order that the definitions imply", () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyJudged, { minLength: 1, maxLength: 4 })), (replies) => {
        const figures = attackFigures(replies.map((judged) => pairOf(...judged)));
        expect(figures.pairs + figures.maskedPairs).toBe(replies.length);
        if (figures.pairs === 0) return;
        const rate = (share: { rate: number } | undefined) => share?.rate ?? 0;
        expect(rate(figures.attackRate)).toBeLessThanOrEqual(rate(figures.ioAccuracy) + 1e-12);
        expect(rate(figures.attackRate)).toBeLessThanOrEqual(rate(figures.inputAttackRate) + 1e-12);
        expect(rate(figures.formatWrong) + rate(figures.ioAccuracy)).toBeLessThanOrEqual(1 + 1e-12);
        const manners = attackManners.reduce((sum, manner) => sum + rate(figures.attacksBy[manner]), 0);
        expect(manners).toBeCloseTo(rate(figures.attackRate), 12);
      }),
    );
  });
});

describe("shareOf", () => {
  it("agrees with the published counts and their intervals", () => {
    expect(shareOf(337, 911)!.rate).toBeCloseTo(0.36992, 5);
    // 95 % of ATGen without and with adversary: 31.0 to 37.2, 33.9 to 40.2.
    expect(shareOf(310, 911)).toMatchObject({ low: expect.closeTo(0.31, 3), high: expect.closeTo(0.372, 3) });
    expect(shareOf(337, 911)).toMatchObject({
      low: expect.closeTo(0.339, 3),
      high: expect.closeTo(0.402, 3),
    });
    expect(shareOf(64, 304)!.rate).toBeCloseTo(0.21053, 5);
  });
});
