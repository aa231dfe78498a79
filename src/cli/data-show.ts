/** `spar data show`: problems and pairs as a person reads them. */
import type { Command } from "commander";
import pc from "picocolors";
import { SparringError } from "../errors.ts";
import type { AttackPair } from "../problems/attack-pair.ts";
import { pairRecord } from "../problems/pair-record.ts";
import { plainRecord } from "../problems/plain-problem.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import { type DataSet, readDataSet } from "../problems/read-data-set.ts";
import { assertText } from "../problems/test-text.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import { recordLimit, visible } from "./shown-text.ts";

interface ShowFlags {
  readonly id?: string;
  readonly limit: number;
  readonly json?: true;
}

const testsShown = 10;
const linesShown = 40;

export function addShowCommand(data: Command): void {
  data
    .command("show")
    .description("print problems or pairs in a readable form")
    .argument("<file>", "a problem set, or pairs of problems and wrong programs")
    .option("--id <id>", "only the problem or pair with this id")
    .option("--limit <n>", "how many", recordLimit, 3)
    .option("--json", "print them as records")
    .addHelpText("after", "\nExample:\n  $ spar data show HumanEval.jsonl.gz --id HumanEval/2")
    .action(show);
}

async function show(file: string, flags: ShowFlags): Promise<void> {
  const data = await readDataSet(file, flags.id === undefined ? { limit: flags.limit } : {});
  const entries = entriesOf(data);
  const chosen = flags.id === undefined ? entries : entries.filter(({ ids }) => ids.includes(flags.id!));
  for (const { error } of flags.id === undefined ? data.set.refused : []) {
    printProgress(visible(error.message));
  }
  if (flags.id !== undefined && chosen.length === 0) {
    throw new SparringError({
      code: "problem-missing",
      message: `${file}: no ${data.kind === "pairs" ? "pair or problem" : "problem"} has the id '${flags.id}'`,
      hint: `The first is '${entries[0]?.ids[0]}'.`,
    });
  }
  if (flags.json) printJson(chosen.map(({ record }) => record()));
  else printResult(chosen.map(describe).join("\n\n"));
}

interface Entry {
  readonly row: number;
  readonly format: string;
  readonly problem: Problem;
  /** Of pairs only. */
  readonly pair?: AttackPair;
  /** By which it is found, its own first. */
  readonly ids: readonly string[];
  record(): Record<string, unknown>;
}

function entriesOf(data: DataSet): Entry[] {
  if (data.kind === "problems") {
    return data.set.records.map(({ row, format, problem }) => ({
      row,
      format,
      problem,
      ids: [problem.id],
      record: () => plainRecord(problem),
    }));
  }
  return data.set.records.map(({ row, format, pair }) => ({
    row,
    format,
    problem: pair.problem,
    pair,
    ids: [pair.id, pair.problem.id],
    record: () => pairRecord(pair),
  }));
}

function describe({ row, problem, format, pair }: Entry): string {
  const tests = problem.goldTests
    .slice(0, testsShown)
    .map((test) => `  ${testText(test, problem.entryPoint)}`);
  const more = problem.goldTests.length - tests.length;
  const facts = [
    `row ${row}`,
    format,
    problem.style,
    problem.entryPoint,
    problem.difficulty,
    problem.limits && JSON.stringify(problem.limits),
  ].filter((fact) => fact !== undefined);
  return [
    `${pc.bold(visible(pair?.id ?? problem.id))}  ${pc.dim(facts.map(visible).join(", "))}`,
    section("question", problem.question),
    section("reference", problem.reference),
    ...(pair ? [section("wrong program", pair.buggy)] : []),
    pc.cyan(`${problem.goldTests.length} gold tests`),
    ...tests,
    ...(more > 0 ? [pc.dim(`  … ${more} more`)] : []),
    ...(problem.check ? [section(`check program (${problem.check.form})`, problem.check.source)] : []),
  ].join("\n");
}

function section(title: string, text: string): string {
  const lines = visible(text.replaceAll("\r\n", "\n").trim()).split("\n");
  const shown = lines.slice(0, linesShown).map((line) => `  ${line.slice(0, 200)}`);
  const more = lines.length > linesShown ? [pc.dim(`  … ${lines.length - linesShown} more lines`)] : [];
  return [pc.cyan(title), ...shown, ...more].join("\n");
}

function testText(test: TestCase, entryPoint: string | undefined): string {
  const text =
    test.style === "function"
      ? assertText(test, entryPoint ?? "")
      : `${JSON.stringify(test.input)} → ${JSON.stringify(test.expected)}`;
  return visible(text.length > 200 ? `${text.slice(0, 199)}…` : text);
}
