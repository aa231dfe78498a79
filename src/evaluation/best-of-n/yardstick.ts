/**
 * How long a program may take beside the problem's reference. Of a thousand samples a few loop for ever, and waiting
 * for those would be nearly all the time a choice takes: ten thousand programs answer a million tests in minutes, and
 * a hundred that hang for the usual limit take longer. So the reference runs first and sets the time, as in contests.
 * Nobody has to be fast: the least that a program gets is far more than honest ones need.
 *
 * The same run shows whether the reference passes the gold tests at all. Where it does not, they do not tell right
 * programs from wrong ones, and nothing can be measured by them.
 */
import { type CheckVerdict, judgeCheck } from "../../judge/check-program.ts";
import { limitsFor } from "../../judge/judge-problem.ts";
import { validateReference } from "../../judge/validate-references.ts";
import { otherReferences, withReference } from "../../problems/other-references.ts";
import type { Problem, TestCase } from "../../problems/problem.ts";
import type { Limits } from "../../sandbox/limits.ts";
import type { Observation, Sandbox } from "../../sandbox/sandbox.ts";
import { isRight } from "./is-right.ts";
import { workOf } from "./work-of.ts";

/** One case may take this many times what the reference took for everything, but at least these seconds. */
const caseFactor = 10;
const leastForCase = 0.5;
/** After a first case that hung: what the reference took for everything, but at least this. */
const leastAfterHang = 0.1;
/** All cases together, the same; here the reference's time is large enough to be exact. */
const programFactor = 3;
const leastForProgram = 5;
/** One case that hangs, and all others if they are quick. */
const hangs = 1.25;

export interface Budget {
  readonly limits: Limits;
  /** For all cases together at first: enough unless the program hangs or is much slower than the reference. */
  readonly firstSeconds: number;
}

export interface Allowance extends Budget {
  /** For the other cases of a program that has hung on one: it may go on if it is quick. */
  readonly afterHang: Budget;
}

export interface ReferenceRun {
  readonly sandbox: Sandbox;
  /** The usual ones; the problem's own go over them. */
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

/** What the programs of a problem are allowed, or why nothing can be measured on it. */
export type Yardstick =
  | { readonly ok: true; readonly allowance: Allowance }
  | { readonly ok: false; readonly reason: string };

/** By the first reference that passes the gold tests; what is said of the others is about the first. */
export async function measureReference(
  problem: Problem,
  cases: readonly TestCase[],
  run: ReferenceRun,
): Promise<Yardstick> {
  // Programs can be judged without a reference; it just says nothing about their time.
  if (problem.reference.trim() === "") {
    return { ok: true, allowance: allowanceBeside(undefined, limitsFor(problem, run.limits)) };
  }
  let reason: string | undefined;
  for (const reference of [problem.reference, ...otherReferences(problem)]) {
    const tried = reference === problem.reference ? problem : withReference(problem, reference);
    const { allowance, passes } = await measureAllowance(tried, cases, run);
    if (passes) return { ok: true, allowance };
    // Looked at again, with the machine to itself where time was short, and told in words.
    const finding = await validateReference({ ...run, problem: tried });
    if (finding.kind !== "fails") return { ok: true, allowance };
    reason ??= `${finding.field}: ${finding.reason}`;
  }
  return { ok: false, reason: reason! };
}

/** What programs are allowed on the gold tests and on `cases`; `passes` unless the reference was seen to fail. */
async function measureAllowance(
  problem: Problem,
  cases: readonly TestCase[],
  { sandbox, limits: usual, signal }: ReferenceRun,
): Promise<{ allowance: Allowance; passes: boolean }> {
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
  return {
    allowance: allowanceBeside(isKnown ? seconds : undefined, limits),
    passes: passesGold(problem, observations) && (checked === undefined || passesCheck(checked)),
  };
}

/** What our own infrastructure lost is no failure. */
function passesGold(problem: Problem, observations: readonly Observation[]): boolean {
  return problem.goldTests.every((test, index) => {
    const observation = observations[index]!;
    return observation.kind === "infrastructure" || isRight(observation, test, problem);
  });
}

function passesCheck({ outcome, brokenCheck }: CheckVerdict): boolean {
  if (brokenCheck !== undefined) return false;
  return outcome.kind === "passed" || outcome.kind === "infrastructure";
}

/** `referenceSeconds`: processor time of the reference for everything; undefined if nobody knows. */
export function allowanceBeside(referenceSeconds: number | undefined, usual: Limits): Allowance {
  if (referenceSeconds === undefined) {
    const firstSeconds = Math.min(usual.programCpuSeconds, hangs * usual.caseCpuSeconds);
    const known = { limits: usual, firstSeconds };
    return { ...known, afterHang: known };
  }
  const allTogether = programFactor * referenceSeconds;
  const programCpuSeconds = Math.min(usual.programCpuSeconds, Math.max(leastForProgram, allTogether));
  const budget = (caseSeconds: number): Budget => {
    const caseCpuSeconds = Math.min(usual.caseCpuSeconds, caseSeconds);
    return {
      limits: { ...usual, caseCpuSeconds, programCpuSeconds },
      firstSeconds: Math.min(programCpuSeconds, Math.max(hangs * caseCpuSeconds, allTogether)),
    };
  };
  return {
    ...budget(Math.max(leastForCase, caseFactor * referenceSeconds)),
    afterHang: budget(Math.max(leastAfterHang, referenceSeconds)),
  };
}
