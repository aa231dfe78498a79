/**
 * `spar best-of-n`: of N programs for a problem the one that generated tests like best, and what that is worth beside
 * chance, public tests and the ceiling. Programs and tests come from models or from files.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { messageOf, SparringError } from "../errors.ts";
import { examineAll } from "../evaluation/best-of-n/examine-all.ts";
import type { ExaminedProblem } from "../evaluation/best-of-n/examined-problem.ts";
import { arenaProblems } from "../problems/arena/arena.ts";
import type { Problem } from "../problems/problem.ts";
import { readProblems } from "../problems/read-problem.ts";
import { KeyedJournal } from "../runs/keyed-journal.ts";
import { RunLock } from "../runs/run-lock.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import { type Grid, reportBestOfN } from "./best-of-n-report.ts";
import { checkSources, openSources, type SourceFlags } from "./best-of-n-sources.ts";
import { tellLeftOut, tellProgress } from "./best-of-n-view.ts";
import { counted } from "./counted.ts";
import { warnOfDamage } from "./damaged-lines.ts";
import { withInterruption } from "./interruption.ts";
import { addModelOptions, shelfOf } from "./model-options.ts";
import { printProgress } from "./output.ts";
import { type RefusedProblem, unlessRefused } from "./refused-problems.ts";
import { addSandboxOptions, openSandbox, positiveNumber, type SandboxFlags } from "./sandbox-options.ts";
import { recordLimit } from "./shown-text.ts";

interface BestOfNFlags extends SandboxFlags, SourceFlags {
  readonly problems: string;
  readonly limit?: number;
  readonly n?: readonly number[];
  readonly k?: readonly number[];
  readonly scoring: "pooled" | "own";
  readonly out: string;
  readonly cpu: number;
  readonly json?: true;
}

export function addBestOfNCommand(program: Command): void {
  const command = program
    .command("best-of-n")
    .description("choose one of N programs by generated tests, and measure what the choice is worth")
    .requiredOption("--problems <file>", "a problem set with gold tests, or arena (held-out problems)")
    .option("--limit <n>", "the first n problems only", recordLimit)
    .option("--code-model <model>", "the model that writes programs: arena, a folder, or openai:MODEL")
    .option("--candidates <file>", "recorded programs instead, one JSON object per line")
    .option("--test-model <model>", "the model that writes tests: arena, a folder, or openai:MODEL")
    .option("--tests <file>", "recorded tests instead, one JSON object per line")
    .option("--n <list>", "numbers of candidates (default: 1,2,4,8,16, and all of a file)", numberList)
    .option("--k <list>", "numbers of tests per candidate (default: 1,2,5,10, and all of a file)", numberList)
    .addOption(
      new Option("--scoring <tests>", "which tests choose the programs that are written out")
        .choices(["pooled", "own"])
        .default("pooled"),
    )
    .option("--out <folder>", "where results are kept; finished problems are not run again", "runs/best-of-n")
    .option("--seed <n>", "decides what models sample", wholeSeed, 1)
    .option("--cpu <seconds>", "CPU seconds for each test", positiveNumber, defaultLimits.caseCpuSeconds)
    .option("--json", "print the report as JSON");
  addModelOptions(command, { models: [], temperature: 0.8 });
  addSandboxOptions(command)
    .addHelpText(
      "after",
      "\nExamples:\n  $ spar best-of-n --problems arena --limit 50 --code-model arena --test-model arena\n" +
        "  $ spar best-of-n --problems HumanEval.jsonl.gz --candidates samples.jsonl --tests tests.jsonl --out runs/humaneval",
    )
    .action(bestOfN);
}

async function bestOfN(flags: BestOfNFlags): Promise<void> {
  checkSources(flags);
  const problems = await usableProblems(flags);
  const lock = openFolder(flags.out);
  try {
    await withInterruption((signal) => run(flags, problems, signal));
  } finally {
    lock.release();
  }
}

async function run(flags: BestOfNFlags, problems: readonly Problem[], signal: AbortSignal): Promise<void> {
  const shelf = shelfOf(flags);
  const samplesJournal = openJournal<unknown>(flags.out, "samples.jsonl");
  const journal = openJournal<ExaminedProblem>(flags.out, "examined.jsonl");
  const asked = { n: flags.n && Math.max(...flags.n), k: flags.k && Math.max(...flags.k) };
  try {
    const sources = await openSources({ flags, problems, asked, shelf, journal: samplesJournal, signal });
    tellLeftOut(sources.leftOut);
    const grid = gridWithin(flags, sources.most);
    const sandbox = await openSandbox(flags);
    try {
      const limits = { ...defaultLimits, caseCpuSeconds: flags.cpu };
      const refused: RefusedProblem[] = [];
      const finished = await examineAll({
        problems,
        samplesOf: async (problem) => {
          const attempt = await unlessRefused(problem, () => sources.samplesOf(problem));
          if (attempt.ok) return attempt.result;
          refused.push(attempt.refused);
          return undefined;
        },
        examination: { sandbox, limits, signal },
        journal,
        // Enough that neither models nor sandbox wait for each other.
        atOnce: flags.codeModel === undefined && flags.testModel === undefined ? 2 : 8,
        onFinished: tellProgress(problems.length),
      });
      reportBestOfN({ flags, finished, refused, grid, sources });
    } finally {
      await sandbox.close();
    }
  } finally {
    journal.close();
    samplesJournal.close();
    await shelf.close();
  }
}

function openJournal<Value>(folder: string, name: string): KeyedJournal<Value> {
  const file = path.join(folder, name);
  const journal = new KeyedJournal<Value>(file);
  warnOfDamage(file, journal);
  return journal;
}

const usual = { n: [1, 2, 4, 8, 16], k: [1, 2, 5, 10] };

/** More than there is would only repeat the last row. */
function gridWithin(flags: BestOfNFlags, most: { readonly n: number; readonly k: number }): Grid {
  const within = (asked: readonly number[] | undefined, name: "n" | "k") => {
    const there = most[name];
    if (!asked) return [...usual[name].filter((number) => number < there), Math.max(1, there)];
    const fitting = asked.filter((number) => number <= there);
    const beyond = asked.filter((number) => number > there);
    if (beyond.length > 0) {
      printProgress(`--${name}: no problem has more than ${there}; ${beyond.join(", ")} left out`);
    }
    return fitting.length > 0 ? fitting : [Math.max(1, there)];
  };
  return { n: within(flags.n, "n"), k: within(flags.k, "k") };
}

async function usableProblems({ problems: file, limit }: BestOfNFlags): Promise<Problem[]> {
  const all =
    file === "arena"
      ? arenaProblems({ split: "held-out", ...(limit !== undefined && { limit }) })
      : await readProblems(file, limit === undefined ? {} : { limit });
  const usable = all.filter(({ goldTests, check }) => goldTests.length > 0 || check);
  if (usable.length === 0) {
    throw new SparringError({
      code: "no-gold-tests",
      message: `no problem of ${file} has gold tests, so nobody can say which program is right`,
      hint: "Add 'goldTests' to the problems.",
    });
  }
  if (usable.length < all.length) {
    printProgress(`${counted(all.length - usable.length, "problem")} left out: there are no gold tests`);
  }
  return usable;
}

function openFolder(folder: string): RunLock {
  try {
    mkdirSync(folder, { recursive: true });
    return new RunLock(folder, { hint: "Wait for it, or choose another --out." });
  } catch (error) {
    if (error instanceof SparringError) throw error;
    throw new SparringError({
      code: "folder-unusable",
      message: `${folder} cannot be used: ${messageOf(error)}`,
      hint: "Choose another folder with --out.",
      cause: error,
    });
  }
}

function numberList(text: string): number[] {
  const numbers = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (numbers.some((number) => !Number.isInteger(number) || number < 1 || number > 10_000)) {
    throw new InvalidArgumentError("It must be whole numbers from 1 to 10000, such as 1,2,4.");
  }
  return [...new Set(numbers)].sort((left, right) => left - right);
}

function wholeSeed(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError("It must be a whole number.");
  return value;
}
