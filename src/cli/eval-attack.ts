/** `spar eval attack`: ATGEN's evaluation of a model that writes tests against wrong programs. */
import { setMaxListeners } from "node:events";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { SamplingSettings } from "../engine/completion.ts";
import { SparringError } from "../errors.ts";
import { AttackRecord } from "../evaluation/attack/attack-record.ts";
import { type AttackReport, attackRates, attackReport } from "../evaluation/attack/attack-report.ts";
import { compareAttacks } from "../evaluation/attack/compare-attacks.ts";
import type { AttackProgress } from "../evaluation/attack/evaluate-attack.ts";
import {
  type AttackStage,
  evaluateIntoRecord,
  type RecordedEvaluation,
} from "../evaluation/attack/evaluate-into-record.ts";
import type { RecordHeader } from "../evaluation/attack/record-format.ts";
import { readThirds, writeThirds } from "../evaluation/attack/thirds-file.ts";
import type { OpenedModel } from "../evaluation/open-model.ts";
import { MemoryAnswerCache } from "../judge/answer-cache.ts";
import { ReferenceAnswers } from "../judge/reference-answers.ts";
import { arenaPairs } from "../problems/arena/attack-pairs.ts";
import type { AttackPair } from "../problems/attack-pair.ts";
import { refuseToOverwrite } from "../problems/write-problems.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { comparisonText, percent, rankingText, reportText } from "./attack-view.ts";
import { withInterruption } from "./interruption.ts";
import { addModelOptions, type ModelFlags, samplingOf, shelfOf } from "./model-options.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import { addSandboxOptions, openSandbox, type SandboxFlags, wholeNumber } from "./sandbox-options.ts";
import { recordLimit } from "./shown-text.ts";

interface EvalAttackFlags extends SandboxFlags, ModelFlags {
  readonly model: string;
  readonly pairs: string;
  readonly limit?: number;
  readonly samples?: number;
  readonly seed: number;
  readonly checkPairs: boolean;
  readonly falseAlarms: boolean;
  readonly out?: string;
  readonly from?: string;
  readonly compare?: readonly string[];
  readonly thirds?: string;
  readonly writeThirds?: string;
  readonly force?: true;
  readonly json?: true;
}

/** Wrong programs of each arena problem. */
const arenaPairsPerProblem = 3;
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
    const { header, evaluation } = await run(withSamples(flags, command), signal);
    await conclude(flags, header, evaluation);
  });
}

type RunFlags = EvalAttackFlags & { readonly samples: number };

function withSamples(flags: EvalAttackFlags, command: Command): RunFlags {
  const samples = flags.samples ?? (flags.writeThirds === undefined ? 1 : rankingSamples);
  const ownTemperature = command.getOptionValueSource("temperature") !== "default";
  return { ...flags, samples, temperature: ownTemperature || samples === 1 ? flags.temperature : 1 };
}

async function run(
  flags: RunFlags,
  signal: AbortSignal,
): Promise<{ header: RecordHeader; evaluation: RecordedEvaluation }> {
  const pairs = await pairsOf(flags);
  const shelf = shelfOf(flags, "skip");
  try {
    const model = await shelf.open({ text: flags.model, role: "test" });
    const { attackStopStrings: stopStrings } = model.dialect;
    const sampling = samplingOf(flags, model, { seed: flags.seed, stopStrings });
    const sandbox = await openSandbox(flags);
    try {
      const header = headerOf(flags, { model, sampling, sandbox });
      const record =
        flags.out === undefined ? AttackRecord.inMemory(header) : AttackRecord.open(flags.out, header);
      try {
        const evaluation = await evaluateIntoRecord({
          record,
          pairs,
          policy: model.policy,
          dialect: model.dialect,
          court: courtOf(sandbox),
          samples: flags.samples,
          sampling,
          pairCheck: flags.checkPairs ? "sandbox" : "none",
          falseAlarms: flags.falseAlarms ? "measured" : "left-out",
          onStage: (stage) => tellStage(stage, flags),
          onProgress: progressTeller(),
          signal,
        });
        return { header, evaluation };
      } finally {
        record.close();
        if (signal.aborted && flags.out !== undefined)
          printProgress(`what was done is in ${flags.out}: the same command goes on from there`);
      }
    } finally {
      await sandbox.close();
    }
  } finally {
    await shelf.close();
  }
}

async function pairsOf({ pairs, limit }: EvalAttackFlags): Promise<AttackPair[]> {
  if (pairs !== "arena") throw new SparringError({ code: "pairs-unknown", message: "later" });
  const problems = limit === undefined ? {} : { limit: Math.ceil(limit / arenaPairsPerProblem) + 8 };
  return arenaPairs({ split: "held-out", perProblem: arenaPairsPerProblem, ...problems }).slice(0, limit);
}

function headerOf(
  { pairs, samples }: RunFlags,
  parts: { model: OpenedModel; sampling: SamplingSettings; sandbox: Sandbox },
): RecordHeader {
  const { temperature, topP, maxTokens, seed } = parts.sampling;
  const { kind, python } = parts.sandbox.describe();
  return {
    kind: "attack-evaluation",
    version: 1,
    model: parts.model.description,
    pairs,
    samples,
    sampling: { temperature, topP, maxTokens, seed },
    limits: defaultLimits,
    sandbox: { kind, python },
  };
}

function courtOf(sandbox: Sandbox) {
  const limits = defaultLimits;
  return {
    sandbox,
    limits,
    answers: new ReferenceAnswers({ sandbox, cache: new MemoryAnswerCache(), limits }),
  };
}

function tellStage(stage: AttackStage, { out, checkPairs }: RunFlags): void {
  switch (stage.kind) {
    case "checking":
      if (stage.known > 0) printProgress(`${stage.known} of ${stage.pairs} pairs are already in ${out}`);
      if (checkPairs && stage.known < stage.pairs)
        printProgress(`checking ${stage.pairs - stage.known} pairs on their gold tests`);
      return;
    case "checked":
      if (stage.skipped.length > 0) printProgress(`${stage.skipped.length} pairs are skipped`);
      if (stage.unchecked > 0)
        printProgress(`${stage.unchecked} pairs could not be checked and are used as they are`);
      return;
    case "asking":
      if (stage.pairs + stage.correctPrograms === 0) return;
      printProgress(
        `showing ${stage.pairs} wrong and ${stage.correctPrograms} correct programs to the model`,
      );
  }
}

const secondsBetweenLines = 5;

function progressTeller(): (progress: AttackProgress) => void {
  let told = Date.now();
  let [attacks, judged] = [0, 0];
  return ({ done, total, finished }) => {
    if (finished.kind === "pair") {
      for (const { judged: verdict } of finished.replies) {
        if (verdict.kind !== "judged") continue;
        judged += 1;
        if (verdict.reached === "attack") attacks += 1;
      }
    }
    if (Date.now() - told < secondsBetweenLines * 1000) return;
    told = Date.now();
    const soFar = judged > 0 ? `, attack rate so far ${percent(attacks / judged)} %` : "";
    printProgress(`${done} of ${total} programs${soFar}`);
  };
}

async function conclude(
  flags: EvalAttackFlags,
  header: RecordHeader,
  evaluation: RecordedEvaluation,
): Promise<void> {
  // The thirds of the ranking itself say nothing: its hard pairs are those on which it failed.
  if (flags.writeThirds !== undefined) await rank(flags, header, evaluation);
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
  readonly byPair: Awaited<ReturnType<typeof readThirds>>["byPair"];
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

async function rank(
  { writeThirds: file }: EvalAttackFlags,
  { model, samples, sampling }: RecordHeader,
  { pairs }: RecordedEvaluation,
): Promise<void> {
  const { temperature } = sampling;
  const ranking = await writeThirds(file!, { model, samples, temperature, rates: attackRates(pairs) });
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
