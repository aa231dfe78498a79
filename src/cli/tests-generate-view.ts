/** What `spar tests generate` tells people. */
import pc from "picocolors";
import type { SuiteCheck } from "../evaluation/check-suite.ts";
import { counted } from "./counted.ts";
import type { RefusedProblem } from "./refused-problems.ts";

export interface SuiteCounts {
  readonly problems: number;
  readonly refused: readonly RefusedProblem[];
  readonly withoutTests: number;
  readonly tests: number;
  readonly replies: number;
  readonly unreadable: number;
}

export function suitesText(counts: SuiteCounts, checked: SuiteCheck | undefined): string {
  const { problems, refused, withoutTests, tests, replies, unreadable } = counts;
  const lines = [
    `${counted(tests, "test")} for ${counted(problems, "problem")} (${withoutTests} without any), ` +
      `from ${repliesText(replies)}, ${unreadable} of them without a test`,
  ];
  if (refused.length > 0) {
    lines.push(`${counted(refused.length, "problem")} not in the file: a model refuses the prompt`);
  }
  if (checked) {
    const { right, wrong, unanswered, lost } = checked;
    const judged = right + wrong + unanswered;
    const share = judged === 0 ? "" : ` (${((100 * right) / judged).toFixed(1)} %)`;
    lines.push(
      `the references answer ${right} of ${judged} the same${share}, ${wrong} otherwise, ${unanswered} not at all` +
        (lost > 0 ? `; ${lost} lost to the sandbox` : ""),
    );
  }
  return lines.join("\n");
}

/** A file of empty suites would be taken for a result. */
export function noTestText({ problems, replies }: SuiteCounts): string {
  const which = problems === 1 ? "the problem" : `any of ${problems} problems`;
  return `${pc.red("error:")} no test was written for ${which}, in ${repliesText(replies)}; nothing is written`;
}

function repliesText(count: number): string {
  return counted(count, "reply", "replies");
}
