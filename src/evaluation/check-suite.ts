/**
 * How good a generated suite is: what the reference says of its answers. Only a figure for people; a suite is made and
 * used without it, because where suites must be generated there is no reference.
 */
import type { AnswerSource } from "../judge/reference-answers.ts";
import { type ValidatedTest, validateSuites } from "../judge/validate-suite.ts";
import type { Problem, TestCase } from "../problems/problem.ts";

export interface SuiteCheck {
  /** Tests whose answer is the reference's. */
  readonly right: number;
  readonly wrong: number;
  /** Tests whose question the reference cannot answer. */
  readonly unanswered: number;
  /** Tests of which nothing is known because the sandbox failed. */
  readonly lost: number;
}

export async function checkSuite(
  problem: Problem,
  cases: readonly TestCase[],
  answers: AnswerSource,
): Promise<SuiteCheck> {
  const [suite] = await validateSuites(problem, [{ cases, invalid: [] }], answers);
  if (!suite || suite.kind === "infrastructure") {
    return { right: 0, wrong: 0, unanswered: 0, lost: cases.length };
  }
  const { tests } = suite;
  const count = (holds: (test: ValidatedTest) => boolean) => tests.filter(holds).length;
  return {
    right: count((test) => test.kind === "kept" && test.answer === "right"),
    wrong: count((test) => test.kind === "kept" && test.answer === "wrong"),
    unanswered: count((test) => test.kind === "invalid"),
    lost: 0,
  };
}
