/** The part of `spar eval attack` that asks a model: pairs, model, sandbox and record are opened, and closed again. */
import type { SamplingSettings } from "../engine/completion.ts";
import { AttackRecord } from "../evaluation/attack/attack-record.ts";
import type { AttackProgress } from "../evaluation/attack/evaluate-attack.ts";
import {
  type AttackStage,
  evaluateIntoRecord,
  type RecordedEvaluation,
} from "../evaluation/attack/evaluate-into-record.ts";
import type { RecordHeader, RefusedRow } from "../evaluation/attack/record-format.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import type { OpenedModel } from "../evaluation/open-model.ts";
import { AgreedAnswers } from "../judge/agreed-answers.ts";
import { MemoryAnswerCache } from "../judge/answer-cache.ts";
import { ReferenceAnswers } from "../judge/reference-answers.ts";
import { arenaPairs } from "../problems/arena/attack-pairs.ts";
import type { AttackPair } from "../problems/attack-pair.ts";
import { readPairSet } from "../problems/read-pairs.ts";
import { arenaDialect } from "../prompts/dialect.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { percent } from "./attack-view.ts";
import { counted } from "./counted.ts";
import { type ModelFlags, samplingOf, shelfOf } from "./model-options.ts";
import { printProgress } from "./output.ts";
import { lockOutput } from "./output-lock.ts";
import { openSandbox, type SandboxFlags } from "./sandbox-options.ts";
import { visible } from "./shown-text.ts";

export interface AttackRunFlags extends SandboxFlags, ModelFlags {
  readonly model: string;
  readonly pairs: string;
  readonly limit?: number;
  readonly samples: number;
  readonly seed: number;
  readonly checkPairs: boolean;
  readonly falseAlarms: boolean;
  readonly witnesses: number;
  readonly out?: string;
}

/** Wrong programs of each arena problem. */
const arenaPairsPerProblem = 3;
const shownRefusals = 3;
const secondsBetweenLines = 5;

/** `accept` may refuse the pairs before any work is done. */
export async function runAttackEvaluation(
  flags: AttackRunFlags,
  { signal, accept }: { signal: AbortSignal; accept: (pairs: readonly AttackPair[]) => void },
): Promise<{ header: RecordHeader; evaluation: RecordedEvaluation }> {
  const given = await pairsOf(flags);
  accept(given.pairs);
  const lock = flags.out === undefined ? undefined : lockOutput(flags.out);
  try {
    return await askModel(flags, given, signal);
  } finally {
    lock?.release();
  }
}

async function askModel(
  flags: AttackRunFlags,
  given: GivenPairs,
  signal: AbortSignal,
): Promise<{ header: RecordHeader; evaluation: RecordedEvaluation }> {
  const shelf = shelfOf(flags, "skip");
  try {
    const model = await shelf.open({ text: flags.model, role: "test" });
    if (model.dialect === arenaDialect) warnOfForeign(given.pairs);
    const sandbox = await openSandbox(flags);
    try {
      return await ask({ flags, ...given, model, sandbox, signal });
    } finally {
      await sandbox.close();
    }
  } finally {
    await shelf.close();
  }
}

interface GivenPairs {
  readonly pairs: readonly AttackPair[];
  /** Rows of the file that are no pairs. */
  readonly refused: readonly RefusedRow[];
}

interface Opened extends GivenPairs {
  readonly flags: AttackRunFlags;
  readonly model: OpenedModel;
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
}

async function ask({ flags, pairs, refused, model, sandbox, signal }: Opened) {
  const { policy, dialect } = model;
  const sampling = samplingOf(flags, model, { seed: flags.seed, stopStrings: dialect.attackStopStrings });
  const header = headerOf(flags, { model, sampling, sandbox });
  const record =
    flags.out === undefined ? AttackRecord.inMemory(header) : AttackRecord.open(flags.out, header);
  try {
    const evaluation = await evaluateIntoRecord({
      record,
      pairs,
      refused,
      policy,
      dialect,
      court: courtOf(sandbox, flags),
      samples: flags.samples,
      sampling,
      pairCheck: flags.checkPairs ? "sandbox" : "none",
      falseAlarms: flags.falseAlarms ? "measured" : "left-out",
      onStage: stageTeller(flags),
      onProgress: progressTeller(),
      signal,
    });
    return { header, evaluation };
  } finally {
    record.close();
    if (signal.aborted && flags.out !== undefined)
      printProgress(`what was done is in ${flags.out}: the same command goes on from there`);
  }
}

/** Pairs of the arena may come from a file, too: `spar data bugs` makes them. */
function warnOfForeign(pairs: readonly AttackPair[]): void {
  const foreign = pairs.filter(({ problem }) => problem.metadata.source !== "arena").length;
  if (foreign === 0) return;
  const where = foreign === pairs.length ? "here" : `in ${foreign} of these ${counted(pairs.length, "pair")}`;
  printProgress(`this model knows only the arena's language: do not expect it to find anything ${where}`);
}

async function pairsOf({ pairs: source, limit }: AttackRunFlags): Promise<GivenPairs> {
  if (source === "arena") {
    const pairs = arenaPairs({ split: "held-out", perProblem: arenaPairsPerProblem });
    return { pairs: pairs.slice(0, limit), refused: [] };
  }
  const { records, refused } = await readPairSet(source, limit === undefined ? {} : { limit });
  const [first] = refused;
  if (first && records.length === 0) throw first.error;
  if (first) printProgress(`left out: ${counted(refused.length, "row")} that cannot be read as pairs`);
  for (const { error } of refused.slice(0, shownRefusals)) printProgress(visible(`  ${error.message}`));
  return {
    pairs: records.map(({ pair }) => pair),
    refused: refused.map(({ row, error }) => ({ row, reason: error.message })),
  };
}

function headerOf(
  { pairs, samples, witnesses }: AttackRunFlags,
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
    ...(witnesses > 0 && { witnesses }),
    sampling: { temperature, topP, maxTokens, seed },
    limits: defaultLimits,
    sandbox: { kind, python },
  };
}

function courtOf(sandbox: Sandbox, { witnesses }: AttackRunFlags): Court {
  const [limits, cache] = [defaultLimits, new MemoryAnswerCache()];
  const references = new ReferenceAnswers({ sandbox, cache, limits });
  return { sandbox, limits, answers: new AgreedAnswers(references, { witnesses }) };
}

function stageTeller({ out, checkPairs }: AttackRunFlags): (stage: AttackStage) => void {
  const isTime = seldom();
  return (stage) => {
    switch (stage.kind) {
      case "checking":
        if (stage.known > 0)
          printProgress(`${stage.known} of ${counted(stage.pairs, "pair")} already in ${out}`);
        if (checkPairs && stage.known < stage.pairs)
          printProgress(`checking ${counted(stage.pairs - stage.known, "pair")} on the gold tests`);
        return;
      case "checks":
        if (isTime()) printProgress(`${stage.done} of ${counted(stage.pairs, "pair")} checked`);
        return;
      case "checked":
        if (stage.skipped.length > 0) printProgress(`skipped: ${counted(stage.skipped.length, "pair")}`);
        if (stage.unchecked > 0)
          printProgress(
            `used unchecked, for want of gold tests or of a working sandbox: ${counted(stage.unchecked, "pair")}`,
          );
        return;
      case "asking":
        if (stage.pairs + stage.correctPrograms > 0)
          printProgress(
            `showing ${stage.pairs} wrong and ${counted(stage.correctPrograms, "correct program")} to the model`,
          );
    }
  };
}

/** True once in a while. */
function seldom(): () => boolean {
  let last = Date.now();
  return () => {
    if (Date.now() - last < secondsBetweenLines * 1000) return false;
    last = Date.now();
    return true;
  };
}

function progressTeller(): (progress: AttackProgress) => void {
  const isTime = seldom();
  let [attacks, judged] = [0, 0];
  return ({ done, total, finished }) => {
    for (const { judged: verdict } of finished.kind === "pair" ? finished.replies : []) {
      if (verdict.kind !== "judged") continue;
      judged += 1;
      if (verdict.reached === "attack") attacks += 1;
    }
    if (!isTime()) return;
    const soFar = judged > 0 ? `, attack rate so far ${percent(attacks / judged)} %` : "";
    printProgress(`${done} of ${counted(total, "program")}${soFar}`);
  };
}
