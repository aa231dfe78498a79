/**
 * False alarms: the generator is shown a *correct* program as if it were wrong, and asked for a test. Whatever test it
 * gives, the program must pass it; one that it fails is a false alarm, for it would send a person looking for a
 * mistake that is not there. Attack Rate cannot see this: it only ever looks at wrong programs.
 *
 *   false-alarm rate = tests that the shown program fails / well-formed tests
 *
 * A program fails a test as it was written: a wrong answer, or an input that it cannot take.
 */
import type { Outcome } from "../../judge/outcome.ts";
import type { AttackPair } from "../../problems/attack-pair.ts";
import { otherReferences } from "../../problems/other-references.ts";
import type { Problem, TestCase } from "../../problems/problem.ts";
import type { ReadTest } from "../../prompts/dialect.ts";
import type { Court } from "../judge-candidate.ts";
import { judgeEach } from "../judge-each.ts";
import { type Share, shareOf, sumOfShares } from "./attack-figures.ts";

export interface CorrectProgram {
  readonly problem: Problem;
  readonly source: string;
  readonly origin: "reference" | "solution";
}

export const alarmClasses = ["format-wrong", "false-alarm", "passed"] as const;

export type JudgedAlarm =
  | {
      readonly kind: "judged";
      readonly reached: (typeof alarmClasses)[number];
      /** As the generator wrote it. */
      readonly testCase?: TestCase;
      readonly outcome?: Outcome;
      readonly reason?: string;
    }
  | { readonly kind: "masked"; readonly message: string };

export interface AlarmFigures {
  /** Undefined where no test was well-formed. */
  readonly falseAlarms: Share | undefined;
  /** The same for the references, and for other solutions, alone. */
  readonly onReferences: Share | undefined;
  readonly onSolutions: Share | undefined;
  readonly programs: number;
  readonly maskedReplies: number;
}

/** The reference of each problem once, in the order of the pairs. */
export function referencesOf(pairs: readonly AttackPair[]): CorrectProgram[] {
  const byProblem = new Map(pairs.map(({ problem }) => [problem.id, problem]));
  return [...byProblem.values()].map((problem) => ({
    problem,
    source: problem.reference,
    origin: "reference",
  }));
}

/** More than these add cost, not knowledge. */
const solutionsPerProblem = 2;

/** Further programs that the problem's data set calls correct. */
export function otherSolutions(problem: Problem): CorrectProgram[] {
  return [...new Set(otherReferences(problem))]
    .filter((source) => source.trim() !== problem.reference.trim())
    .slice(0, solutionsPerProblem)
    .map((source) => ({ problem, source, origin: "solution" }));
}

export async function judgeAlarms(
  court: Court,
  { problem, source }: CorrectProgram,
  tests: readonly ReadTest[],
): Promise<JudgedAlarm[]> {
  const cases = tests.flatMap((test) => (test.ok ? [test.case] : []));
  const outcomes = await judgeEach(court, { problem, source, cases });
  let next = 0;
  return tests.map((test): JudgedAlarm => {
    if (!test.ok) return { kind: "judged", reached: "format-wrong", reason: test.reason };
    const outcome = outcomes[next]!;
    next += 1;
    if (outcome.kind === "infrastructure") return { kind: "masked", message: outcome.message };
    const reached = outcome.kind === "passed" ? "passed" : "false-alarm";
    return { kind: "judged", reached, testCase: test.case, outcome };
  });
}

export interface AlarmedProgram {
  readonly origin: CorrectProgram["origin"];
  readonly replies: readonly { readonly judged: JudgedAlarm }[];
}

export function alarmFigures(programs: readonly AlarmedProgram[]): AlarmFigures {
  return {
    falseAlarms: alarmShare(programs),
    onReferences: alarmShare(programs.filter(({ origin }) => origin === "reference")),
    onSolutions: alarmShare(programs.filter(({ origin }) => origin === "solution")),
    programs: programs.length,
    maskedReplies: programs.flatMap(({ replies }) => replies).filter(({ judged }) => judged.kind === "masked")
      .length,
  };
}

function alarmShare(programs: readonly AlarmedProgram[]): Share | undefined {
  const known = programs
    .map(({ replies }) => replies.flatMap(({ judged }) => (judged.kind === "judged" ? [judged.reached] : [])))
    .filter((reached) => reached.length > 0);
  return shareOf(
    sumOfShares(known, (reached) => reached === "false-alarm"),
    sumOfShares(known, (reached) => reached !== "format-wrong"),
  );
}
