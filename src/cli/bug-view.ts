/** The report of `spar data bugs` for people. */
import type { BugSummary } from "../adversaries/bug-summary.ts";
import type { BugFault, BugVerdict } from "../adversaries/find-bugs.ts";
import type { EndpointUsage } from "../engine/openai/openai-engine.ts";
import type { LeftOut } from "../evaluation/best-of-n/recorded-samples.ts";
import { counted } from "./counted.ts";
import { visible } from "./shown-text.ts";

/** A problem that can bear no pairs. */
export interface BugRow {
  readonly row: number;
  readonly id: string;
  readonly fault: BugFault;
  readonly reason: string;
}

export interface BugReport extends Omit<BugSummary, "problems"> {
  readonly problems: string;
  readonly source: string;
  readonly problemCounts: BugSummary["problems"];
  /** What a model behind a server has cost in this go. */
  readonly usage?: EndpointUsage;
  readonly files: readonly { readonly file: string; readonly pairs: number; readonly problems: number }[];
  /** Rows that are no problems. */
  readonly refused: readonly { readonly row: number; readonly reason: string }[];
  readonly leftOut: readonly BugRow[];
  /** Lines of a file of programs that cannot be used. */
  readonly leftOutPrograms: readonly LeftOut[];
}

const faultWords: Readonly<Record<BugFault, string>> = {
  "several-answers": "several answers",
  "no-gold-tests": "no gold tests",
  "reference-fails": "the reference fails",
  "reference-undecided": "the reference is undecided",
  masked: "lost to the sandbox",
  "prompt-refused": "refused by the model",
};

const verdictWords: Readonly<Record<BugVerdict, string>> = {
  kept: "kept",
  "does-not-load": "do not load",
  right: "right",
  duplicate: "seen before",
  "too-crude": "too crude",
  masked: "lost to the sandbox",
};

export function bugReportText(report: BugReport): string {
  const { problemCounts: problems, programs, outcomes, medianFailingShare } = report;
  const kept = programs.verdicts.kept ?? 0;
  const rate = programs.all > 0 ? ` (${((100 * kept) / programs.all).toFixed(1)} %)` : "";
  const leftOut = Object.values(problems.leftOut).reduce((sum, count) => sum + count, 0);
  return [
    ...report.refused.map(({ row, reason }) => `left out row ${row}: ${visible(reason)}`),
    ...report.leftOut.map(({ row, id, reason }) => `left out row ${row} ${visible(id)}: ${visible(reason)}`),
    `problems  ${problems.all}: ${problems.withPairs} with pairs, ${problems.withoutBugs} without, ${leftOut} left out${inBrackets(problems.leftOut, faultWords)}`,
    ...(report.longTests.tests > 0
      ? [
          `tests     ${counted(report.longTests.tests, "gold test")} of ${counted(report.longTests.problems, "problem")} left out: the input is longer than --max-input`,
        ]
      : []),
    ...(report.leftOutPrograms.length > 0
      ? [`recorded  ${counted(report.leftOutPrograms.length, "line")} of ${report.source} left out`]
      : []),
    `programs  ${programs.all} looked at: ${kept} kept${rate}${others(programs.verdicts)}`,
    ...(medianFailingShare === undefined
      ? []
      : [
          `they fail ${(100 * medianFailingShare).toFixed(0)} % of the gold tests (median), first by ${listed(outcomes)}`,
        ]),
    ...(report.usage ? [usageText(report.usage)] : []),
    ...(report.files.length === 0
      ? ["no pair was found; nothing is written"]
      : report.files.map(
          ({ file, pairs, problems: count }) =>
            `wrote ${counted(pairs, "pair")} of ${counted(count, "problem")} to ${file}`,
        )),
  ].join("\n");
}

function usageText({ calls, promptTokens, completionTokens }: EndpointUsage): string {
  return `the model was called ${counted(calls, "time")}: ${promptTokens} tokens of prompts, ${completionTokens} of replies`;
}

function inBrackets<Kind extends string>(
  counts: Readonly<Partial<Record<Kind, number>>>,
  words: Readonly<Record<Kind, string>>,
): string {
  const parts = (Object.entries(counts) as [Kind, number][]).map(
    ([kind, count]) => `${words[kind]} ${count}`,
  );
  return parts.length > 0 ? ` (${parts.join(", ")})` : "";
}

function others({ kept: _, ...verdicts }: BugReport["programs"]["verdicts"]): string {
  const parts = (Object.entries(verdicts) as [BugVerdict, number][]).map(
    ([verdict, count]) => `, ${count} ${verdictWords[verdict]}`,
  );
  return parts.join("");
}

function listed(counts: Readonly<Record<string, number | undefined>>): string {
  return Object.entries(counts)
    .sort(([, left], [, right]) => (right ?? 0) - (left ?? 0))
    .map(([kind, count]) => `${kind} ${count}`)
    .join(", ");
}
