/** What the figures of finished runs are of: the held-out problems or pairs that were left after the checks. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { TrainingConfig } from "../training/config.ts";
import { loadProblemSet } from "../training/problem-set.ts";
import type { TrainingOutcome } from "../training/train.ts";
import { type LeftOut, problemsFile } from "../training/usable-problems.ts";
import { counted } from "./counted.ts";

export interface MeasuredRun {
  readonly config: TrainingConfig;
  readonly folder: string;
  readonly outcome: Pick<TrainingOutcome, "before">;
}

/** Methods may differ in what they can be measured on: some have no room for a long question. */
export async function measuredOn(runs: readonly MeasuredRun[]): Promise<string> {
  const [first] = runs;
  if (first?.config.method.kind === "atgen") return counted(await heldOutPairs(first), "held-out pair");
  const counts = runs.map(({ outcome }) => outcome.before.programs.length);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? counted(most, "held-out problem") : `${least} to ${most} held-out problems`;
}

/** A measurement of pairs holds rates and no list, so they are counted as the run counted them. */
async function heldOutPairs({ config, folder }: MeasuredRun): Promise<number> {
  const out = leftOutOf(folder).filter(({ from }) => from === "held-out");
  const isOut = (kind: LeftOut["kind"], id: string) =>
    out.some((entry) => entry.kind === kind && entry.id === id);
  const { pairs } = await loadProblemSet(config);
  return pairs.heldOut.filter(({ id, problem }) => !isOut("pair", id) && !isOut("problem", problem.id))
    .length;
}

/** The problems and pairs that a run has left out. */
export function leftOutOf(folder: string): readonly LeftOut[] {
  const file = path.join(folder, problemsFile);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).leftOut : [];
}
