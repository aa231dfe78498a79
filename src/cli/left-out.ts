/** How a run tells of the problems that it looks through before it starts. */
import { type LeftOut, problemsFile } from "../training/usable-problems.ts";
import { printProgress } from "./output.ts";
import { visible } from "./shown-text.ts";

const shown = 3;
const quietMilliseconds = 2_000;

/** A line at the beginning, then one every few seconds. */
export class CheckProgress {
  #told = 0;

  show({ done, total }: { done: number; total: number }): void {
    const now = performance.now();
    if (this.#told === 0)
      printProgress(`running ${total} reference${total === 1 ? "" : "s"} on their own tests`);
    else if (now - this.#told < quietMilliseconds) return;
    else printProgress(`${done} of ${total} references run`);
    this.#told = now;
  }
}

export function leftOutText(leftOut: readonly LeftOut[]): string {
  const count = (from: LeftOut["from"]) => leftOut.filter((entry) => entry.from === from).length;
  const [training, heldOut] = [count("training"), count("held-out")];
  const counts = [
    ...(training > 0 ? [`${training} training problem${training === 1 ? "" : "s"}`] : []),
    ...(heldOut > 0 ? [`${heldOut} held-out problem${heldOut === 1 ? "" : "s"}`] : []),
  ].join(" and ");
  const more = leftOut.length - shown;
  return [
    `left out: ${counts} that cannot be used, listed in ${problemsFile} of the run`,
    ...leftOut.slice(0, shown).map(({ id, reason }) => `  ${visible(id)}: ${visible(reason)}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ].join("\n");
}
