import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExaminedProblem, GoldVerdict } from "./examined-problem.ts";
import { bestOfNFigures } from "./figures.ts";
import { lostAnswer } from "./question-book.ts";

/** Candidates that differ, with one question that the right answer to is 0. */
function problem(
  gold: readonly GoldVerdict[],
  answers: readonly number[] = gold.map(() => 0),
): ExaminedProblem {
  return {
    id: "p",
    candidates: gold.map((_, index) => index),
    tests: [{ candidate: 0, question: 0, answer: 0 }],
    publicTests: [],
    answers: answers.map((answer) => [answer]),
    gold,
  };
}

describe("bestOfNFigures", () => {
  it("tells the filter from chance, from the first sample and from the ceiling", () => {
    const problems = [
      problem(["wrong", "right", "wrong", "right"], [1, 0, 2, 0]), // the test finds a right one
      problem(["right", "wrong", "wrong", "wrong"], [3, 0, 1, 2]), // the test misleads
      problem(["wrong", "wrong", "wrong", "wrong"], [1, 1, 1, 0]),
    ];
    const { rows, ...counts } = bestOfNFigures(problems, { n: [1, 2, 4], k: [1] });
    expect(counts).toEqual({ problems: 3, maskedProblems: 0, faultyProblems: 0, lostPairs: 0, pairs: 12 });
    const rates = rows.map((row) => [row.random!.rate, row.first!.rate, row.pooled!.rate, row.oracle!.rate]);
    expect(rates).toEqual([
      [1 / 3, 1 / 3, 1 / 3, 1 / 3],
      [1 / 3, 1 / 3, 1 / 3, 2 / 3],
      [(0.5 + 0.25) / 3, 1 / 3, 1 / 3, 2 / 3],
    ]);
    expect(rows[2]!.pooledAgainstFirst).toEqual({ better: 1, worse: 1, p: 1 });
    expect(rows[1]!.passAtN!.rate).toBeCloseTo((1 - (2 * 1) / (4 * 3) + (1 - (3 * 2) / (4 * 3))) / 3, 12);
    expect(rows[2]).toMatchObject({ public: undefined, own: { of: 3 } });
  });

  it("puts a problem with a lost verdict into no figure, and counts lost pairs", () => {
    const lost = problem(["right", "lost"]);
    const partly = problem(["wrong", "right"], [lostAnswer, 0]);
    const { rows, ...counts } = bestOfNFigures([lost, partly], { n: [2], k: [1] });
    expect(counts).toEqual({ problems: 1, maskedProblems: 1, faultyProblems: 0, lostPairs: 1, pairs: 2 });
    expect(rows[0]!.pooled).toMatchObject({ count: 1, of: 1 });
  });

  it("shows public tests over the problems that have them", () => {
    const shown = { ...problem(["wrong", "right"], [1, 0]), publicTests: [{ question: 0, answer: 0 }] };
    const { rows } = bestOfNFigures([shown, problem(["wrong", "right"])], { n: [2], k: [1] });
    expect(rows[0]!.public).toMatchObject({ count: 1, of: 1 });
  });

  it("shows own tests over the problems whose first candidates have some", () => {
    const owning = (candidate: number | null) => ({
      ...problem(["wrong", "right"], [1, 0]),
      tests: [{ candidate, question: 0, answer: 0 }],
    });
    const { rows } = bestOfNFigures([owning(null), owning(1)], { n: [1, 2], k: [1] });
    expect(rows.map(({ own }) => own)).toMatchObject([undefined, { count: 1, of: 1 }]);
    expect(rows[1]!.pooled).toMatchObject({ count: 2, of: 2 });
  });

  it("puts a problem whose reference fails into no figure", () => {
    const faulty = { ...problem(["wrong", "wrong"]), answers: [], gold: [], referenceFault: "goldTests[0]" };
    const { rows, ...counts } = bestOfNFigures([faulty, problem(["right"])], { n: [1], k: [1] });
    expect(counts).toEqual({ problems: 1, maskedProblems: 0, faultyProblems: 1, lostPairs: 0, pairs: 1 });
    expect(rows[0]!.first).toMatchObject({ count: 1, of: 1 });
  });

  it("has no figures of nothing", () => {
    const { rows } = bestOfNFigures([], { n: [1], k: [1] });
    expect(rows[0]).toMatchObject({ random: undefined, pooled: undefined, passAtN: undefined });
  });

  const anyProblem = fc
    .array(fc.tuple(fc.constantFrom<GoldVerdict>("right", "wrong"), fc.integer({ min: -1, max: 2 })), {
      minLength: 1,
      maxLength: 6,
    })
    .map((programs) =>
      problem(
        programs.map(([gold]) => gold),
        programs.map(([, answer]) => answer),
      ),
    );

  it("is never above its ceiling, and one candidate leaves no choice", () => {
    fc.assert(
      fc.property(fc.array(anyProblem, { minLength: 1, maxLength: 8 }), (problems) => {
        const { rows } = bestOfNFigures(problems, { n: [1, 2, 6], k: [1, 2] });
        for (const row of rows) {
          for (const choice of [row.random, row.first, row.own, row.pooled, row.agreement]) {
            expect(choice!.rate).toBeLessThanOrEqual(row.oracle!.rate + 1e-12);
            expect(choice!.low).toBeLessThanOrEqual(choice!.rate + 1e-12);
            expect(choice!.high).toBeGreaterThanOrEqual(choice!.rate - 1e-12);
          }
          if (row.n === 1) expect(row.pooled!.rate).toBe(row.oracle!.rate);
          // With all candidates drawn there is nothing left to expect.
          if (row.n === 6) expect(row.passAtN!.rate).toBeCloseTo(row.oracle!.rate, 12);
        }
      }),
    );
  });

  it("expects of pass@1 what random picking gives when all candidates are in", () => {
    fc.assert(
      fc.property(fc.array(anyProblem, { minLength: 1, maxLength: 8 }), (problems) => {
        const { rows } = bestOfNFigures(problems, { n: [1, 6], k: [1] });
        expect(rows[0]!.passAtN!.rate).toBeCloseTo(rows[1]!.random!.rate, 12);
      }),
    );
  });
});
