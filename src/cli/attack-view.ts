/** What `spar eval attack` prints: one table of figures, and two records compared. Percentages are rounded. */
import pc from "picocolors";
import { type AttackFigures, attackManners, type Share } from "../evaluation/attack/attack-figures.ts";
import type { AttackReport } from "../evaluation/attack/attack-report.ts";
import type { AttackComparison, ComparedFigure } from "../evaluation/attack/compare-attacks.ts";
import { thirds } from "../evaluation/attack/difficulty-thirds.ts";
import type { RecordHeader } from "../evaluation/attack/record-format.ts";
import type { RecordGaps } from "../evaluation/attack/record-gaps.ts";
import type { ThirdsFile } from "../evaluation/attack/thirds-file.ts";
import { gapLines, partLines } from "./attack-gaps-view.ts";
import { counted } from "./counted.ts";
import { visible } from "./shown-text.ts";

const groupWidth = 8;
const countWidth = 7;
const cellWidth = 23;
const shownReasons = 5;
const shownSkips = 5;

export function reportText(header: RecordHeader, report: AttackReport): string {
  const { overall, alarms } = report;
  const groups: [string, AttackFigures][] = [
    ["all", overall],
    ...(report.thirds
      ? thirds.map((third) => [third, report.thirds![third]] as [string, AttackFigures])
      : []),
  ];
  const titles = ["IO Accuracy", "Attack Rate", "Input Attack Rate", "attack, if IO right"];
  return [
    visible(`${header.model} on ${header.pairs}, ${samplingText(header)}`),
    ...partLines(report).map(pc.yellow),
    "",
    pc.bold(
      [
        "".padEnd(groupWidth),
        "pairs".padStart(countWidth),
        ...titles.map((title) => title.padStart(cellWidth)),
      ].join(""),
    ),
    ...groups.map(([name, figures]) =>
      [
        name.padEnd(groupWidth),
        String(figures.pairs).padStart(countWidth),
        ...[figures.ioAccuracy, figures.attackRate, figures.inputAttackRate, figures.attackGivenRight].map(
          (share) => shareText(share).padStart(cellWidth),
        ),
      ].join(""),
    ),
    "",
    line("attacks", mannersText(overall)),
    line("no test", `${shareText(overall.formatWrong)} of the replies${reasonsText(overall)}`),
    line(
      "no answer",
      `${shareText(overall.unanswered)} of the tests: the reference raises, hangs or prints nothing on their input`,
    ),
    line("false alarms", alarmsText(alarms)),
    ...gapLines(report).flatMap(({ name, text, details = [] }) => [
      line(name, text),
      ...details.map((detail) => line("", detail)),
    ]),
    ...skippedLines(report),
    ...lostLines(report),
    "",
    pc.dim("in %, rounded, with Wilson's 95 % interval; docs/evaluation.md says what each figure means"),
  ].join("\n");
}

function samplingText({ samples, sampling }: RecordHeader): string {
  if (samples === 1) return sampling.temperature === 0 ? "greedy" : `temperature ${sampling.temperature}`;
  return `${samples} replies to each pair at temperature ${sampling.temperature}`;
}

export function percent(rate: number): string {
  return (rate * 100).toFixed(2);
}

function shareText(share: Share | undefined): string {
  return share ? `${percent(share.rate)} (${percent(share.low)}–${percent(share.high)})` : "–";
}

function line(name: string, text: string): string {
  return `${name.padEnd(14)}${text}`;
}

const mannerNames: Readonly<Record<(typeof attackManners)[number], string>> = {
  "wrong-answer": "wrong answer",
  raised: "raised",
  "timed-out": "timed out",
  "memory-or-output": "memory or output",
  "did-not-load": "did not load",
};

function mannersText({ attacksBy }: AttackFigures): string {
  const known = attackManners.filter((manner) => manner !== "did-not-load" || attacksBy[manner]?.count);
  return known
    .map((manner) => {
      return `${mannerNames[manner]} ${shareText(attacksBy[manner])}`;
    })
    .join(", ");
}

function reasonsText({ formatReasons }: AttackFigures): string {
  if (formatReasons.length === 0) return "";
  const shown = formatReasons
    .slice(0, shownReasons)
    .map(({ reason, replies }) => `\n${" ".repeat(14)}${replies} × ${visible(reason)}`);
  const others = formatReasons.slice(shownReasons).reduce((sum, { replies }) => sum + replies, 0);
  return `${shown.join("")}${others > 0 ? `\n${" ".repeat(14)}${others} × something else` : ""}`;
}

function alarmsText({ falseAlarms, onReferences, onSolutions, programs }: AttackReport["alarms"]): string {
  if (programs === 0) return "not measured";
  const parts = onSolutions
    ? `; references ${shareText(onReferences)}, other solutions ${shareText(onSolutions)}`
    : "";
  return `${shareText(falseAlarms)} of the tests for ${counted(programs, "correct program")}${parts}`;
}

function skippedLines({ skipped, unranked }: AttackReport): string[] {
  return [
    ...(skipped.length > 0
      ? [
          line(
            "skipped",
            skipped.length === 1
              ? "1 pair that is not what it claims to be"
              : `${skipped.length} pairs that are not what they claim to be`,
          ),
          ...skipped
            .slice(0, shownSkips)
            .map(({ id, reason }) => visible(`${" ".repeat(14)}${id}: ${reason}`)),
          ...(skipped.length > shownSkips ? [`${" ".repeat(14)}… (--json lists all)`] : []),
        ]
      : []),
    ...(unranked > 0
      ? [line("not ranked", `${counted(unranked, "pair")} that the thirds do not know: only under all`)]
      : []),
  ];
}

function lostLines({ overall, alarms }: AttackReport): string[] {
  const replies = overall.maskedReplies + alarms.maskedReplies;
  if (replies === 0) return [];
  return [
    line(
      "lost",
      `${counted(replies, "reply", "replies")} and with them ${counted(overall.maskedPairs, "pair")}, to our own failures: they count nowhere`,
    ),
  ];
}

/** Where the cuts fall: with few samples many pairs have the same rate, and ids decide between them. */
export function rankingText(file: string, { pairs }: ThirdsFile): string {
  const ranges = thirds.map((third) => {
    const rates = pairs.filter((pair) => pair.third === third).map(({ rate }) => rate);
    const range = rates.length > 0 ? `, attacked ${percent(rates.at(-1)!)} to ${percent(rates[0]!)} %` : "";
    return `${third} ${rates.length}${range}`;
  });
  return `${counted(pairs.length, "pair")} ${pairs.length === 1 ? "is" : "are"} ranked in ${file}: ${ranges.join("; ")}`;
}

const figureNames: Readonly<Record<ComparedFigure, string>> = {
  ioAccuracy: "IO Accuracy",
  attackRate: "Attack Rate",
  inputAttackRate: "Input Attack Rate",
};

export function comparisonText(
  [first, second]: readonly [RecordHeader, RecordHeader],
  comparison: AttackComparison,
  gaps: readonly RecordGaps[] = [],
): string {
  const { pairs, onlyInFirst, onlyInSecond, figures } = comparison;
  const titles = ["A", "B", "only A", "only B", "p", "mid-p"];
  const widths = [cellWidth, cellWidth, 9, 9, 9, 9];
  const several = first.samples > 1 || second.samples > 1;
  return [
    visible(`A  ${first.model} on ${first.pairs}, ${samplingText(first)}`),
    visible(`B  ${second.model} on ${second.pairs}, ${samplingText(second)}`),
    "",
    pc.bold(`${"".padEnd(26)}${titles.map((title, index) => title.padStart(widths[index]!)).join("")}`),
    ...figures.map((entry) => {
      const group = entry.group === "overall" ? "all" : entry.group;
      const cells = [
        shareText(entry.first),
        shareText(entry.second),
        String(entry.onlyFirst),
        String(entry.onlySecond),
        probability(entry.exact),
        probability(entry.midP),
      ];
      return `${`${figureNames[entry.figure]}, ${group}`.padEnd(26)}${cells.map((cell, index) => cell.padStart(widths[index]!)).join("")}`;
    }),
    "",
    ...gaps.flatMap((record, index) =>
      [...partLines(record), ...gapLines(record).map(({ name, text }) => `${name}: ${text}`)].map(
        (text) => `${"AB"[index]}  ${text}`,
      ),
    ),
    pc.dim(
      [
        `${counted(pairs, "pair")} in both${onlyInFirst + onlyInSecond > 0 ? ` (${onlyInFirst} only in A and ${onlyInSecond} only in B are left out)` : ""};`,
        several
          ? "only A: pairs on which A has the larger share; p: exact sign test, two-sided"
          : "only A: pairs on which A succeeds and B does not; p: exact McNemar, two-sided",
      ].join(" "),
    ),
  ].join("\n");
}

function probability(value: number): string {
  return value < 0.0001 ? "< 0.0001" : value.toFixed(4);
}
