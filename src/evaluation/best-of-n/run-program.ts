/**
 * One program on many cases, and on the gold tests, without paying for its hanging more often than the result needs.
 *
 * A program that loops for ever would use up its whole budget, one limit after the other, and of a thousand samples
 * a few always do. So a program first gets the time of a few cases for all of them together. If it hung on a case
 * within that time, it is not asked further: what it was not asked counts as timed out. If it merely needs longer, it
 * is run again with its whole budget.
 */
import { judgeCheck } from "../../judge/check-program.ts";
import { judgeProgram } from "../../judge/judge.ts";
import { limitsFor } from "../../judge/judge-problem.ts";
import { runConfirmed } from "../../judge/run-confirmed.ts";
import type { Problem, TestCase } from "../../problems/problem.ts";
import type { Limits } from "../../sandbox/limits.ts";
import type { Observation, ProgramJob, Sandbox } from "../../sandbox/sandbox.ts";
import type { GoldVerdict } from "./examined-problem.ts";

export interface RunRequest {
  readonly sandbox: Sandbox;
  readonly problem: Problem;
  readonly source: string;
  /** The usual ones; the problem's own go over them. */
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

/** Hanging cases that a program may have before it is not asked further. */
const hangs = 2;

/** What the program did with each case, in order. */
export async function observeProgram(
  request: RunRequest,
  cases: readonly TestCase[],
): Promise<readonly Observation[]> {
  if (cases.length === 0) return [];
  return hurried(request, hangs, async (limits) => {
    const job = { source: request.source, work: workOf(request.problem, cases), limits };
    return (await runConfirmed(request.sandbox, job, request.signal)).observations;
  });
}

/** Whether the program passes all gold tests and the check program. */
export async function judgeGold(request: RunRequest): Promise<GoldVerdict> {
  const { problem } = request;
  // The first failure decides, so that one hanging case is enough.
  const outcomes = await hurried(request, 1, async (limits) => {
    const verdict = await judgeProgram({ ...request, cases: problem.goldTests, limits });
    return verdict.outcomes;
  });
  const kinds = outcomes.map(({ kind }) => kind);
  if (kinds.some((kind) => kind !== "passed" && kind !== "infrastructure")) return "wrong";
  if (kinds.includes("infrastructure")) return "lost";
  if (!problem.check || problem.entryPoint === undefined) return "right";
  const limits = limitsFor(problem, request.limits);
  const { check, entryPoint } = problem;
  const { outcome } = await judgeCheck({ ...request, check, entryPoint, limits });
  if (outcome.kind === "infrastructure") return "lost";
  return outcome.kind === "passed" ? "right" : "wrong";
}

interface Ended {
  readonly kind: string;
  readonly limit?: string;
}

async function hurried<Result extends Ended>(
  { problem, limits: usual }: RunRequest,
  cases: number,
  run: (limits: Limits) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const limits = limitsFor(problem, usual);
  const short = Math.min(limits.programCpuSeconds, cases * limits.caseCpuSeconds);
  const results = await run({ ...limits, programCpuSeconds: short });
  const hung = results.some(({ kind, limit }) => kind === "timed-out" && limit !== "program");
  const cut = results.some(({ kind, limit }) => kind === "timed-out" && limit === "program");
  return cut && !hung && short < limits.programCpuSeconds ? run(limits) : results;
}

function workOf(problem: Problem, cases: readonly TestCase[]): ProgramJob["work"] {
  if (problem.style === "stdio") {
    return { style: "stdio", inputs: cases.flatMap((test) => (test.style === "stdio" ? [test.input] : [])) };
  }
  const calls = cases.flatMap((test) => (test.style === "function" ? [test.call] : []));
  return { style: "function", entryPoint: problem.entryPoint ?? "", calls };
}
