/** How a run tells of the problems that it looks through before it starts. */
import type { CheckProgress } from "../training/start-checks.ts";
import { type LeftOut, problemsFile } from "../training/usable-problems.ts";
import { visible } from "./shown-text.ts";

const shown = 3;

export function checkingText({ what, done, total }: CheckProgress): string {
  const checked = `${total} ${what}${total === 1 ? "" : "s"}`;
  return done === 0 ? `running ${checked} on the problems' own tests` : `${done} of ${checked} run`;
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
