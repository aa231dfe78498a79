/**
 * One program on many cases of which none may cost another its time: a test generator would be paid for an attack that
 * never ran, and a right program that is slow in all would pass for a wrong one.
 */
import { casesTogether, inBatches, isUnrun } from "../judge/cases-together.ts";
import { limitsFor } from "../judge/judge-problem.ts";
import type { Outcome } from "../judge/outcome.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { type CandidateVerdict, type Courtroom, judgeGold, judgeOn } from "./judge-candidate.ts";

interface Trial {
  readonly problem: Problem;
  readonly source: string;
  readonly cases: readonly TestCase[];
}

/** One outcome for each case, in order, a few cases at a time. */
export async function judgeEach(court: Courtroom, { problem, source, cases }: Trial): Promise<Outcome[]> {
  const batches = inBatches(cases, casesTogether(limitsFor(problem, court.limits)));
  const verdicts = await Promise.all(batches.map((batch) => judgeOn(court, problem, source, batch)));
  return verdicts.flatMap(({ outcomes }) => outcomes);
}

/** The same for cases that most likely are quick: all together, and once more those that were left unrun. */
export async function judgeFully(court: Courtroom, trial: Trial): Promise<CandidateVerdict> {
  const { problem, source, cases } = trial;
  return withUnrun(court, trial, await judgeOn(court, problem, source, cases));
}

/** Everything that the problem itself brings, each gold test for itself. */
export async function judgeGoldFully(
  court: Courtroom,
  problem: Problem,
  source: string,
): Promise<CandidateVerdict> {
  const trial = { problem, source, cases: problem.goldTests };
  return withUnrun(court, trial, await judgeGold(court, problem, source));
}

async function withUnrun(
  court: Courtroom,
  { problem, source, cases }: Trial,
  verdict: CandidateVerdict,
): Promise<CandidateVerdict> {
  const unrun = cases.filter((_, index) => isUnrun(verdict.outcomes[index]!));
  if (unrun.length === 0) return verdict;
  const again = (await judgeEach(court, { problem, source, cases: unrun })).values();
  const outcomes = verdict.outcomes.map((outcome, index) =>
    index < cases.length && isUnrun(outcome) ? again.next().value! : outcome,
  );
  return { ...verdict, outcomes };
}

/** How many programs to have under way: one runs while another's answers are compared, and what is begun gets done. */
export function lanesOf(sandbox: Sandbox): number {
  return 2 * sandbox.describe().workers;
}
