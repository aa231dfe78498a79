/**
 * Runs everything that a Best-of-N choice can depend on, once: each distinct program on the gold tests and on every
 * question that any other test asks. All that follows is counting.
 */
import { createHash } from "node:crypto";
import { encodeCase } from "../../problems/case-codec.ts";
import { plainRecord } from "../../problems/plain-problem.ts";
import type { Problem, TestCase } from "../../problems/problem.ts";
import { publicTests } from "../../problems/public-tests.ts";
import type { Limits } from "../../sandbox/limits.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { ExaminedProblem } from "./examined-problem.ts";
import { QuestionBook } from "./question-book.ts";
import { runProgram } from "./run-program.ts";
import { measureReference } from "./yardstick.ts";

/** What two models wrote for a problem. */
export interface ProblemSamples {
  readonly problem: Problem;
  /** Programs in the order sampled. */
  readonly candidates: readonly string[];
  readonly tests: readonly WrittenTest[];
}

export interface WrittenTest {
  /** Which candidate it was written for; null for the problem at large. */
  readonly candidate: number | null;
  readonly testCase: TestCase;
}

export interface Examination {
  readonly sandbox: Sandbox;
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

export async function examineProblem(
  { problem, candidates, tests }: ProblemSamples,
  examination: Examination,
): Promise<ExaminedProblem> {
  const book = new QuestionBook(problem.comparison);
  // First, so that they are run first.
  const shown = publicTests(problem).map((test) => book.enter(test));
  const numbered = tests.map(({ candidate, testCase }) => ({ candidate, ...book.enter(testCase) }));
  const sources = [...new Set(candidates)];
  const numbers = new Map(sources.map((source, number) => [source, number]));
  const cases = Array.from({ length: book.size }, (_, question) => book.caseOf({ question, answer: 0 }));
  const written = {
    id: problem.id,
    candidates: candidates.map((source) => numbers.get(source)!),
    tests: numbered,
    publicTests: shown,
  };
  const yardstick = await measureReference(problem, cases, examination);
  if (!yardstick.ok) return { ...written, answers: [], gold: [], referenceFault: yardstick.reason };
  const { allowance } = yardstick;
  const programs = await Promise.all(
    sources.map(async (source) => {
      const { gold, observations } = await runProgram({ ...examination, allowance, problem, source }, cases);
      return {
        gold,
        answers: observations.map((observation, question) => book.answerOf(question, observation)),
      };
    }),
  );
  return {
    ...written,
    answers: inProgramOrder(
      programs.map(({ answers }) => answers),
      book,
    ),
    gold: programs.map(({ gold }) => gold),
  };
}

/** Programs finish in any order; the record must not show which was first. */
function inProgramOrder(answersByProgram: readonly (readonly number[])[], book: QuestionBook): number[][] {
  const renumbered = Array.from({ length: book.size }, () => new Map<number, number>());
  return answersByProgram.map((answers) =>
    answers.map((answer, question) => {
      const tested = book.answersTo(question);
      if (answer < tested) return answer;
      const numbers = renumbered[question]!;
      const number = numbers.get(answer) ?? tested + numbers.size;
      numbers.set(answer, number);
      return number;
    }),
  );
}

// Raised when the meaning of an examined problem changes.
const version = 5;

/** The same exactly when an examination would be: everything that it depends on. */
export function examinationKey(
  { problem, candidates, tests }: ProblemSamples,
  { sandbox, limits }: Examination,
): string {
  const { kind, python } = sandbox.describe();
  const written = tests.map(({ candidate, testCase }) => [candidate, encodeCase(testCase)]);
  const content = [version, kind, python, limits, plainRecord(problem), candidates, written];
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}
