/**
 * Whether a problem can bear pairs: its tests must decide what is right, and its reference must be right. The filters
 * are those that ATGEN's definitions rest on; each problem that fails one is named with the reason.
 *
 *   several-answers      the question lets a program choose, and the tests know one answer
 *   no-gold-tests        there is no test, or none with an input of a sensible size
 *   reference-fails      no program of the problem passes all its gold tests
 *   reference-undecided  two runs of the reference answer a gold test differently
 *   masked               lost to our own infrastructure: nothing is known about the problem
 */
import type { Court } from "../evaluation/judge-candidate.ts";
import { questionOf } from "../judge/reference-answers.ts";
import { validateReference } from "../judge/validate-references.ts";
import { otherReferences, withReference } from "../problems/other-references.ts";
import type { Problem } from "../problems/problem.ts";
import { inputBytes } from "../problems/read-pairs.ts";
import { freedomIn } from "../problems/several-answers.ts";

export const goldFaults = [
  "several-answers",
  "no-gold-tests",
  "reference-fails",
  "reference-undecided",
  "masked",
] as const;
export type GoldFault = (typeof goldFaults)[number];

export interface GoldRules {
  /** Whether questions with several right answers are left out. */
  readonly severalAnswers: "left-out" | "kept";
  /** Tests with a larger input are left out of the problem. */
  readonly maximumInputBytes: number;
}

export type UsableGold =
  | { readonly ok: true; readonly problem: Problem }
  | { readonly ok: false; readonly fault: GoldFault; readonly reason: string };

export async function usableGold(court: Court, problem: Problem, rules: GoldRules): Promise<UsableGold> {
  const freedom = rules.severalAnswers === "left-out" ? freedomIn(problem.question) : undefined;
  if (freedom !== undefined) {
    return refused("several-answers", `the question allows several answers ("${freedom}")`);
  }
  const shortened = withoutLongInputs(problem, rules.maximumInputBytes);
  if (shortened.goldTests.length === 0 && !shortened.check) {
    const what = problem.goldTests.length === 0 ? "no gold test" : "no gold test with a short enough input";
    return refused("no-gold-tests", `the problem has ${what}`);
  }
  const right = await withRightReference(court, shortened);
  if (!right.ok) return right;
  return (await undecided(court, right.problem)) ?? right;
}

/** How many tests of a problem are left out for their inputs. */
export function longTests(problem: Problem, most: number): number {
  return problem.goldTests.length - withoutLongInputs(problem, most).goldTests.length;
}

export function withoutLongInputs(problem: Problem, most: number): Problem {
  const goldTests = problem.goldTests.filter((test) => inputBytes(test) <= most);
  return goldTests.length === problem.goldTests.length ? problem : { ...problem, goldTests };
}

/** The first of the problem's programs that passes all gold tests; what is said of the others is about the first. */
async function withRightReference(court: Court, problem: Problem): Promise<UsableGold> {
  const { sandbox, limits } = court;
  let firstReason: string | undefined;
  for (const reference of [problem.reference, ...otherReferences(problem)]) {
    const tried = reference === problem.reference ? problem : withReference(problem, reference);
    const finding = await validateReference({ sandbox, limits, problem: tried });
    if (finding.kind === "passes") return { ok: true, problem: tried };
    if (finding.kind === "infrastructure") return refused("masked", finding.message);
    firstReason ??= `${finding.field}: ${finding.reason}`;
  }
  return refused("reference-fails", firstReason ?? "there is no reference");
}

/** Every question is answered by two runs, the second in reverse order (reference-answers.ts). */
async function undecided(court: Court, problem: Problem): Promise<UsableGold | undefined> {
  const answers = await court.answers.answer(problem, problem.goldTests.map(questionOf));
  for (const [index, answer] of answers.entries()) {
    if (answer.kind === "infrastructure") return refused("masked", answer.message);
    if (answer.kind === "none")
      return refused("reference-undecided", `goldTests[${index}]: ${answer.detail}`);
  }
  return undefined;
}

function refused(fault: GoldFault, reason: string): UsableGold {
  return { ok: false, fault, reason };
}
