/** What `spar best-of-n` tells people: the table, and how far it is. */
import pc from "picocolors";
import type { Share } from "../evaluation/attack/attack-figures.ts";
import type { FinishedProblem } from "../evaluation/best-of-n/examine-all.ts";
import type { BestOfNFigures, BestOfNRow } from "../evaluation/best-of-n/figures.ts";
import type { LeftOut } from "../evaluation/best-of-n/recorded-samples.ts";
import { counted } from "./counted.ts";
import { printProgress } from "./output.ts";
import { visible } from "./shown-text.ts";

const columns = [
  ["random", (row: BestOfNRow) => row.random],
  ["first", (row: BestOfNRow) => row.first],
  ["public", (row: BestOfNRow) => row.public],
  ["agreement", (row: BestOfNRow) => row.agreement],
  ["own", (row: BestOfNRow) => row.own],
  ["pooled", (row: BestOfNRow) => row.pooled],
  ["oracle", (row: BestOfNRow) => row.oracle],
  ["pass@N", (row: BestOfNRow) => row.passAtN],
] as const;

const width = 15;

export function figuresTable({ problems, rows }: BestOfNFigures): string {
  const shown = columns.filter(([, read]) => rows.some((row) => read(row) !== undefined));
  const head = ["   N", "   k", ...shown.map(([name]) => name.padStart(width)), "  pooled against first"];
  const partly = [
    overFewer(problems, { name: "public", having: "with tests shown" }, rows),
    overFewer(problems, { name: "own", having: "with tests of a candidate's own" }, rows),
  ];
  return [
    head.join(""),
    ...rows
      .filter(hasChoice)
      .map((row) =>
        [
          String(row.n).padStart(4),
          (row.n === 1 ? "–" : String(row.k)).padStart(4),
          ...shown.map(([, read]) => shareText(read(row)).padStart(width)),
          `  ${comparisonText(row)}`,
        ].join(""),
      ),
    "",
    pc.dim(
      `% of ${counted(problems, "problem")} whose chosen program passes all gold tests, with the 95 % interval` +
        partly.join(""),
    ),
  ].join("\n");
}

/** What a column that is not about all problems is about; rows may differ. */
function overFewer(
  problems: number,
  { name, having }: { name: "public" | "own"; having: string },
  rows: readonly BestOfNRow[],
): string {
  const sizes = rows.flatMap((row) => row[name]?.of ?? []);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  if (sizes.length === 0 || least >= problems) return "";
  return `; ${name}: of the ${least === most ? most : `${least} to ${most}`} ${having}`;
}

/** One candidate leaves no choice, whatever the tests say: one row is enough. */
function hasChoice({ n, k }: BestOfNRow, _: number, rows: readonly BestOfNRow[]): boolean {
  return n > 1 || k === rows[0]!.k;
}

function shareText(share: Share | undefined): string {
  if (!share) return "–";
  const percent = (rate: number) => (rate * 100).toFixed(0);
  return `${(share.rate * 100).toFixed(1)} (${percent(share.low)}–${percent(share.high)})`;
}

function comparisonText({ n, pooledAgainstFirst: { better, worse, p } }: BestOfNRow): string {
  return n === 1 ? "" : `+${better} −${worse}, p ${p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`}`;
}

const shownLines = 5;

export function tellLeftOut(leftOut: readonly LeftOut[]): void {
  for (const { where, reason } of leftOut.slice(0, shownLines)) {
    printProgress(`left out: ${visible(where)}: ${visible(reason)}`);
  }
  if (leftOut.length > shownLines) printProgress(`left out: ${leftOut.length - shownLines} more`);
}

/** All of them: a reference that fails is for somebody to mend. */
export function tellFaults(faults: readonly { readonly problem: string; readonly reason: string }[]): void {
  for (const { problem, reason } of faults) {
    printProgress(`left out ${visible(problem)}: ${visible(reason)}`);
  }
}

/** Says every two seconds how far it is; problems that were known before say nothing about the speed. */
export function tellProgress(problems: number): (finished: FinishedProblem) => void {
  const started = performance.now();
  let told = started;
  let done = 0;
  let known = 0;
  let programs = 0;
  return (finished) => {
    done += 1;
    if (finished.known) known += 1;
    else programs += finished.examined.gold.length;
    const now = performance.now();
    if (now - told < 2_000 && done < problems) return;
    told = now;
    const seconds = (now - started) / 1000;
    const left = done > known ? ((problems - done) * seconds) / (done - known) : 0;
    printProgress(
      `${done} of ${counted(problems, "problem")}${known > 0 ? ` (${known} known before)` : ""}` +
        (programs > 0 ? `, ${speedText(programs / seconds)}` : "") +
        (done < problems ? `, about ${Math.ceil(left)} s left` : ""),
    );
  };
}

/** A few slow programs are not "0 programs a second". */
function speedText(perSecond: number): string {
  return `${perSecond < 10 ? perSecond.toFixed(1) : perSecond.toFixed(0)} programs a second`;
}
