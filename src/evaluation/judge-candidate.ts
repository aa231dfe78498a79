/**
 * One candidate against everything that is held against it: the replayed tests of the Mistake Book, and its own
 * suites after validation. All distinct tests of its suites run in one go.
 */
import { judgeProgram } from "../judge/judge.ts";
import { judgeProblem, limitsFor } from "../judge/judge-problem.ts";
import type { Outcome } from "../judge/outcome.ts";
import type { AnswerSource } from "../judge/reference-answers.ts";
import { type ValidatedTest, validateSuites } from "../judge/validate-suite.ts";
import { questionKey } from "../problems/case-codec.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import type { ReadSuite } from "../prompts/dialect.ts";
import type { JudgedTest } from "../rewards/code-a1.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** Where programs run. */
export interface Courtroom {
  readonly sandbox: Sandbox;
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

/** What judging needs besides the candidate. */
export interface Court extends Courtroom {
  readonly answers: AnswerSource;
}

export interface CandidateVerdict {
  readonly loads: boolean;
  readonly outcomes: readonly Outcome[];
  readonly denied: number;
}

export interface SuiteVerdict {
  /** `masked`: lost to our own infrastructure; it must not become a reward. */
  readonly kind: "judged" | "masked";
  readonly tests: readonly SuiteTest[];
}

/** One test of a suite with what happened to it. */
export interface SuiteTest {
  readonly judged: JudgedTest;
  /** For kept tests. The answer is the reference's. */
  readonly testCase?: TestCase;
  readonly outcome?: Outcome;
  /** For invalid tests. */
  readonly reason?: string;
}

export async function judgeOn(
  court: Courtroom,
  problem: Problem,
  source: string,
  cases: readonly TestCase[],
): Promise<CandidateVerdict> {
  const { sandbox, signal } = court;
  const limits = limitsFor(problem, court.limits);
  return judgeProgram({ sandbox, source, problem, cases, limits, ...(signal && { signal }) });
}

/** On everything that the problem itself brings: its gold tests, and its check program where it has one. */
export async function judgeGold(
  court: Courtroom,
  problem: Problem,
  source: string,
): Promise<CandidateVerdict> {
  const { sandbox, signal } = court;
  const limits = limitsFor(problem, court.limits);
  return judgeProblem({ sandbox, source, problem, limits, ...(signal && { signal }) });
}

export async function judgeSuites(
  court: Court,
  problem: Problem,
  source: string,
  suites: readonly ReadSuite[],
): Promise<{ verdict: CandidateVerdict; suites: SuiteVerdict[] }> {
  const validated = await validateSuites(problem, suites, court.answers);
  const distinct = new Map<string, TestCase>();
  for (const suite of validated) {
    for (const test of suite.kind === "validated" ? suite.tests : []) {
      if (test.kind === "kept") distinct.set(questionKey(test.testCase), test.testCase);
    }
  }
  const verdict = await judgeOn(court, problem, source, [...distinct.values()]);
  const outcomeByKey = new Map([...distinct.keys()].map((key, index) => [key, verdict.outcomes[index]!]));
  return {
    verdict,
    suites: validated.map((suite) => {
      if (suite.kind === "infrastructure") return { kind: "masked", tests: [] };
      const tests = suite.tests.map((test) => suiteTest(test, outcomeByKey));
      const lost = tests.some(({ outcome }) => outcome?.kind === "infrastructure");
      return { kind: lost ? "masked" : "judged", tests };
    }),
  };
}

function suiteTest(test: ValidatedTest, outcomeByKey: ReadonlyMap<string, Outcome>): SuiteTest {
  if (test.kind === "invalid") return { judged: { kind: "invalid" }, reason: test.reason };
  const outcome = outcomeByKey.get(questionKey(test.testCase))!;
  const result = outcome.kind === "passed" ? "passed" : "failed";
  return { judged: { kind: "kept", answer: test.answer, result }, testCase: test.testCase, outcome };
}
