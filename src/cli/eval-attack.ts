/** `spar eval attack`: ATGEN's evaluation of a model that writes tests against wrong programs. */

import { setMaxListeners } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { type Command, Option } from "commander";
import { SparringError } from "../errors.ts";
import { AttackRecord } from "../evaluation/attack/attack-record.ts";
import { type AttackReport, attackRates, attackReport } from "../evaluation/attack/attack-report.ts";
import { compareAttacks } from "../evaluation/attack/compare-attacks.ts";
import type { Third } from "../evaluation/attack/difficulty-thirds.ts";
import type { RecordedEvaluation } from "../evaluation/attack/evaluate-into-record.ts";
import type { RecordHeader } from "../evaluation/attack/record-format.ts";
import { recordGaps } from "../evaluation/attack/record-gaps.ts";
import { readThirds, writeThirds } from "../evaluation/attack/thirds-file.ts";
import { refuseToOverwrite } from "../problems/write-problems.ts";
import { type AttackRunFlags, runAttackEvaluation } from "./attack-run.ts";
import { comparisonText, rankingText, reportText } from "./attack-view.ts";
import { withInterruption } from "./interruption.ts";
import { addModelOptions } from "./model-options.ts";
import { numberFromZero } from "./number-from-zero.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import { addSandboxOptions, wholeNumber } from "./sandbox-options.ts";
import { recordLimit } from "./shown-text.ts";

interface EvalAttackFlags extends Omit<AttackRunFlags, "samples"> {
  readonly samples?: number;
  readonly from?: string;
  readonly compare?: readonly string[];
  readonly thirds?: string;
  readonly writeThirds?: string;
  readonly force?: true;
  readonly json?: true;
}

/** What a ranking by difficulty is made with. */
const rankingSamples = 8;

/** Options that mean nothing where no model is asked. */
const askingOptions = [
  "model",
  "baseUrl",
  "apiKeyEnv",
  "concurrency",
  "pairs",
  "limit",
  "samples",
  "seed",
  "temperature",
  "topP",
  "maxTokens",
  "checkPairs",
  "falseAlarms",
  "witnesses",
  "out",
  "sandbox",
  "demand",
  "workers",
];

export function addEvalAttackCommand(evaluation: Command): void {
  const command = evaluation
    .command("attack")
    .description("show a model wrong programs and measure how often its test reveals the mistake (ATGEN)");
  addModelOptions(command, { models: [{ flag: "model", role: "test", default: "arena" }], temperature: 0 })
    .option("--pairs <file>", "problems with wrong programs, or arena (its held-out problems)", "arena")
    .option("--limit <n>", "the first n pairs only", recordLimit)
    .option(
      "--samples <n>",
      "replies to each pair; with several, the temperature is 1 unless given",
      wholeNumber,
    )
    .option("--seed <n>", "decides what is sampled", numberFromZero, 1)
    .option("--no-check-pairs", "do not run references and wrong programs on the gold tests first")
    .option("--no-false-alarms", "do not show correct programs as well")
    .option(
      "--witnesses <n>",
      "solutions besides the reference that must agree on an input, where a problem has several",
      numberFromZero,
      0,
    )
    .option(
      "--out <file>",
      "record every reply and verdict (jsonl); what it already holds is not asked again",
    )
    .addOption(
      new Option("--from <file>", "figures from such a record, without a model").conflicts([
        ...askingOptions,
        "compare",
      ]),
    )
    .addOption(
      new Option("--compare <records...>", "two records, pair by pair, with McNemar's test").conflicts([
        ...askingOptions,
        "writeThirds",
      ]),
    )
    .option("--thirds <file>", "figures for easy, medium and hard pairs as well, by this split")
    .addOption(
      new Option(
        "--write-thirds <file>",
        `rank the pairs by this model (${rankingSamples} samples at temperature 1 unless given) and store the split`,
      ).conflicts(["thirds"]),
    )
    .option("--force", "overwrite the file of --write-thirds")
    .option("--json", "print the figures as JSON");
  addSandboxOptions(command)
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  $ spar eval attack --limit 200\n" +
        "  $ spar eval attack --write-thirds thirds.json\n" +
        "  $ spar eval attack --out before.jsonl\n" +
        "  $ spar eval attack --model runs/my-run --thirds thirds.json --out after.jsonl\n" +
        "  $ spar eval attack --compare before.jsonl after.jsonl --thirds thirds.json",
    )
    .action(evalAttack);
}

async function evalAttack(flags: EvalAttackFlags, command: Command): Promise<void> {
  // Whatever is wrong with the files is said before hours of work, not after.
  if (flags.writeThirds !== undefined) await checkTarget(flags.writeThirds, flags);
  const split = flags.thirds === undefined ? undefined : await readThirds(flags.thirds);
  const accept = (pairs: readonly { readonly id: string }[]) => refuseForeign(flags, split, pairs);
  if (flags.compare) return compare(flags, { files: flags.compare, split, accept });
  if (flags.from !== undefined) {
    const record = AttackRecord.read(flags.from);
    accept(record.pairs);
    return conclude({ flags, split, header: record.header, evaluation: record });
  }
  await withInterruption(async (signal) => {
    setMaxListeners(0, signal); // every program that is judged listens to it
    const done = await runAttackEvaluation(withSamples(flags, command), { signal, accept });
    conclude({ flags, split, ...done });
  });
}

async function checkTarget(file: string, { force }: EvalAttackFlags): Promise<void> {
  if (!force) await refuseToOverwrite(file);
  if (existsSync(path.dirname(file))) return;
  throw new SparringError({
    code: "file-unwritable",
    message: `${file} cannot be written: its folder does not exist`,
    hint: "Make the folder first.",
  });
}

type Split = ReadonlyMap<string, Third>;

function refuseForeign(
  { thirds }: EvalAttackFlags,
  split: Split | undefined,
  pairs: readonly { readonly id: string }[],
): void {
  if (!split || pairs.length === 0 || pairs.some(({ id }) => split.has(id))) return;
  throw new SparringError({
    code: "thirds-other",
    message: `${thirds} ranks none of these pairs`,
    hint: "Name the split that was made on the same pairs, or make one with --write-thirds.",
  });
}

/** Several greedy replies would be the same one several times. */
function withSamples(flags: EvalAttackFlags, command: Command): AttackRunFlags {
  const samples = flags.samples ?? (flags.writeThirds === undefined ? 1 : rankingSamples);
  const isGiven = command.getOptionValueSource("temperature") !== "default";
  return { ...flags, samples, temperature: isGiven || samples === 1 ? flags.temperature : 1 };
}

function conclude({
  flags,
  split,
  header,
  evaluation,
}: {
  flags: EvalAttackFlags;
  split: Split | undefined;
  header: RecordHeader;
  evaluation: RecordedEvaluation;
}): void {
  // The thirds of the ranking itself would say nothing: its hard pairs are those on which it failed.
  if (flags.writeThirds !== undefined) rank(flags.writeThirds, header, evaluation);
  const report = attackReport(evaluation, split);
  if (flags.json) printJson(jsonReport(header, report, flags));
  else printResult(reportText(header, report));
  if (report.overall.pairs === 0) {
    printProgress("no pair is left to measure on");
    process.exitCode = 1;
  }
}

function rank(
  file: string,
  { model, samples, sampling: { temperature } }: RecordHeader,
  { pairs }: RecordedEvaluation,
): void {
  const ranking = writeThirds(file, { model, samples, temperature, rates: attackRates(pairs) });
  printProgress(rankingText(file, ranking));
}

function jsonReport(header: RecordHeader, report: AttackReport, { thirds: split }: EvalAttackFlags) {
  const { kind: _, version: __, ...how } = header;
  return { ...how, ...(split !== undefined && { split }), ...report };
}

function compare(
  flags: EvalAttackFlags,
  given: {
    files: readonly string[];
    split: Split | undefined;
    accept: (pairs: readonly { readonly id: string }[]) => void;
  },
): void {
  const [first, second, ...others] = given.files;
  if (first === undefined || second === undefined || others.length > 0) {
    throw new SparringError({
      code: "wrong-use",
      message: `--compare takes two records, not ${given.files.length}`,
      hint: "For example: spar eval attack --compare before.jsonl after.jsonl",
    });
  }
  const records = [AttackRecord.read(first), AttackRecord.read(second)] as const;
  given.accept(records[0].pairs);
  const comparison = compareAttacks([records[0].pairs, records[1].pairs], given.split);
  if (comparison.pairs === 0) {
    throw new SparringError({
      code: "record-other",
      message: `${first} and ${second} have no pair in common`,
      hint: "Only evaluations on the same pairs can be compared.",
    });
  }
  const headers = [records[0].header, records[1].header] as const;
  const gaps = [recordGaps(records[0]), recordGaps(records[1])] as const;
  if (flags.json) {
    const [one, two] = [0, 1].map((index) => ({ ...headers[index]!, ...gaps[index]! }));
    printJson({ first: one, second: two, ...comparison });
  } else printResult(comparisonText(headers, comparison, gaps));
}
