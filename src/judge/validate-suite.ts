/**
 * Which tests of a suite are tests, and what the right answers are. The reference decides: its answer replaces the
 * tester's, whose own answer only says whether the test was right. A repeated question, or one that the reference
 * cannot answer, is invalid.
 */
import { questionKey } from "../problems/case-codec.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import { sameValue } from "../values/compare.ts";
import { type AnswerSource, questionOf, type ReferenceAnswer } from "./reference-answers.ts";
import { sameOutput } from "./same-output.ts";

export type ValidatedTest =
  | { readonly kind: "invalid"; readonly reason: string }
  /** The case carries the reference's answer. */
  | { readonly kind: "kept"; readonly testCase: TestCase; readonly answer: "right" | "wrong" };

export type ValidatedSuite =
  | { readonly kind: "validated"; readonly tests: readonly ValidatedTest[] }
  /** Our own failure: nothing can be said about this suite. */
  | { readonly kind: "infrastructure"; readonly message: string };

/** What was read from a reply: cases in order, and how many statements were none. */
export interface SuiteReading {
  readonly cases: readonly TestCase[];
  readonly invalid: readonly { readonly reason: string }[];
}

/** All suites of one problem together, so that the reference is asked once. */
export async function validateSuites(
  problem: Problem,
  suites: readonly SuiteReading[],
  answers: AnswerSource,
): Promise<ValidatedSuite[]> {
  const questions = suites.flatMap(({ cases }) => cases.map(questionOf));
  const found = questions.length > 0 ? await answers.answer(problem, questions) : [];
  let next = 0;
  return suites.map((suite) => {
    const own = found.slice(next, next + suite.cases.length);
    next += suite.cases.length;
    return validateSuite(problem, suite, own);
  });
}

function validateSuite(
  problem: Problem,
  suite: SuiteReading,
  answers: readonly ReferenceAnswer[],
): ValidatedSuite {
  const tests: ValidatedTest[] = suite.invalid.map(({ reason }) => ({ kind: "invalid", reason }));
  const seen = new Set<string>();
  for (const [index, testCase] of suite.cases.entries()) {
    const answer = answers[index]!;
    if (answer.kind === "infrastructure") return answer;
    const key = questionKey(testCase);
    if (seen.has(key))
      tests.push({ kind: "invalid", reason: "asks the same as an earlier test of the suite" });
    else tests.push(validateTest(problem, testCase, answer));
    seen.add(key);
  }
  return { kind: "validated", tests };
}

function validateTest(
  problem: Problem,
  testCase: TestCase,
  answer: Exclude<ReferenceAnswer, { kind: "infrastructure" }>,
): ValidatedTest {
  if (answer.kind === "none")
    return { kind: "invalid", reason: `the reference gives no answer: ${answer.detail}` };
  if (testCase.style === "function" && answer.kind === "value") {
    const right = sameValue(testCase.expected, answer.value, problem.comparison);
    return {
      kind: "kept",
      testCase: { ...testCase, expected: answer.value },
      answer: right ? "right" : "wrong",
    };
  }
  if (testCase.style === "stdio" && answer.kind === "output") {
    const right = sameOutput(testCase.expected, answer.stdout, problem.comparison);
    return {
      kind: "kept",
      testCase: { ...testCase, expected: answer.stdout },
      answer: right ? "right" : "wrong",
    };
  }
  return { kind: "invalid", reason: "the test is not of the problem's style" };
}
