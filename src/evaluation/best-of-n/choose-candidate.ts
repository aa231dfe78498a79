/**
 * The Best-of-N choice among the first N candidates of a problem:
 *
 *   share(c) = tests passed by c / tests whose outcome for c is known
 *   choice   = largest share; among equals the larger agreement; among those the earliest candidate
 *
 * Agreement of c is the number of candidates that give the same answer as c to every question asked (a program that
 * answers none of them agrees with nobody). ATGEN's paper reports the result of such a filter and not its rules: a
 * candidate may be scored on the tests written for it (`own`) or on the tests of all (`pooled`), and ties follow
 * neither from the paper nor from its relatives, which take the earliest at once.
 *
 * A pair of program and test that our infrastructure lost is left out of the share; a candidate that lost all its
 * tests cannot be chosen. Where there is no test the share is 0: a candidate that nobody wrote a test for does not win
 * over one that passed some of its own.
 */
import type { Budget, ExaminedProblem } from "./examined-problem.ts";
import { testsWithin } from "./examined-problem.ts";
import { poolVotes } from "./pool-tests.ts";
import { lostAnswer, type NumberedTest, noAnswer } from "./question-book.ts";

/** Which tests a candidate is scored on. `agreement` scores nothing: the largest group of like candidates wins. */
export type Scoring = "own" | "pooled" | "public" | "agreement";

interface Contender {
  readonly program: number;
  /** The first candidate with this program. */
  readonly candidate: number;
  readonly passed: number;
  readonly known: number;
  readonly agreement: number;
}

/** The index of the chosen candidate; undefined where nothing can be said about any. */
export function chooseCandidate(
  examined: ExaminedProblem,
  { scoring, ...budget }: Budget & { readonly scoring: Scoring },
): number | undefined {
  const programs = examined.candidates.slice(0, budget.n);
  const { testsOf, questions } = testsFor(examined, budget, scoring);
  const agreement = agreements(programs, examined.answers, questions);
  const contenders = [...new Set(programs)].flatMap((program): Contender[] => {
    const tests = testsOf(program);
    const answers = examined.answers[program]!;
    const known = tests.filter(({ question }) => answers[question] !== lostAnswer);
    if (known.length === 0 && tests.length > 0) return [];
    const passed = known.filter(({ question, answer }) => answers[question] === answer).length;
    const candidate = programs.indexOf(program);
    return [{ program, candidate, passed, known: known.length, agreement: agreement.get(program)! }];
  });
  return contenders.sort(byMerit)[0]?.candidate;
}

function testsFor(
  examined: ExaminedProblem,
  budget: Budget,
  scoring: Scoring,
): { testsOf: (program: number) => readonly NumberedTest[]; questions: readonly number[] } {
  if (scoring === "public") {
    const questions = examined.publicTests.map(({ question }) => question);
    return { testsOf: () => examined.publicTests, questions: [...new Set(questions)] };
  }
  const tests = testsWithin(examined, budget);
  const pool = poolVotes(tests);
  const questions = pool.map(({ question }) => question);
  if (scoring === "pooled") return { testsOf: () => pool, questions };
  if (scoring === "agreement") return { testsOf: () => [], questions };
  const own = (program: number) =>
    tests.filter(({ candidate }) => candidate !== null && examined.candidates[candidate] === program);
  return { testsOf: (program) => poolVotes(own(program)), questions };
}

function agreements(
  programs: readonly number[],
  answers: ExaminedProblem["answers"],
  questions: readonly number[],
): ReadonlyMap<number, number> {
  const keyOf = new Map<number, string | undefined>();
  const sizes = new Map<string, number>();
  for (const program of programs) {
    if (!keyOf.has(program)) keyOf.set(program, answerKey(answers[program]!, questions));
    const key = keyOf.get(program);
    if (key !== undefined) sizes.set(key, (sizes.get(key) ?? 0) + 1);
  }
  return new Map(
    [...keyOf].map(([program, key]) => [program, key === undefined ? 0 : (sizes.get(key) ?? 0)]),
  );
}

function answerKey(answers: readonly number[], questions: readonly number[]): string | undefined {
  const given = questions.map((question) => answers[question]!);
  return given.some((answer) => answer !== noAnswer && answer !== lostAnswer) ? given.join(",") : undefined;
}

/** Shares are compared as fractions: two thirds are two thirds however many tests there are. */
function byMerit(left: Contender, right: Contender): number {
  return (
    right.passed * Math.max(1, left.known) - left.passed * Math.max(1, right.known) ||
    right.agreement - left.agreement ||
    left.candidate - right.candidate
  );
}
