/** The adversarial side of an ATGEN run: the pool of pairs with its journal, and whoever writes harder programs. */
import path from "node:path";
import type { Adversary } from "../adversaries/adversary.ts";
import { AttackPool, type PoolChange } from "../adversaries/attack-pool.ts";
import { bankAdversary } from "../adversaries/bank-adversary.ts";
import { passingFailure } from "../adversaries/find-adversary.ts";
import { instructionAdversary } from "../adversaries/instruction-adversary.ts";
import { mutationAdversary } from "../adversaries/mutation-adversary.ts";
import { ProgramBank } from "../adversaries/program-bank.ts";
import { samplingAdversary } from "../adversaries/sampling-adversary.ts";
import { collectSamples } from "../engine/collect-samples.ts";
import type { OpenAIEngineOptions } from "../engine/openai/openai-engine.ts";
import { SparringError } from "../errors.ts";
import { ModelShelf } from "../evaluation/open-model.ts";
import type { AttackPair } from "../problems/attack-pair.ts";
import { readPairs } from "../problems/read-pairs.ts";
import { Journal } from "../runs/journal.ts";
import type { AttackGround } from "./attack-step.ts";
import type { TrainingConfig } from "./config.ts";
import type { Team } from "./open-players.ts";
import type { ProblemSet } from "./problem-set.ts";

/** A program is short; a problem needs no more of them to choose from. */
const mostProgramsPerProblem = 64;
/** A step waits for the adversary, so a server is asked for the next programs while the last ones are judged. */
const chunksAhead = 2;

/** How many of the training problems a bank has programs for. */
export interface BankCoverage {
  readonly covered: number;
  readonly problems: number;
}

interface OpeningOptions {
  readonly folder: string;
  readonly problemSet: ProblemSet;
  readonly team: Team;
  /** Where the journal stood at the checkpoint that the run continues from. */
  readonly position: number | undefined;
  /** Hears why a server does not answer; it may later. */
  readonly onDown?: (reason: string) => void;
  /** Hears of a bank that has programs for some of the problems only. */
  readonly onPartialBank?: (coverage: BankCoverage) => void;
  readonly signal?: AbortSignal;
}

export class RunAdversaries {
  readonly ground: AttackGround;
  readonly #journal: Journal<PoolChange>;
  readonly #shelf: ModelShelf;

  private constructor(ground: AttackGround, journal: Journal<PoolChange>, shelf: ModelShelf) {
    this.ground = ground;
    this.#journal = journal;
    this.#shelf = shelf;
  }

  static async open(config: TrainingConfig, options: OpeningOptions): Promise<RunAdversaries> {
    const pairs = options.problemSet.pairs.training;
    const pool = new AttackPool(pairs);
    await askOnce(config, options);
    const shelf = new ModelShelf({ endpoint: endpointOf(config) });
    const adversary = await openAdversary(config, { ...options, pairs, shelf }).catch(async (error) => {
      await shelf.close();
      throw error;
    });
    const journal = new Journal<PoolChange>({
      file: path.join(options.folder, "adversary", "pool.jsonl"),
      bytes: options.position,
      apply: (change) => pool.apply(change),
    });
    return new RunAdversaries({ pairs, pool, adversary }, journal, shelf);
  }

  record(changes: readonly PoolChange[]): void {
    this.#journal.record(changes);
  }

  checkpoint(): number {
    return this.#journal.checkpoint();
  }

  async close(): Promise<void> {
    this.#journal.close();
    await this.#shelf.close();
  }
}

function endpointOf({ atgen }: TrainingConfig): OpenAIEngineOptions {
  const { baseUrl, apiKeyVariable, chunk, timeoutSeconds, retries, concurrency } = atgen.adversary;
  // A chunk of which a program is lost has others; one of which nothing is left says why.
  const onFailure = "skip-some";
  const calls = { samplesPerCall: chunk, timeoutSeconds, retries, concurrency };
  return { baseUrl, apiKeyVariable, ...calls, onFailure, names: settingNames };
}

/** What a hint tells the user to change: a run has no option --base-url. */
const settingNames = {
  baseUrl: "atgen.adversary.baseUrl",
  apiKeyVariable: "atgen.adversary.apiKeyVariable",
  concurrency: "atgen.adversary.concurrency",
  maxTokens: "atgen.adversary.maxTokens",
  temperature: "atgen.adversary.temperature",
  topP: "atgen.adversary.topP",
};

/** The model that is asked over the network; undefined where the adversary is in this process. */
export function servedAdversary({ method, atgen }: TrainingConfig): string | undefined {
  const { kind, model } = atgen.adversary;
  if (method.kind !== "atgen" || atgen.mode === "none") return undefined;
  if (kind !== "sampling" && kind !== "instruction") return undefined;
  return model?.toLowerCase().startsWith("openai:") ? model : undefined;
}

/**
 * Opens the adversary and closes it again: files, names and addresses are checked, and no server is asked. Without a
 * team the run's own code model is taken to be good.
 */
export async function checkAdversary(
  config: TrainingConfig,
  options: Pick<OpeningOptions, "problemSet" | "onPartialBank"> & { readonly team?: Team },
): Promise<void> {
  const shelf = new ModelShelf({ endpoint: endpointOf(config) });
  try {
    await openAdversary(config, { ...options, pairs: options.problemSet.pairs.training, shelf });
  } finally {
    await shelf.close();
  }
}

/**
 * A wrong key or name is noticed now, not at the step that needs the adversary. A server that is down may be there by
 * then: it is asked a single time, and the run goes on.
 */
async function askOnce(config: TrainingConfig, { onDown, signal }: OpeningOptions): Promise<void> {
  const { adversary } = config.atgen;
  const served = servedAdversary(config);
  if (served === undefined) return;
  const shelf = new ModelShelf({ endpoint: { ...endpointOf(config), retries: 0 } });
  try {
    const { policy } = await shelf.open({ text: served, role: "code" });
    const messages = [{ role: "user", content: "Reply with OK." }] as const;
    const settings = {
      temperature: adversary.temperature,
      topP: adversary.topP,
      maxTokens: adversary.maxTokens ?? config.sampling.codeTokens,
      seed: config.seed,
    };
    const request = { prompt: { kind: "messages", messages }, samples: 1 } as const;
    await collectSamples(policy, [request], settings, signal && { signal });
  } catch (error) {
    const reason = signal?.aborted ? undefined : passingFailure(error);
    if (reason === undefined) throw error;
    onDown?.(reason);
  } finally {
    await shelf.close();
  }
}

async function openAdversary(
  config: TrainingConfig,
  options: Pick<OpeningOptions, "problemSet" | "onPartialBank"> & {
    readonly team?: Team;
    readonly pairs: readonly AttackPair[];
    readonly shelf: ModelShelf;
  },
): Promise<Adversary | undefined> {
  const { atgen, sampling } = config;
  const { adversary } = atgen;
  if (atgen.mode === "none") return undefined;
  if (adversary.kind === "mutation") return mutationAdversary();
  if (adversary.kind === "bank") return bankAdversary(await openBank(adversary.bankPath, options));
  const own = options.team && { policy: options.team.players.code, dialect: options.problemSet.dialect };
  const model =
    adversary.model === undefined ? own : await options.shelf.open({ text: adversary.model, role: "code" });
  if (!model) return undefined;
  const settings = {
    policy: model.policy,
    dialect: model.dialect,
    temperature: adversary.temperature,
    topP: adversary.topP,
    maxTokens: adversary.maxTokens ?? sampling.codeTokens,
    chunk: adversary.chunk,
    ahead: servedAdversary(config) === undefined ? 0 : chunksAhead,
  };
  return adversary.kind === "sampling" ? samplingAdversary(settings) : instructionAdversary(settings);
}

async function openBank(
  bankPath: string | undefined,
  { pairs, onPartialBank }: Pick<OpeningOptions, "onPartialBank"> & { readonly pairs: readonly AttackPair[] },
): Promise<ProgramBank> {
  const bank = new ProgramBank({ mostPerProblem: mostProgramsPerProblem });
  const known = bankPath === undefined ? pairs : await readPairs(bankPath);
  for (const { problem, buggy } of known) bank.add({ problemId: problem.id, source: buggy });
  const wanted = [...new Set(pairs.map(({ problem }) => problem.id))];
  const covered = wanted.filter((id) => bank.programs(id).length > 0).length;
  if (covered === 0 && wanted.length > 0) {
    throw new SparringError({
      code: "config-invalid",
      message: `atgen.adversary.bankPath: ${bankPath} has no program for any of the ${wanted.length} training problems`,
      hint: `A bank's programs belong to the training problems by their ids, such as '${wanted[0]}' ('${known[0]?.problem.id}' in the bank). Without bankPath the training pairs' own programs are used.`,
    });
  }
  if (covered < wanted.length) onPartialBank?.({ covered, problems: wanted.length });
  return bank;
}
