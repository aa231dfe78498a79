/**
 * One program on the gold tests and on all questions of the generated ones, in one sandbox job: the gold tests first,
 * so that nothing a program does with generated tests can be held against it where it counts.
 *
 * A program first gets little more time for all cases together than for one. If it hung on a case within that time,
 * and does so with the machine to itself, it goes on with the cases behind it if it is quick, as tests often ask for far
 * too much; after the fourth such case it is not asked any further, and what it was not asked counts as timed out. If
 * it merely needs longer, it is run again with its whole budget.
 */
import { isUnrun } from "../../judge/cases-together.ts";
import { judgeCheck } from "../../judge/check-program.ts";
import type { Outcome } from "../../judge/outcome.ts";
import { runConfirmed } from "../../judge/run-confirmed.ts";
import type { Problem, TestCase } from "../../problems/problem.ts";
import type { Observation, ProgramJob, Sandbox } from "../../sandbox/sandbox.ts";
import type { GoldVerdict } from "./examined-problem.ts";
import { isRight } from "./is-right.ts";
import { workOf } from "./work-of.ts";
import type { Allowance, Budget } from "./yardstick.ts";

export interface RunRequest {
  readonly sandbox: Sandbox;
  readonly problem: Problem;
  readonly source: string;
  readonly allowance: Allowance;
  readonly signal?: AbortSignal;
}

export interface ProgramRun {
  readonly gold: GoldVerdict;
  /** What the program did with each case, in order. */
  readonly observations: readonly Observation[];
}

export async function runProgram(request: RunRequest, cases: readonly TestCase[]): Promise<ProgramRun> {
  const { goldTests } = request.problem;
  const { allowance } = request;
  const all = await observeOnce(request, [...goldTests, ...cases], { budget: allowance, believed: false });
  const golden = all.slice(0, goldTests.length);
  const [gold, observations] = await Promise.all([
    goldVerdict(request, golden),
    // Time lost on gold tests must not count against the others either.
    golden.some(hung)
      ? observeOn(request, cases, { before: cases.map(unrun), hangs: 1 })
      : observeOn(request, cases, { before: all.slice(goldTests.length), hangs: all.filter(hung).length }),
  ]);
  return { gold, observations };
}

/** Cases that a program may hang on before it is not asked any further. */
const patience = 4;

const unrun = (): Observation => ({ kind: "timed-out", limit: "program" });

/** Goes on with what a program was not asked because it hung on something else. */
async function observeOn(
  request: RunRequest,
  cases: readonly TestCase[],
  { before, hangs: hangsBefore }: { readonly before: readonly Observation[]; readonly hangs: number },
): Promise<readonly Observation[]> {
  const observations = [...before];
  for (let hangs = hangsBefore; hangs > 0 && hangs < patience; ) {
    const open = [...observations.keys()].filter((index) => isUnrun(observations[index]!));
    if (open.length === 0) break;
    const unasked = open.map((index) => cases[index]!);
    const budget = request.allowance.afterHang;
    const found = await observeOnce(request, unasked, { budget, believed: true });
    for (const [position, index] of open.entries()) observations[index] = found[position]!;
    const more = found.filter(hung).length;
    // Slow all over: it had its whole budget.
    if (more === 0) break;
    hangs += more;
  }
  return observations;
}

/** A program that is known to hang is believed when it hangs again. */
async function observeOnce(
  { sandbox, problem, source, signal }: RunRequest,
  cases: readonly TestCase[],
  { budget: { limits, firstSeconds }, believed }: { readonly budget: Budget; readonly believed: boolean },
): Promise<readonly Observation[]> {
  if (cases.length === 0) return [];
  const options = signal ? { signal } : {};
  const jobOf = (asked: readonly TestCase[], programCpuSeconds: number): ProgramJob => ({
    source,
    work: workOf(problem, asked),
    limits: { ...limits, programCpuSeconds },
  });
  const short = await sandbox.run(jobOf(cases, firstSeconds), options);
  const onlySlow =
    firstSeconds < limits.programCpuSeconds &&
    short.observations.some(isTimeOut) &&
    !short.observations.some(hung);
  const report = onlySlow ? await sandbox.run(jobOf(cases, limits.programCpuSeconds), options) : short;
  const suspect = report.observations.findIndex(hung);
  if (suspect === -1 || believed || !report.underLoad) return report.observations;
  // A busy machine must not make a verdict. Time that all cases took together needs no second look: it is many times
  // what honest programs need, and processor time.
  const again = await sandbox.run(jobOf([cases[suspect]!], limits.programCpuSeconds), {
    ...options,
    alone: true,
  });
  if (again.observations.some(isTimeOut)) return report.observations;
  return (await runConfirmed(sandbox, jobOf(cases, limits.programCpuSeconds), signal)).observations;
}

/** Whether more time would change nothing; a check that is cut short cannot be used and says so. */
function isFinal(outcome: Outcome): boolean {
  return outcome.kind !== "infrastructure" && !(outcome.kind === "timed-out" && outcome.limit === "program");
}

function isTimeOut({ kind }: Observation): boolean {
  return kind === "timed-out";
}

/** Whether this very case went on for too long, and not only the program as a whole. */
function hung(observation: Observation): boolean {
  return isTimeOut(observation) && !isUnrun(observation);
}

async function goldVerdict(
  { sandbox, problem, source, allowance, signal }: RunRequest,
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
  const { limits, firstSeconds } = allowance;
  const request = { sandbox, source, check, entryPoint, ...(signal && { signal }) };
  const short = { ...limits, programCpuSeconds: firstSeconds };
  const first = await judgeCheck({ ...request, limits: short });
  const { outcome } = isFinal(first.outcome) ? first : await judgeCheck({ ...request, limits });
  if (outcome.kind === "infrastructure") return "lost";
  return outcome.kind === "passed" ? "right" : "wrong";
}
