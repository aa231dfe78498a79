/** How a run tells of an adversary that is of no use: without it the run is another experiment than was asked for. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { BankCoverage } from "../training/run-adversaries.ts";
import type { Metrics } from "../training/step-metrics.ts";
import type { TrainingEvent } from "../training/training-event.ts";
import { counted } from "./counted.ts";
import { visible } from "./shown-text.ts";

/** Fewer programs that do not load may be chance. */
const fewestTries = 10;

export function adversaryWarning({
  step,
  failures,
  reason,
}: Extract<TrainingEvent, { kind: "adversary-failed" }>): string {
  if (step === undefined) return `warning: the adversary does not answer yet: ${visible(reason)}`;
  const searches = failures === 1 ? "a search" : counted(failures, "search", "searches");
  return `warning: step ${step}: the adversary failed in ${searches} for a harder program: ${visible(reason)}`;
}

export function partialBankText({ covered, problems }: BankCoverage): string {
  return `the bank has programs for ${covered} of ${counted(problems, "problem")}; the pairs of the others keep their program`;
}

/** Notices an adversary whose every program is refused unread, such as a model that writes prose. */
export class UnloadableWatch {
  #tries = 0;
  #unloadable = 0;
  #told = false;

  /** The warning, at the first step at which it is plain; undefined at all others. */
  see(metrics: Metrics): string | undefined {
    this.#tries += metrics[metricNames.tries] ?? 0;
    this.#unloadable += metrics[metricNames.unloadable] ?? 0;
    const text = unloadableText({ tries: this.#tries, unloadable: this.#unloadable });
    if (text === undefined || this.#told) return undefined;
    this.#told = true;
    return `warning: ${text}: does it write Python at all?`;
  }
}

const metricNames = { tries: "adversary/tries", unloadable: "adversary/refused/does-not-load" };

function unloadableText({
  tries,
  unloadable,
}: Pick<AdversarySearches, "tries" | "unloadable">): string | undefined {
  if (tries < fewestTries || unloadable < tries) return undefined;
  return `none of the adversary's ${tries} programs loads`;
}

/** Searches of the whole run, also before it was continued. */
export interface AdversarySearches {
  readonly all: number;
  readonly failed: number;
  /** Programs that were tried, and how many of them are no Python program that loads. */
  readonly tries: number;
  readonly unloadable: number;
}

export function adversarySearches(folder: string): AdversarySearches {
  const file = path.join(folder, "metrics.jsonl");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  const steps = lines.map((line) => JSON.parse(line) as Metrics);
  const sum = (name: string) => steps.reduce((total, metrics) => total + (metrics[name] ?? 0), 0);
  return {
    all: sum("adversary/due") - sum("adversary/resting"),
    failed: sum("adversary/failures"),
    tries: sum(metricNames.tries),
    unloadable: sum(metricNames.unloadable),
  };
}

/** What there is to say at the end of a run; nothing where all went well. */
export function adversarySummary(searches: AdversarySearches): string[] {
  const { all, failed } = searches;
  const unloadable = unloadableText(searches);
  return [
    ...(failed === 0
      ? []
      : [
          `The adversary failed in ${failed} of ${counted(all, "search", "searches")} for a harder program; their pairs kept the program they had.`,
        ]),
    ...(unloadable === undefined ? [] : [`No program was replaced: ${unloadable}.`]),
  ];
}
