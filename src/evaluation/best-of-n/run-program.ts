/**
 * One program on the gold tests and on all questions of the generated ones, in one sandbox job: the gold tests first,
 * so that nothing a program does with generated tests can be held against it where it counts.
 *
 * A program that loops for ever would use up its whole budget, one limit after the other, and of a thousand samples
 * a few always do. So a program first gets the time of a few cases for all of them together. If it hung on a case
 * within that time, it is not asked further: what it was not asked counts as timed out. If it merely needs longer, it
 * is run again with its whole budget.
 */
import { judgeCheck } from "../../judge/check-program.ts";
import { limitsFor } from "../../judge/judge-problem.ts";
import { runConfirmed } from "../../judge/run-confirmed.ts";
import { sameOutput } from "../../judge/same-output.ts";
import type { Problem, TestCase } from "../../problems/problem.ts";
import type { Limits } from "../../sandbox/limits.ts";
import type { Observation, ProgramJob, Sandbox } from "../../sandbox/sandbox.ts";
import { sameValue } from "../../values/compare.ts";
import type { GoldVerdict } from "./examined-problem.ts";

export interface RunRequest {
  readonly sandbox: Sandbox;
  readonly problem: Problem;
  readonly source: string;
  /** The usual ones; the problem's own go over them. */
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

export interface ProgramRun {
  readonly gold: GoldVerdict;
  /** What the program did with each case, in order. */
  readonly observations: readonly Observation[];
}

/** Hanging cases that a program may have before it is not asked further. */
const hangs = 2;

export async function runProgram(request: RunRequest, cases: readonly TestCase[]): Promise<ProgramRun> {
  const { goldTests } = request.problem;
  const all = await observe(request, [...goldTests, ...cases], runConfirmed);
  const golden = all.slice(0, goldTests.length);
  const [gold, observations] = await Promise.all([
    goldVerdict(request, golden),
    // Time lost on gold tests must not count against the others either.
    golden.some(hung) ? observe(request, cases, runOnce) : all.slice(goldTests.length),
  ]);
  return { gold, observations };
}

/** For a program that was seen to hang with the machine to itself: its other time-outs are believed. */
const runOnce: typeof runConfirmed = (sandbox, job, signal) => sandbox.run(job, signal ? { signal } : {});

async function observe(
  { sandbox, problem, source, limits: usual, signal }: RunRequest,
  cases: readonly TestCase[],
  runJob: typeof runConfirmed,
): Promise<readonly Observation[]> {
  if (cases.length === 0) return [];
  const limits = limitsFor(problem, usual);
  const work = workOf(problem, cases);
  const run = async (programCpuSeconds: number) => {
    const job = { source, work, limits: { ...limits, programCpuSeconds } };
    return (await runJob(sandbox, job, signal)).observations;
  };
  const short = Math.min(limits.programCpuSeconds, hangs * limits.caseCpuSeconds);
  const observations = await run(short);
  const onlySlow = observations.some(isTimeOut) && !observations.some(hung);
  return onlySlow && short < limits.programCpuSeconds ? run(limits.programCpuSeconds) : observations;
}

function isTimeOut({ kind }: Observation): boolean {
  return kind === "timed-out";
}

/** Whether this very case went on for too long, and not only the program as a whole. */
function hung(observation: Observation): boolean {
  return observation.kind === "timed-out" && observation.limit !== "program";
}

async function goldVerdict(
  { sandbox, problem, source, limits: usual, signal }: RunRequest,
  observations: readonly Observation[],
): Promise<GoldVerdict> {
  const known = observations.filter(({ kind }) => kind !== "infrastructure");
  const passes = (observation: Observation, index: number) =>
    observation.kind === "infrastructure" || isRight(observation, problem.goldTests[index]!, problem);
  // One wrong answer is enough, whatever else was lost.
  if (!observations.every(passes)) return "wrong";
  if (known.length < observations.length) return "lost";
  const { check, entryPoint } = problem;
  if (!check || entryPoint === undefined) return "right";
  const limits = limitsFor(problem, usual);
  const request = { sandbox, source, check, entryPoint, limits, ...(signal && { signal }) };
  const { outcome } = await judgeCheck(request);
  if (outcome.kind === "infrastructure") return "lost";
  return outcome.kind === "passed" ? "right" : "wrong";
}

function isRight(observation: Observation, test: TestCase, { comparison }: Problem): boolean {
  if (observation.kind === "returned" && test.style === "function") {
    return sameValue(test.expected, observation.value, comparison);
  }
  return (
    observation.kind === "printed" &&
    test.style === "stdio" &&
    observation.exitCode === 0 &&
    sameOutput(test.expected, observation.stdout, comparison)
  );
}

function workOf(problem: Problem, cases: readonly TestCase[]): ProgramJob["work"] {
  if (problem.style === "stdio") {
    return { style: "stdio", inputs: cases.flatMap((test) => (test.style === "stdio" ? [test.input] : [])) };
  }
  const calls = cases.flatMap((test) => (test.style === "function" ? [test.call] : []));
  return { style: "function", entryPoint: problem.entryPoint ?? "", calls };
}
