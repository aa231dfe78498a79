/**
 * Whether a pair is what it claims to be: the reference passes the gold tests, and the wrong program loads and fails
 * at least one. A reference that fails makes every right test look wrong; a program that is not wrong cannot be
 * attacked; one that does not load is attacked by any test. None of the three says anything about a generator.
 */
import { inLanes } from "../../in-lanes.ts";
import { isUnrun } from "../../judge/cases-together.ts";
import { judgeProgram } from "../../judge/judge.ts";
import { limitsFor } from "../../judge/judge-problem.ts";
import type { Outcome } from "../../judge/outcome.ts";
import { validateReference } from "../../judge/validate-references.ts";
import type { AttackPair } from "../../problems/attack-pair.ts";
import type { Problem } from "../../problems/problem.ts";
import type { Limits } from "../../sandbox/limits.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { judgeGoldFully, lanesOf } from "../judge-each.ts";

export type PairFinding =
  | { readonly kind: "usable" }
  /** The problem has no tests to check it with. */
  | { readonly kind: "unchecked" }
  | { readonly kind: "refused"; readonly reason: string }
  /** Our own failure: nothing is known about this pair. */
  | { readonly kind: "infrastructure"; readonly message: string };

interface CheckOptions {
  readonly sandbox: Sandbox;
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

/** One finding for each pair, in order. Each problem's reference runs once. */
export async function checkPairs(
  options: CheckOptions & {
    readonly pairs: readonly AttackPair[];
    readonly onChecked?: (done: number) => void;
  },
): Promise<PairFinding[]> {
  const references = new Map<Problem, Promise<PairFinding>>();
  let done = 0;
  return inLanes(options.pairs, {
    atOnce: lanesOf(options.sandbox),
    run: async ({ problem, buggy }) => {
      const known = references.get(problem) ?? checkReference(problem, options);
      references.set(problem, known);
      const reference = await known;
      const finding =
        reference.kind === "usable" ? await checkWrongProgram(problem, buggy, options) : reference;
      done += 1;
      options.onChecked?.(done);
      return finding;
    },
  });
}

async function checkReference(problem: Problem, options: CheckOptions): Promise<PairFinding> {
  if (problem.goldTests.length === 0 && !problem.check) return { kind: "unchecked" };
  const finding = await validateReference({ ...options, problem });
  if (finding.kind === "infrastructure") return finding;
  return finding.kind === "passes"
    ? { kind: "usable" }
    : { kind: "refused", reason: `${finding.field}: ${finding.reason}` };
}

/**
 * For a problem whose reference is known to be right. One failure is enough, so a program that hangs shall not hang
 * through all tests: at first they get hardly more time than one of them may take. Where that decides nothing,
 * everything runs with the time it may take.
 */
export async function checkWrongProgram(
  problem: Problem,
  buggy: string,
  options: CheckOptions,
): Promise<PairFinding> {
  const limits = limitsFor(problem, options.limits);
  const programCpuSeconds = Math.min(limits.programCpuSeconds, 2 * limits.caseCpuSeconds);
  const cases = problem.goldTests;
  if (cases.length > 0) {
    const brief = { ...limits, programCpuSeconds };
    const { outcomes } = await judgeProgram({ ...options, problem, source: buggy, cases, limits: brief });
    const found = findingOf(outcomes.filter((outcome) => !isUnrun(outcome)));
    if (found) return found;
  }
  const { outcomes } = await judgeGoldFully(options, problem, buggy);
  const lost = outcomes.find((outcome) => outcome.kind === "infrastructure");
  return (
    findingOf(outcomes) ??
    lost ?? {
      kind: "refused",
      reason: `the wrong program is not known to be wrong: it passes all ${outcomes.length} gold tests`,
    }
  );
}

function findingOf(outcomes: readonly Outcome[]): PairFinding | undefined {
  const unloaded = outcomes.find((outcome) => outcome.kind === "did-not-load");
  if (unloaded) {
    const { type, message } = unloaded.error;
    return { kind: "refused", reason: `the wrong program does not load (${type}: ${message})` };
  }
  const isFailure = ({ kind }: Outcome) => kind !== "passed" && kind !== "infrastructure";
  return outcomes.some(isFailure) ? { kind: "usable" } : undefined;
}

/** Whether a program passes everything that the problem holds against it. */
export async function isCorrect(problem: Problem, source: string, options: CheckOptions): Promise<boolean> {
  const { outcomes } = await judgeGoldFully(options, problem, source);
  return outcomes.length > 0 && outcomes.every(({ kind }) => kind === "passed");
}
