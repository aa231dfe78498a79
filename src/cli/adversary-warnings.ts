/** How a run tells of an adversary that gave no programs: without it the run is another experiment than was asked for. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Metrics } from "../training/step-metrics.ts";
import type { TrainingEvent } from "../training/training-event.ts";
import { visible } from "./shown-text.ts";

export function adversaryWarning({
  step,
  failures,
  reason,
}: Extract<TrainingEvent, { kind: "adversary-failed" }>): string {
  if (step === undefined) return `warning: the adversary does not answer yet: ${visible(reason)}`;
  const searches = failures === 1 ? "a search" : `${failures} searches`;
  return `warning: step ${step}: the adversary failed in ${searches} for a harder program: ${visible(reason)}`;
}

/** Searches of the whole run, also before it was continued. */
export interface AdversarySearches {
  readonly all: number;
  readonly failed: number;
}

export function adversarySearches(folder: string): AdversarySearches {
  const file = path.join(folder, "metrics.jsonl");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  const steps = lines.map((line) => JSON.parse(line) as Metrics);
  const sum = (name: string) => steps.reduce((total, metrics) => total + (metrics[name] ?? 0), 0);
  return { all: sum("adversary/due") - sum("adversary/resting"), failed: sum("adversary/failures") };
}

/** One line for the end of a run, or none where all went well. */
export function adversarySummary({ all, failed }: AdversarySearches): string[] {
  if (failed === 0) return [];
  return [
    `The adversary failed in ${failed} of ${all} searches for a harder program; their pairs kept the program they had.`,
  ];
}
