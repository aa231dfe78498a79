/** What a person sees of the runs of a comparison: a line now and then, and what concerns all of them once. */
import type { TrainingConfig } from "../training/config.ts";
import type { TrainingEvent } from "../training/training-event.ts";
import type { LeftOut } from "../training/usable-problems.ts";
import { adversaryWarning, partialBankText, UnloadableWatch } from "./adversary-warnings.ts";
import { checkingText, leftOutText } from "./left-out.ts";
import { printProgress } from "./output.ts";

const stepsBetweenLines = 10;

export class CompareView {
  readonly #print: (text: string) => void;
  readonly #told = new Set<string>();

  constructor(print: (text: string) => void = printProgress) {
    this.#print = print;
  }

  /** What listens to one run. */
  of({ steps }: Pick<TrainingConfig, "steps">): (event: TrainingEvent) => void {
    const unloadable = new UnloadableWatch();
    return (event) => {
      switch (event.kind) {
        case "checking":
          this.#print(`  ${checkingText(event)}`);
          break;
        case "left-out":
          this.leftOut(event.leftOut);
          break;
        case "partial-bank":
          this.#once(partialBankText(event));
          break;
        case "adversary-failed":
          this.#print(`  ${adversaryWarning(event)}`);
          break;
        case "stepped": {
          const warning = unloadable.see(event.metrics);
          if (warning !== undefined) this.#print(`  ${warning}`);
          if (event.step % stepsBetweenLines === 0) this.#print(stepLine(event, steps));
        }
      }
    };
  }

  /** The arms and seeds have the same problems, and the same ones are left out. */
  leftOut(leftOut: readonly LeftOut[]): void {
    if (leftOut.length > 0) this.#once(leftOutText(leftOut), JSON.stringify(leftOut));
  }

  #once(text: string, key = text): void {
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#print(text);
  }
}

function stepLine({ step, metrics }: Extract<TrainingEvent, { kind: "stepped" }>, steps: number): string {
  const role = metrics["code/reward/mean"] === undefined ? "test" : "code";
  const reward = metrics[`${role}/reward/mean`]?.toFixed(2) ?? "–";
  return `  step ${step} of ${steps}, ${role} reward ${reward}`;
}
