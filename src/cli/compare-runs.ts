/**
 * The runs of a comparison: which there are, in which folders, and how one of them is done. Runs that are done are not
 * done again, one that was stopped is continued, and one that failed before its first step leaves nothing in the way.
 */
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { SparringError } from "../errors.ts";
import { RunLock } from "../runs/run-lock.ts";
import { clearUnstarted, isUnstarted, leaveUnstarted } from "../runs/unstarted-run.ts";
import type { TrainingConfig } from "../training/config.ts";
import { checkKeptConfig, keepConfig } from "../training/keep-config.ts";
import { type TrainingOptions, type TrainingOutcome, train } from "../training/train.ts";
import { checkRun } from "./check-run.ts";
import type { Plan } from "./compare-plans.ts";

export interface PlannedRun {
  readonly arm: string;
  readonly seed: number;
  readonly config: TrainingConfig;
  readonly folder: string;
  /** Whether it begins with what an earlier run of the same seed has made. */
  readonly needsEarlier: boolean;
}

export function plannedRuns(
  plan: Pick<Plan, "arms">,
  { seeds, firstSeed, runs }: { seeds: number; firstSeed: number; runs: string },
): PlannedRun[] {
  return Array.from({ length: seeds }, (_, index) => firstSeed + index).flatMap((seed) => {
    const folders = new Map<string, string>();
    return plan.arms.map((arm) => {
      let needsEarlier = false;
      const wanted = arm.config(seed, (key) => {
        needsEarlier = true;
        return folders.get(key)!;
      });
      const config = quiet(wanted);
      const name = `${config.name}-${arm.key}-seed-${seed}-steps-${config.steps}`;
      const folder = path.join(runs, "compare", name);
      folders.set(arm.key, folder);
      return { arm: arm.key, seed, config: { ...config, name }, folder, needsEarlier };
    });
  });
}

/** Measured before and after only, and without rollouts: there will be many of these runs. */
function quiet(config: TrainingConfig): TrainingConfig {
  return { ...config, evaluation: { ...config.evaluation, every: 0 }, rolloutsEvery: 0 };
}

/** What would end the last run after hours is found before the first one starts. */
export async function checkRuns(planned: readonly PlannedRun[]): Promise<void> {
  const checked = new Set<string>();
  for (const { arm, config, folder, needsEarlier } of planned) {
    await forCompare(folder, async () => {
      if (!isUnstarted(folder)) checkKeptConfig(folder, config);
      // Seeds share their settings; and but for what an earlier run makes, so does another arm.
      if (checked.has(arm) || needsEarlier || finishedOutcome(folder, config)) return;
      await checkRun(config, path.join(folder, "start"));
      checked.add(arm);
    });
  }
}

export function runOne(
  { config, folder }: Pick<PlannedRun, "config" | "folder">,
  options: Pick<TrainingOptions, "onEvent" | "stop">,
): Promise<TrainingOutcome> {
  return forCompare(folder, async () => {
    const lock = lockFor(config, folder);
    try {
      // Refuses a folder whose run was made with other settings: its figures would stand in the wrong table.
      keepConfig(folder, config);
      return finishedOutcome(folder, config) ?? (await train({ config, folder, ...options }));
    } catch (error) {
      if (isUnstarted(folder)) leaveUnstarted(folder);
      throw error;
    } finally {
      lock.release();
    }
  });
}

/** A run that was killed before its first step has nothing to lose: with other settings it is begun anew. */
function lockFor(config: TrainingConfig, folder: string): RunLock {
  mkdirSync(folder, { recursive: true });
  const lock = new RunLock(folder);
  if (!isUnstarted(folder)) return lock;
  try {
    checkKeptConfig(folder, config);
  } catch {
    clearUnstarted(folder);
  }
  return lock;
}

/** Opening models and sandbox only to find that nothing is left to do would take seconds a run. */
function finishedOutcome(folder: string, { steps }: TrainingConfig): TrainingOutcome | undefined {
  const read = (step: number) =>
    JSON.parse(readFileSync(path.join(folder, "evaluations", `step-${step}.json`), "utf8"));
  try {
    readFileSync(path.join(folder, "checkpoints", `step-${steps}`, "complete.json"));
    return { before: read(0), after: read(steps), steps };
  } catch {
    return undefined;
  }
}

/** Hints of `train` name options that `compare` does not have. */
const hints: Readonly<Record<string, (folder: string) => string>> = {
  "config-changed": (folder) =>
    `Keep other settings apart with another --runs, or remove ${folder} to do this run again.`,
  "sandbox-lost": () =>
    "This is a failure of the machine or the sandbox; `spar doctor` looks into it. The same command goes on from what was found.",
  "run-in-use": (folder) =>
    `Wait for it, stop it with Ctrl-C, or use another --runs. If that process is surely gone, remove ${path.join(folder, "lock.json")}.`,
};

async function forCompare<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const hint = error instanceof SparringError ? hints[error.code]?.(folder) : undefined;
    if (!(error instanceof SparringError) || hint === undefined) throw error;
    const message = error.message.includes(folder) ? error.message : `${folder}: ${error.message}`;
    throw new SparringError({ code: error.code, message, hint, cause: error });
  }
}
