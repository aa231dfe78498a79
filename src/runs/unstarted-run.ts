/**
 * A run folder without a checkpoint: nothing has been learnt in it, so its name and settings are free again. What it
 * cost to look through the data is kept, for it is filed by its content and holds under any settings.
 */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { Checkpoints } from "./checkpoints.ts";

/** Findings of the checks before the first step, and answers of references. */
export const keptFiles = { checks: "checks.jsonl", answers: "answers" } as const;

export function isUnstarted(folder: string): boolean {
  return !existsSync(folder) || new Checkpoints(folder).steps().length === 0;
}

/** Whoever calls this holds the lock and goes on holding it. */
export function clearUnstarted(folder: string): void {
  const kept: readonly string[] = [...Object.values(keptFiles), "lock.json"];
  for (const name of readdirSync(folder)) {
    if (!kept.includes(name)) rmSync(path.join(folder, name), { recursive: true });
  }
}

/** After a failure; the folder goes too if there is nothing to keep in it. */
export function leaveUnstarted(folder: string): void {
  const { size } = statSync(path.join(folder, keptFiles.checks), { throwIfNoEntry: false }) ?? { size: 0 };
  if (size > 0) clearUnstarted(folder);
  else rmSync(folder, { recursive: true });
}
