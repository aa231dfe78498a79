/** The part of `spar eval attack` that asks a model: pairs, model, sandbox and record are opened, and closed again. */
import type { SamplingSettings } from "../engine/completion.ts";
import { AttackRecord } from "../evaluation/attack/attack-record.ts";
import type { AttackProgress } from "../evaluation/attack/evaluate-attack.ts";
import {
  type AttackStage,
  evaluateIntoRecord,
  type RecordedEvaluation,
} from "../evaluation/attack/evaluate-into-record.ts";
import type { RecordHeader } from "../evaluation/attack/record-format.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import type { OpenedModel } from "../evaluation/open-model.ts";
import { MemoryAnswerCache } from "../judge/answer-cache.ts";
import { ReferenceAnswers } from "../judge/reference-answers.ts";
import { arenaPairs } from "../problems/arena/attack-pairs.ts";
import type { AttackPair } from "../problems/attack-pair.ts";
import { readPairSet } from "../problems/read-pairs.ts";
import { arenaDialect } from "../prompts/dialect.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { percent } from "./attack-view.ts";
import { type ModelFlags, samplingOf, shelfOf } from "./model-options.ts";
import { printProgress } from "./output.ts";
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
  const pairs = await pairsOf(flags);
  accept(pairs);
  const shelf = shelfOf(flags, "skip");
  try {
    const model = await shelf.open({ text: flags.model, role: "test" });
    if (model.dialect === arenaDialect && flags.pairs !== "arena")
      printProgress("this model knows only the arena's language: do not expect it to find anything here");
    const sandbox = await openSandbox(flags);
    try {
      return await ask({ flags, pairs, model, sandbox, signal });
    } finally {
      await sandbox.close();
    }
  } finally {
    await shelf.close();
  }
}

interface Opened {
  readonly flags: AttackRunFlags;
  readonly pairs: readonly AttackPair[];
  readonly model: OpenedModel;
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
}

async function ask({ flags, pairs, model, sandbox, signal }: Opened) {
  const { policy, dialect } = model;
  const sampling = samplingOf(flags, model, { seed: flags.seed, stopStrings: dialect.attackStopStrings });
  const header = headerOf(flags, { model, sampling, sandbox });
  const record =
    flags.out === undefined ? AttackRecord.inMemory(header) : AttackRecord.open(flags.out, header);
  try {
    const evaluation = await evaluateIntoRecord({
      record,
      pairs,
      policy,
      dialect,
      court: courtOf(sandbox),
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

async function pairsOf({ pairs: source, limit }: AttackRunFlags): Promise<AttackPair[]> {
  if (source === "arena")
    return arenaPairs({ split: "held-out", perProblem: arenaPairsPerProblem }).slice(0, limit);
  const { records, refused } = await readPairSet(source, limit === undefined ? {} : { limit });
  const [first] = refused;
  if (first && records.length === 0) throw first.error;
  if (first) printProgress(`${refused.length} records cannot be read as pairs and are left out`);
  for (const { error } of refused.slice(0, shownRefusals)) printProgress(visible(`  ${error.message}`));
  return records.map(({ pair }) => pair);
}

function headerOf(
  { pairs, samples }: AttackRunFlags,
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

function courtOf(sandbox: Sandbox): Court {
  const [limits, cache] = [defaultLimits, new MemoryAnswerCache()];
  return { sandbox, limits, answers: new ReferenceAnswers({ sandbox, cache, limits }) };
}

function stageTeller({ out, checkPairs }: AttackRunFlags): (stage: AttackStage) => void {
  const isTime = seldom();
  return (stage) => {
    switch (stage.kind) {
      case "checking":
        if (stage.known > 0) printProgress(`${stage.known} of ${stage.pairs} pairs are already in ${out}`);
        if (checkPairs && stage.known < stage.pairs)
          printProgress(`checking ${stage.pairs - stage.known} pairs on their gold tests`);
        return;
      case "checks":
        if (isTime()) printProgress(`${stage.done} of ${stage.pairs} pairs checked`);
        return;
      case "checked":
        if (stage.skipped.length > 0) printProgress(`${stage.skipped.length} pairs are skipped`);
        if (stage.unchecked > 0)
          printProgress(`${stage.unchecked} pairs cannot be checked and are used as they are`);
        return;
      case "asking":
        if (stage.pairs + stage.correctPrograms > 0)
          printProgress(
            `showing ${stage.pairs} wrong and ${stage.correctPrograms} correct programs to the model`,
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
    printProgress(`${done} of ${total} programs${soFar}`);
  };
}
