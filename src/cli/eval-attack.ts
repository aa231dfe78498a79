/** `spar eval attack`: ATGEN's evaluation of a model that writes tests against wrong programs. */
import { setMaxListeners } from "node:events";
import { type Command, InvalidArgumentError, Option } from "commander";
import { SparringError } from "../errors.ts";
import { AttackRecord } from "../evaluation/attack/attack-record.ts";
import { type AttackReport, attackRates, attackReport } from "../evaluation/attack/attack-report.ts";
import { compareAttacks } from "../evaluation/attack/compare-attacks.ts";
import type { Third } from "../evaluation/attack/difficulty-thirds.ts";
import type { RecordedEvaluation } from "../evaluation/attack/evaluate-into-record.ts";
import type { RecordHeader } from "../evaluation/attack/record-format.ts";
import { readThirds, writeThirds } from "../evaluation/attack/thirds-file.ts";
import { refuseToOverwrite } from "../problems/write-problems.ts";
import { type AttackRunFlags, runAttackEvaluation } from "./attack-run.ts";
import { comparisonText, rankingText, reportText } from "./attack-view.ts";
import { withInterruption } from "./interruption.ts";
import { addModelOptions } from "./model-options.ts";
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
    .option("--seed <n>", "decides what is sampled", seedNumber, 1)
    .option("--no-check-pairs", "do not run references and wrong programs on the gold tests first")
    .option("--no-false-alarms", "do not show correct programs as well")
    .option(
      "--out <file>",
      "record every reply and verdict (jsonl); what it already holds is not asked again",
    )
    .addOption(
      new Option("--from <file>", "figures from such a record, without a model").conflicts([
        "out",
        "compare",
      ]),
    )
    .addOption(
      new Option("--compare <records...>", "two records, pair by pair, with McNemar's test").conflicts([
        "out",
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
        "  $ spar eval attack --model base --write-thirds thirds.json --out base.jsonl\n" +
        "  $ spar eval attack --model runs/my-run --thirds thirds.json --out trained.jsonl\n" +
        "  $ spar eval attack --compare before.jsonl trained.jsonl --thirds thirds.json",
    )
    .action(evalAttack);
}

async function evalAttack(flags: EvalAttackFlags, command: Command): Promise<void> {
  if (flags.writeThirds !== undefined && !flags.force) await refuseToOverwrite(flags.writeThirds);
  if (flags.compare) return compare(flags, flags.compare);
  if (flags.from !== undefined) {
    const { header, pairs, correctPrograms, skipped } = AttackRecord.read(flags.from);
    return conclude(flags, header, { pairs, correctPrograms, skipped });
  }
  await withInterruption(async (signal) => {
    setMaxListeners(0, signal); // every program that is judged listens to it
    const { header, evaluation } = await runAttackEvaluation(withSamples(flags, command), signal);
    await conclude(flags, header, evaluation);
  });
}

/** Several greedy replies would be the same one several times. */
function withSamples(flags: EvalAttackFlags, command: Command): AttackRunFlags {
  const samples = flags.samples ?? (flags.writeThirds === undefined ? 1 : rankingSamples);
  const isGiven = command.getOptionValueSource("temperature") !== "default";
  return { ...flags, samples, temperature: isGiven || samples === 1 ? flags.temperature : 1 };
}

async function conclude(
  flags: EvalAttackFlags,
  header: RecordHeader,
  evaluation: RecordedEvaluation,
): Promise<void> {
  // The thirds of the ranking itself say nothing: its hard pairs are those on which it failed.
  if (flags.writeThirds !== undefined) rank(flags, header, evaluation);
  const split = await splitOf(flags, evaluation);
  const report = attackReport(evaluation, split?.byPair);
  if (flags.json) printJson(jsonReport(header, report, split?.source));
  else printResult(reportText(header, report));
  if (report.overall.pairs === 0) {
    printProgress("no pair is left to measure on");
    process.exitCode = 1;
  }
}

interface Split {
  readonly source: string;
  readonly byPair: ReadonlyMap<string, Third>;
}

async function splitOf(
  { thirds }: EvalAttackFlags,
  { pairs }: Pick<RecordedEvaluation, "pairs">,
): Promise<Split | undefined> {
  if (thirds === undefined) return undefined;
  const { byPair } = await readThirds(thirds);
  if (pairs.length > 0 && !pairs.some(({ id }) => byPair.has(id))) {
    throw new SparringError({
      code: "thirds-other",
      message: `${thirds} ranks none of these pairs`,
      hint: "Name the split that was made on the same pairs, or make one with --write-thirds.",
    });
  }
  return { source: thirds, byPair };
}

function rank(
  { writeThirds: file }: EvalAttackFlags,
  { model, samples, sampling }: RecordHeader,
  { pairs }: RecordedEvaluation,
): void {
  const { temperature } = sampling;
  const ranking = writeThirds(file!, { model, samples, temperature, rates: attackRates(pairs) });
  printProgress(rankingText(file!, ranking));
}

function jsonReport(header: RecordHeader, report: AttackReport, thirds: string | undefined) {
  const { kind: _, version: __, ...how } = header;
  return { ...how, ...(thirds !== undefined && { split: thirds }), ...report };
}

async function compare(flags: EvalAttackFlags, files: readonly string[]): Promise<void> {
  const [first, second, ...others] = files;
  if (first === undefined || second === undefined || others.length > 0) {
    throw new SparringError({
      code: "wrong-use",
      message: `--compare takes two records, not ${files.length}`,
      hint: "For example: spar eval attack --compare before.jsonl after.jsonl",
    });
  }
  const records = [AttackRecord.read(first), AttackRecord.read(second)] as const;
  const split = await splitOf(flags, records[0]);
  const comparison = compareAttacks([records[0].pairs, records[1].pairs], split?.byPair);
  if (comparison.pairs === 0) {
    throw new SparringError({
      code: "record-other",
      message: `${first} and ${second} have no pair in common`,
      hint: "Only evaluations on the same pairs can be compared.",
    });
  }
  const headers = [records[0].header, records[1].header] as const;
  if (flags.json) printJson({ first: headers[0], second: headers[1], ...comparison });
  else printResult(comparisonText(headers, comparison));
}

function seedNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new InvalidArgumentError("It must be a whole number from 0 on.");
  return value;
}
