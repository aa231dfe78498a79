/**
 * One program on many cases of which none may cost another its time. A program has a budget for all its cases
 * together, and those after it are timed out unrun: right for a candidate, whose fate is one, but a test generator
 * would be paid for an attack that never ran. So no more cases run together than the budget holds at their worst.
 */
import { limitsFor } from "../judge/judge-problem.ts";
import type { Outcome } from "../judge/outcome.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { type Court, judgeOn } from "./judge-candidate.ts";

/** One outcome for each case, in order. */
export async function judgeEach(
  court: Court,
  { problem, source, cases }: { problem: Problem; source: string; cases: readonly TestCase[] },
): Promise<Outcome[]> {
  const batches = inBatches(cases, casesTogether(limitsFor(problem, court.limits)));
  const verdicts = await Promise.all(batches.map((batch) => judgeOn(court, problem, source, batch)));
  return verdicts.flatMap(({ outcomes }) => outcomes);
}

/** Loading the program may take as long as a case. */
export function casesTogether({ programCpuSeconds, caseCpuSeconds }: Limits): number {
  return Math.max(1, Math.floor(programCpuSeconds / caseCpuSeconds) - 1);
}

/** How many programs to have under way: one runs while another's answers are compared, and what is begun gets done. */
export function lanesOf(sandbox: Sandbox): number {
  return 2 * sandbox.describe().workers;
}

export function inBatches<Item>(items: readonly Item[], size: number): Item[][] {
  const batches: Item[][] = [];
  for (let start = 0; start < items.length; start += size) batches.push(items.slice(start, start + size));
  return batches;
}
