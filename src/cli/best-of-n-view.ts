/** What `spar best-of-n` tells people: the table, and how far it is. */
import pc from "picocolors";
import type { Share } from "../evaluation/attack/attack-figures.ts";
import type { FinishedProblem } from "../evaluation/best-of-n/examine-all.ts";
import type { BestOfNFigures, BestOfNRow } from "../evaluation/best-of-n/figures.ts";
import type { LeftOut } from "../evaluation/best-of-n/recorded-samples.ts";
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
  const publicOf = rows.find((row) => row.public)?.public?.of;
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
      `% of ${problems} problems whose chosen program passes all gold tests, with the 95 % interval` +
        (publicOf !== undefined && publicOf < problems ? `; public: of the ${publicOf} that show tests` : ""),
    ),
  ].join("\n");
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
      `${done} of ${problems} problems${known > 0 ? ` (${known} known before)` : ""}, ` +
        `${(programs / seconds).toFixed(0)} programs a second` +
        (done < problems ? `, about ${Math.ceil(left)} s left` : ""),
    );
  };
}
