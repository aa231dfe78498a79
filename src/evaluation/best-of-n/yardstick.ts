/**
 * How long a program may take beside the problem's reference. Of a thousand samples a few loop for ever, and waiting
 * for those would be nearly all the time a choice takes: ten thousand programs answer a million tests in minutes, and
 * a hundred that hang for the usual limit take longer. So the reference runs first and sets the time, as in contests.
 * Nobody has to be fast: the least that a program gets is far more than honest ones need.
 */
import { judgeCheck } from "../../judge/check-program.ts";
import { limitsFor } from "../../judge/judge-problem.ts";
import type { Problem, TestCase } from "../../problems/problem.ts";
import type { Limits } from "../../sandbox/limits.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { workOf } from "./work-of.ts";

/** One case may take this many times what the reference took for everything, but at least these seconds. */
const caseFactor = 10;
const leastForCase = 0.5;
/** All cases together, the same; here the reference's time is large enough to be exact. */
const programFactor = 3;
const leastForProgram = 5;
/** One case that hangs, and all others if they are quick. */
const hangs = 1.25;

export interface Allowance {
  readonly limits: Limits;
  /** For all cases together at first: enough unless the program hangs or is much slower than the reference. */
  readonly firstSeconds: number;
}

export interface ReferenceRun {
  readonly sandbox: Sandbox;
  /** The usual ones; the problem's own go over them. */
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

/** What the programs of a problem are allowed on its gold tests and on `cases`. */
export async function measureAllowance(
  problem: Problem,
  cases: readonly TestCase[],
  { sandbox, limits: usual, signal }: ReferenceRun,
): Promise<Allowance> {
  const limits = limitsFor(problem, usual);
  const { reference: source, check, entryPoint, goldTests } = problem;
  const options = signal ? { signal } : {};
  const work = workOf(problem, [...goldTests, ...cases]);
  const { observations, cpuSeconds } = await sandbox.run({ source, work, limits }, options);
  const checked =
    check && entryPoint !== undefined
      ? await judgeCheck({ sandbox, source, check, entryPoint, limits, ...options })
      : undefined;
  // Nothing is known of a reference that was lost on the way.
  const isKnown = observations.every(({ kind }) => kind !== "infrastructure");
  const seconds = cpuSeconds + (checked?.report?.cpuSeconds ?? 0);
  return allowanceBeside(isKnown ? seconds : undefined, limits);
}

/** `referenceSeconds`: processor time of the reference for everything; undefined if nobody knows. */
export function allowanceBeside(referenceSeconds: number | undefined, usual: Limits): Allowance {
  if (referenceSeconds === undefined) {
    return { limits: usual, firstSeconds: Math.min(usual.programCpuSeconds, hangs * usual.caseCpuSeconds) };
  }
  const caseCpuSeconds = Math.min(
    usual.caseCpuSeconds,
    Math.max(leastForCase, caseFactor * referenceSeconds),
  );
  const allTogether = programFactor * referenceSeconds;
  const programCpuSeconds = Math.min(usual.programCpuSeconds, Math.max(leastForProgram, allTogether));
  return {
    limits: { ...usual, caseCpuSeconds, programCpuSeconds },
    firstSeconds: Math.min(programCpuSeconds, Math.max(hangs * caseCpuSeconds, allTogether)),
  };
}
