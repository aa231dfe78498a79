/**
 * Everything that a problem itself holds against a program: its gold tests, and its check program as one more case at
 * the end. Both run under the problem's own limits where it has any.
 */
import type { Problem } from "../problems/problem.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { judgeCheck } from "./check-program.ts";
import { judgeProgram, type Verdict } from "./judge.ts";

export interface ProblemRequest {
  readonly sandbox: Sandbox;
  readonly source: string;
  readonly problem: Problem;
  /** Already the problem's own: see `limitsFor`. */
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

/** The outcomes are those of the gold tests in order, then that of the check program if there is one. */
export async function judgeProblem(request: ProblemRequest): Promise<Verdict> {
  const { problem } = request;
  const gold = judgeProgram({ ...request, cases: problem.goldTests });
  if (!problem.check || problem.entryPoint === undefined) return gold;
  const [verdict, check] = await Promise.all([
    gold,
    judgeCheck({ ...request, check: problem.check, entryPoint: problem.entryPoint }),
  ]);
  return {
    ...verdict,
    loads: verdict.loads && (check.report?.loaded ?? true),
    outcomes: [...verdict.outcomes, check.outcome],
    denied: verdict.denied + (check.report?.denied ?? 0),
    cpuSeconds: verdict.cpuSeconds + (check.report?.cpuSeconds ?? 0),
  };
}

/**
 * The problem's limits over the usual ones. A problem that allows a case more CPU time means it: the wall time and the
 * budget of the whole program grow with it unless it sets them itself. A problem that sets none has the usual ones.
 */
export function limitsFor({ limits }: Pick<Problem, "limits">, usual: Limits): Limits {
  if (!limits) return usual;
  const merged = { ...usual, ...limits };
  const { caseCpuSeconds } = merged;
  return {
    ...merged,
    caseWallSeconds: limits.caseWallSeconds ?? Math.max(usual.caseWallSeconds, 4 * caseCpuSeconds),
    programCpuSeconds: limits.programCpuSeconds ?? Math.max(usual.programCpuSeconds, 4 * caseCpuSeconds),
  };
}
