import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { questionKey } from "../../problems/case-codec.ts";
import type { FunctionCase, StdioCase, TestCase } from "../../problems/problem.ts";
import { exactComparison, sameValue } from "../../values/compare.ts";
import type { PythonValue } from "../../values/python-value.ts";
import { poolTests } from "./pool-tests.ts";

const int = (value: number): PythonValue => ({ type: "int", value: BigInt(value) });
const asking = (question: number, answer: PythonValue): FunctionCase => ({
  style: "function",
  call: { args: [int(question)], keywords: {} },
  expected: answer,
});
const printing = (input: string, expected: string): StdioCase => ({ style: "stdio", input, expected });

const anyTests = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 3 }))
    .map(([question, answer]) => asking(question, int(answer))),
);

describe("poolTests", () => {
  it("asks every question once, in the order first asked, and counts its votes", () => {
    const tests = [asking(1, int(10)), asking(2, int(20)), asking(1, int(11)), asking(1, int(11))];
    expect(poolTests(tests, exactComparison)).toEqual([
      { testCase: tests[2], votes: 2, asked: 3 },
      { testCase: tests[1], votes: 1, asked: 1 },
    ]);
  });

  it("leaves ties with the answer seen first", () => {
    const tests = [asking(1, int(5)), asking(1, int(6)), asking(1, int(6)), asking(1, int(5))];
    expect(poolTests(tests, exactComparison)[0]).toMatchObject({ testCase: tests[0], votes: 2, asked: 4 });
  });

  it("lets answers vote together that the problem calls the same", () => {
    const yes: PythonValue = { type: "bool", value: true };
    const tests = [asking(1, int(0)), asking(1, yes), asking(1, int(1))];
    const [strict] = poolTests(tests, exactComparison);
    const [loose] = poolTests(tests, { booleans: "as-integers", floatTolerance: 0 });
    expect(strict).toMatchObject({ testCase: tests[0], votes: 1 });
    expect(loose).toMatchObject({ testCase: tests[1], votes: 2 });
  });

  it("forgives white space at the end of printed answers, and nothing in inputs", () => {
    const tests = [printing("1", "a"), printing("1", "b "), printing("1", "b\n"), printing("1\n", "c")];
    expect(poolTests(tests, exactComparison)).toEqual([
      { testCase: tests[1], votes: 2, asked: 3 },
      { testCase: tests[3], votes: 1, asked: 1 },
    ]);
  });

  it("has nothing to say about no tests", () => {
    expect(poolTests([], exactComparison)).toEqual([]);
  });

  it("keeps each question, loses no vote, and no other answer has more", () => {
    fc.assert(
      fc.property(anyTests, (tests) => {
        const pooled = poolTests(tests, exactComparison);
        expect(pooled.map(({ testCase }) => questionKey(testCase))).toEqual([
          ...new Set(tests.map(questionKey)),
        ]);
        expect(pooled.reduce((sum, { asked }) => sum + asked, 0)).toBe(tests.length);
        const agreeing = (test: TestCase) =>
          tests.filter(
            (other) =>
              questionKey(other) === questionKey(test) &&
              sameValue(other.expected, test.expected as PythonValue, exactComparison),
          ).length;
        for (const { testCase, votes } of pooled) expect(votes).toBe(agreeing(testCase));
        for (const test of tests) {
          const winner = pooled.find(({ testCase }) => questionKey(testCase) === questionKey(test))!;
          expect(agreeing(test)).toBeLessThanOrEqual(winner.votes);
        }
      }),
    );
  });

  it("gives the same suite when it is pooled again", () => {
    fc.assert(
      fc.property(anyTests, (tests) => {
        const once = poolTests(tests, exactComparison).map(({ testCase }) => testCase);
        expect(poolTests(once, exactComparison).map(({ testCase }) => testCase)).toEqual(once);
      }),
    );
  });
});
