import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseCandidate, type Scoring } from "./choose-candidate.ts";
import type { ExaminedProblem, OwnedTest } from "./examined-problem.ts";
import { testsWithin } from "./examined-problem.ts";
import { lostAnswer, noAnswer } from "./question-book.ts";

const test = (candidate: number | null, question: number, answer: number): OwnedTest => ({
  candidate,
  question,
  answer,
});
const examined = (parts: Partial<ExaminedProblem>): ExaminedProblem => ({
  id: "p",
  candidates: [0, 1, 2],
  tests: [],
  publicTests: [],
  answers: [[0], [0], [0]],
  gold: ["wrong", "wrong", "wrong"],
  ...parts,
});
const choose = (parts: Partial<ExaminedProblem>, scoring: Scoring, budget = { n: 9, k: 9 }) =>
  chooseCandidate(examined(parts), { ...budget, scoring });

describe("chooseCandidate", () => {
  it("takes the largest share of the pooled tests", () => {
    const tests = [test(0, 0, 0), test(1, 1, 0), test(2, 2, 0)];
    const answers = [
      [0, 1, 1],
      [0, 0, 1],
      [1, 1, 0],
    ];
    expect(choose({ tests, answers }, "pooled")).toBe(1);
  });

  it("answers each pooled question by vote, so that one wrong test does not decide", () => {
    const tests = [test(0, 0, 7), test(1, 0, 3), test(2, 0, 3)];
    expect(choose({ tests, answers: [[7], [1], [3]] }, "pooled")).toBe(2);
    expect(choose({ tests, answers: [[7], [1], [3]] }, "pooled", { n: 3, k: 0 })).toBe(0);
  });

  it("scores a candidate on its own tests alone where asked", () => {
    const tests = [test(0, 0, 5), test(0, 1, 5), test(1, 2, 5), test(2, 3, 5)];
    const answers = [
      [5, 0, 0, 0],
      [0, 0, 5, 0],
      [5, 5, 0, 0],
    ];
    // 1/2, 1/1, 0/1 of their own; 1/4, 1/4, 2/4 of all.
    expect(choose({ tests, answers }, "own")).toBe(1);
    expect(choose({ tests, answers }, "pooled")).toBe(2);
  });

  it("breaks ties by agreement, identical programs included, then by order", () => {
    const tests = [test(null, 0, 0), test(null, 1, 0)];
    const answers = [
      [0, 1],
      [1, 0],
      [1, 0],
    ];
    expect(choose({ tests, answers }, "pooled")).toBe(1);
    expect(choose({ tests, answers, candidates: [0, 1, 0, 0] }, "pooled")).toBe(0);
    expect(choose({ tests, answers: answers.slice(0, 2), candidates: [0, 1] }, "pooled")).toBe(0);
  });

  it("does not let programs that answer nothing outvote one that does", () => {
    const tests = [test(null, 0, 9)];
    expect(choose({ tests, answers: [[noAnswer], [noAnswer], [4]] }, "pooled")).toBe(2);
  });

  it("scores no lost pair, and chooses no candidate that lost them all", () => {
    const tests = [test(null, 0, 0), test(null, 1, 0)];
    const answers = [
      [0, 1],
      [0, lostAnswer],
      [lostAnswer, lostAnswer],
    ];
    expect(choose({ tests, answers }, "pooled")).toBe(1);
    const lost = [lostAnswer, lostAnswer];
    expect(choose({ tests, answers: [lost, lost, lost] }, "pooled")).toBeUndefined();
  });

  it("uses the tests that everybody is shown, or agreement alone", () => {
    const answers = [
      [0, 2],
      [1, 1],
      [1, 1],
    ];
    expect(choose({ publicTests: [{ question: 0, answer: 0 }], answers }, "public")).toBe(0);
    expect(choose({ tests: [test(0, 1, 2)], answers }, "agreement")).toBe(1);
  });

  const anyExamined = fc
    .record({ programs: fc.integer({ min: 1, max: 4 }), questions: fc.integer({ min: 1, max: 4 }) })
    .chain(({ programs, questions }) =>
      fc.record({
        id: fc.constant("p"),
        candidates: fc.array(fc.integer({ min: 0, max: programs - 1 }), { minLength: 1, maxLength: 6 }),
        tests: fc.array(
          fc.record({
            candidate: fc.option(fc.integer({ min: 0, max: 5 }), { nil: null }),
            question: fc.integer({ min: 0, max: questions - 1 }),
            answer: fc.integer({ min: 0, max: 2 }),
          }),
        ),
        publicTests: fc.array(
          fc.record({
            question: fc.integer({ min: 0, max: questions - 1 }),
            answer: fc.integer({ min: 0, max: 2 }),
          }),
        ),
        answers: fc.array(
          fc.array(fc.integer({ min: noAnswer, max: 3 }), { minLength: questions, maxLength: questions }),
          { minLength: programs, maxLength: programs },
        ),
        gold: fc.constant([]),
      }),
    );
  const anyScoring = fc.constantFrom<Scoring>("own", "pooled", "public", "agreement");
  const anyBudget = fc.record({ n: fc.integer({ min: 1, max: 8 }), k: fc.integer({ min: 0, max: 5 }) });

  it("always takes one of the first N, and the first copy of its program", () => {
    fc.assert(
      fc.property(anyExamined, anyBudget, anyScoring, (problem, budget, scoring) => {
        const chosen = chooseCandidate(problem, { ...budget, scoring })!;
        expect(chosen).toBeLessThan(Math.min(budget.n, problem.candidates.length));
        expect(problem.candidates.indexOf(problem.candidates[chosen]!)).toBe(chosen);
      }),
    );
  });

  it("takes a program that passes everything over one that does not", () => {
    fc.assert(
      fc.property(anyExamined, anyBudget, (problem, budget) => {
        const perfect = problem.answers.length;
        const pooled = testsWithin(problem, budget);
        // Whatever the votes say, this program says it too, and no other program can.
        const winner = problem.answers[0]!.map(() => 100);
        const tests = problem.tests.map((each) => ({ ...each, answer: 100 }));
        const candidates = [...problem.candidates.slice(0, budget.n - 1), perfect];
        const asked = { ...problem, candidates, tests, answers: [...problem.answers, winner] };
        if (pooled.length === 0 || testsWithin(asked, budget).length === 0) return;
        expect(chooseCandidate(asked, { ...budget, scoring: "pooled" })).toBe(candidates.length - 1);
      }),
    );
  });

  it("does not look beyond its budget", () => {
    fc.assert(
      fc.property(anyExamined, anyBudget, anyScoring, (problem, budget, scoring) => {
        const within = {
          ...problem,
          candidates: problem.candidates.slice(0, budget.n),
          tests: testsWithin(problem, budget),
        };
        expect(chooseCandidate(within, { ...budget, scoring })).toBe(
          chooseCandidate(problem, { ...budget, scoring }),
        );
      }),
    );
  });
});
