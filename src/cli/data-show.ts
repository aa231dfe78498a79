/** `spar data show`: problems as a person reads them. */
import type { Command } from "commander";
import pc from "picocolors";
import { SparringError } from "../errors.ts";
import { plainRecord } from "../problems/plain-problem.ts";
import type { TestCase } from "../problems/problem.ts";
import { type ProblemRecord, readProblemSet } from "../problems/read-problem.ts";
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
    .description("print problems in a readable form")
    .argument("<file>", "a problem set")
    .option("--id <id>", "only the problem with this id")
    .option("--limit <n>", "how many problems", recordLimit, 3)
    .option("--json", "print them in the plain format")
    .addHelpText("after", "\nExample:\n  $ spar data show HumanEval.jsonl.gz --id HumanEval/2")
    .action(show);
}

async function show(file: string, flags: ShowFlags): Promise<void> {
  const { records, refused } = await readProblemSet(
    file,
    flags.id === undefined ? { limit: flags.limit } : {},
  );
  const chosen = flags.id === undefined ? records : records.filter(({ problem }) => problem.id === flags.id);
  for (const { error } of flags.id === undefined ? refused : []) printProgress(visible(error.message));
  if (flags.id !== undefined && chosen.length === 0) {
    throw new SparringError({
      code: "problem-missing",
      message: `${file}: no problem has the id '${flags.id}'`,
      hint: `The first is '${records[0]?.problem.id}'.`,
    });
  }
  if (flags.json) printJson(chosen.map(({ problem }) => plainRecord(problem)));
  else printResult(chosen.map(describe).join("\n\n"));
}

function describe({ row, problem, format }: ProblemRecord): string {
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
    `${pc.bold(visible(problem.id))}  ${pc.dim(facts.map(visible).join(", "))}`,
    section("question", problem.question),
    section("reference", problem.reference),
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
