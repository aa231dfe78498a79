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

interface OpeningOptions {
  readonly folder: string;
  readonly problemSet: ProblemSet;
  readonly team: Team;
  /** Where the journal stood at the checkpoint that the run continues from. */
  readonly position: number | undefined;
  /** Hears why a server does not answer; it may later. */
  readonly onDown?: (reason: string) => void;
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
    const adversary = await openAdversary(config, { ...options, pairs, shelf });
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
  return { baseUrl, apiKeyVariable, samplesPerCall: chunk, timeoutSeconds, retries, concurrency, onFailure };
}

/**
 * A wrong key or name is noticed now, not at the step that needs the adversary. A server that is down may be there by
 * then: it is asked a single time, and the run goes on.
 */
async function askOnce(config: TrainingConfig, { onDown, signal }: OpeningOptions): Promise<void> {
  const { mode, adversary } = config.atgen;
  if (mode === "none" || (adversary.kind !== "sampling" && adversary.kind !== "instruction")) return;
  if (!adversary.model?.toLowerCase().startsWith("openai:")) return;
  const shelf = new ModelShelf({ endpoint: { ...endpointOf(config), retries: 0 } });
  try {
    const { policy } = await shelf.open({ text: adversary.model, role: "code" });
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
  { atgen, sampling }: TrainingConfig,
  options: { problemSet: ProblemSet; team: Team; pairs: readonly AttackPair[]; shelf: ModelShelf },
): Promise<Adversary | undefined> {
  const { adversary } = atgen;
  if (atgen.mode === "none") return undefined;
  if (adversary.kind === "mutation") return mutationAdversary();
  if (adversary.kind === "bank") {
    const bank = new ProgramBank({ mostPerProblem: mostProgramsPerProblem });
    const known = adversary.bankPath === undefined ? options.pairs : await readPairs(adversary.bankPath);
    for (const { problem, buggy } of known) bank.add({ problemId: problem.id, source: buggy });
    return bankAdversary(bank);
  }
  const own = { policy: options.team.players.code, dialect: options.problemSet.dialect };
  const model =
    adversary.model === undefined ? own : await options.shelf.open({ text: adversary.model, role: "code" });
  const settings = {
    policy: model.policy,
    dialect: model.dialect,
    temperature: adversary.temperature,
    topP: adversary.topP,
    maxTokens: adversary.maxTokens ?? sampling.codeTokens,
    chunk: adversary.chunk,
  };
  return adversary.kind === "sampling" ? samplingAdversary(settings) : instructionAdversary(settings);
}
