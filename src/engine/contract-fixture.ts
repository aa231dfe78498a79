/** What the parts of the engine contract share: an open engine, policies that are disposed after each test, inputs. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type SampleRequest, type SamplingSettings, trainingSampling } from "./completion.ts";
import type { Engine, FrozenPolicy, PolicySpec, TrainablePolicy } from "./engine.ts";
import { adamDefaults, type OptimizerSettings } from "./optimizer.ts";
import type { TokenSequence, TrainingRecord } from "./token-batch.ts";

/** What an adapter may do without. */
export type Lack = "training" | "scoring" | "tokens" | "deterministic";

export interface EngineContractOptions {
  readonly open: () => Promise<Engine>;
  /** Must agree with what the engine says of itself. What is lacking must be refused in so many words. */
  readonly lacks: readonly Lack[];
  /** A small model: the suite trains it for some steps. */
  readonly model: PolicySpec["model"];
  /** Largest difference between log-probabilities that should be the same. Left out or 0 demands the same bits. */
  readonly tolerance?: number;
  /** A rate at which a few steps change the model visibly; left out for engines that do not train. */
  readonly learningRate?: number;
}

export const sampling: SamplingSettings = { ...trainingSampling, maxTokens: 12, seed: 5 };
export const prompts = ["reverse: abc", "sum of 1 2 3", "x"];
/** Questions and answers to be learnt. */
export const lesson = [
  ["reverse: abc", "cba"],
  ["reverse: hello", "olleh"],
  ["x", "y"],
] as const;

export interface ContractFixture {
  readonly engine: Engine;
  /** A folder that is removed at the end. */
  readonly folder: string;
  readonly optimizer: OptimizerSettings;
  readonly model: PolicySpec["model"];
  has(ability: Lack): boolean;
  openFrozen(role?: string): Promise<FrozenPolicy>;
  open(role?: string, seed?: number): Promise<TrainablePolicy>;
  expectSame(actual: readonly (readonly number[])[], expected: readonly (readonly number[])[]): void;
}

/** Call inside `describe`: registers what opens and closes the engine. */
export function contractFixture(options: EngineContractOptions): ContractFixture {
  let engine: Engine | undefined;
  let folder = "";
  const opened: FrozenPolicy[] = [];
  beforeAll(async () => {
    engine = await options.open();
    folder = await mkdtemp(path.join(tmpdir(), "sparring-engine-"));
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((policy) => policy.dispose()));
  });
  afterAll(async () => {
    await engine?.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    get engine() {
      return engine!;
    },
    get folder() {
      return folder;
    },
    optimizer: { ...adamDefaults, learningRate: options.learningRate ?? 0 },
    model: options.model,
    has: (ability) => !options.lacks.includes(ability),
    async openFrozen(role = "code") {
      const policy = await engine!.openFrozen({ role, model: options.model, seed: 1 });
      opened.push(policy);
      return policy;
    },
    async open(role = "code", seed = 1) {
      const policy = await engine!.openPolicy({ role, model: options.model, seed });
      opened.push(policy);
      return policy;
    },
    expectSame(actual, expected) {
      expect(actual.map((row) => row.length)).toEqual(expected.map((row) => row.length));
      const differences = actual.flatMap((row, i) =>
        row.map((value, j) => Math.abs(value - expected[i]![j]!)),
      );
      expect(Math.max(...differences)).toBeLessThanOrEqual(options.tolerance ?? 0);
    },
  };
}

export function request(content: string, samples = 2): SampleRequest {
  return { prompt: { kind: "messages", messages: [{ role: "user", content }] }, samples, key: content };
}

/** A question and its answer, with the same coefficient for each token of the answer. */
export function recordOf(
  policy: FrozenPolicy,
  [prompt, answer]: readonly [string, string],
  coefficient = 0.1,
): TrainingRecord {
  const promptIds = policy.renderPrompt([{ role: "user", content: prompt }]);
  const answerIds = [...policy.tokenizer.encode(answer), policy.tokenizer.endTokenId];
  return {
    tokenIds: [...promptIds, ...answerIds],
    promptLength: promptIds.length,
    coefficients: answerIds.map(() => coefficient),
  };
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Mean log-probability of each sequence. */
export async function scoreMean(
  policy: TrainablePolicy,
  sequences: readonly TokenSequence[],
): Promise<number[]> {
  return (await policy.score(sequences)).map(mean);
}
