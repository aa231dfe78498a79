/** What `spar best-of-n` found: the report and the chosen programs as files, the figures and what is in none of them. */
import path from "node:path";
import { chooseCandidate } from "../evaluation/best-of-n/choose-candidate.ts";
import type { FinishedProblem } from "../evaluation/best-of-n/examine-all.ts";
import { bestOfNFigures, hasOwnTests } from "../evaluation/best-of-n/figures.ts";
import { writeWhole } from "../runs/write-whole.ts";
import type { Sources } from "./best-of-n-sources.ts";
import { figuresTable, tellFaults } from "./best-of-n-view.ts";
import { counted } from "./counted.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import type { RefusedProblem } from "./refused-problems.ts";
import { visible } from "./shown-text.ts";

/** The numbers of candidates and of tests for each that there are rows for. */
export interface Grid {
  readonly n: readonly number[];
  readonly k: readonly number[];
}

interface ReportFlags {
  readonly scoring: "pooled" | "own";
  readonly out: string;
  readonly json?: true;
}

export function reportBestOfN(options: {
  flags: ReportFlags;
  finished: readonly FinishedProblem[];
  refused: readonly RefusedProblem[];
  grid: Grid;
  sources: Sources;
}): void {
  const { flags, finished, refused, grid, sources } = options;
  const withPrograms = finished.filter(({ samples }) => samples.candidates.length > 0);
  const faults = withPrograms.flatMap(({ examined: { id, referenceFault } }) =>
    referenceFault === undefined ? [] : [{ problem: id, reason: referenceFault }],
  );
  const sound = withPrograms.filter(({ examined }) => examined.referenceFault === undefined);
  const figures = bestOfNFigures(
    withPrograms.map(({ examined }) => examined),
    grid,
  );
  const withoutTests = sound.filter(({ samples }) => samples.tests.length === 0).length;
  const refusedPrograms = finished.flatMap(({ examined: { id } }) => sources.refusedPrograms.get(id) ?? []);
  const refusedCount = refusedPrograms.reduce((sum, { programs }) => sum + programs, 0);
  const whole = {
    ...sources.description,
    ...figures,
    faults: faults.slice(0, 20),
    knownBefore: finished.filter(({ known }) => known).length,
    withoutPrograms: finished.length - withPrograms.length,
    withoutTests,
    refused: { count: refused.length, first: refused.slice(0, 20) },
    refusedPrograms: { count: refusedCount, first: refusedPrograms.slice(0, 20) },
    replies: sources.replies.all,
    unreadableReplies: sources.replies.unreadable,
    leftOut: { count: sources.leftOut.length, first: sources.leftOut.slice(0, 20) },
    out: flags.out,
  };
  writeWhole(path.join(flags.out, "report.json"), `${JSON.stringify(whole, null, 2)}\n`);
  writeWhole(path.join(flags.out, "chosen.jsonl"), chosenLines(flags, sound, grid));
  if (flags.json) printJson(whole);
  else printResult(figuresTable(figures));
  tellFaults(faults);
  const withoutOwn =
    flags.scoring === "own"
      ? sound.filter(({ examined }) => !hasOwnTests(examined, largestOf(grid))).length - withoutTests
      : 0;
  const told = [
    [refused.length, "in no figure: a model refuses the prompt"],
    [figures.faultyProblems, "in no figure: the reference fails the gold tests"],
    [whole.withoutPrograms, "in no figure: there is no program"],
    [figures.maskedProblems, "in no figure: a gold verdict was lost to the sandbox; run it again"],
    [withoutTests, "without a test: the choice is the first program"],
    [withoutOwn, "without a test of a candidate's own: the choice is by agreement alone"],
  ] as const;
  for (const [count, text] of told) if (count > 0) printProgress(`${counted(count, "problem")} ${text}`);
  const [firstRefused] = refusedPrograms;
  if (firstRefused) {
    printProgress(
      `${counted(refusedCount, "program")} of ${counted(refusedPrograms.length, "problem")} without tests: ` +
        `the test model refuses the prompt, first for ${visible(firstRefused.problem)}: ${visible(firstRefused.reason)}`,
    );
  }
  const { all, unreadable } = sources.replies;
  if (unreadable > 0) printProgress(`no test in ${unreadable} of ${all} replies of the test model`);
  if (figures.lostPairs > 0) {
    const lost = `${figures.lostPairs} of ${counted(figures.pairs, "run")}`;
    printProgress(`${lost} lost to the sandbox and not scored; run it again`);
  }
  printProgress(`the chosen programs are in ${path.join(flags.out, "chosen.jsonl")}`);
  if (figures.problems === 0) process.exitCode = 1;
}

function largestOf({ n, k }: Grid): { n: number; k: number } {
  return { n: Math.max(...n), k: Math.max(...k) };
}

function chosenLines(flags: ReportFlags, finished: readonly FinishedProblem[], grid: Grid): string {
  const budget = { ...largestOf(grid), scoring: flags.scoring };
  return finished
    .map(({ samples, examined }) => {
      const candidate = chooseCandidate(examined, budget);
      if (candidate === undefined) return "";
      return `${JSON.stringify({ problem: examined.id, candidate, code: samples.candidates[candidate] })}\n`;
    })
    .join("");
}
