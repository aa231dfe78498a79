/** How `spar eval attack` tells what its figures are not about, under a table of figures and under a comparison. */
import type { UncheckedReason } from "../evaluation/attack/record-format.ts";
import type { RecordGaps } from "../evaluation/attack/record-gaps.ts";
import { counted } from "./counted.ts";
import { visible } from "./shown-text.ts";

const shownRows = 5;

const uncheckedWords: Readonly<Record<UncheckedReason, string>> = {
  "no-gold-tests": "without gold tests",
  lost: "lost to the sandbox",
  "not-asked": "by --no-check-pairs",
};

export interface GapLine {
  readonly name: string;
  readonly text: string;
  /** More of it, a line each. */
  readonly details?: readonly string[];
}

/** What makes every figure one of a part only; to be told first. */
export function partLines({ unfinished, torn }: RecordGaps): string[] {
  return [
    ...(unfinished ? [`unfinished: ${unfinishedText(unfinished)}`] : []),
    ...(torn ? ["torn: the last line of the record was cut off and counts nowhere"] : []),
  ];
}

export function gapLines({ refused, unchecked }: RecordGaps): GapLine[] {
  const uncheckedCounts = Object.entries(unchecked) as [UncheckedReason, number][];
  const uncheckedPairs = uncheckedCounts.reduce((sum, [, count]) => sum + count, 0);
  return [
    ...(refused.length > 0
      ? [
          {
            name: "unreadable",
            text: `${counted(refused.length, "row")} that cannot be read as pairs and count nowhere`,
            details: [
              ...refused.slice(0, shownRows).map(({ reason }) => visible(reason)),
              ...(refused.length > shownRows ? ["… (--json lists all)"] : []),
            ],
          },
        ]
      : []),
    ...(uncheckedPairs > 0
      ? [
          {
            name: "unchecked",
            text: `${counted(uncheckedPairs, "pair")} used without a check: ${uncheckedCounts
              .map(([reason, count]) => `${count} ${uncheckedWords[reason]}`)
              .join(", ")}`,
          },
        ]
      : []),
  ];
}

function unfinishedText({ pairs, correctPrograms }: NonNullable<RecordGaps["unfinished"]>): string {
  const programs = correctPrograms
    ? `, ${correctPrograms.done} of ${counted(correctPrograms.asked, "correct program")}`
    : "";
  return `${pairs.done} of ${counted(pairs.asked, "pair")}${programs}`;
}
