/**
 * The port to models that can sample and learn. The training loops see only this; an adapter may run in this
 * process or reach a server. No adapter's vocabulary appears here.
 *
 * Life of a policy: open → sample from the published snapshot → accumulate gradients (any number of calls) →
 * step → publish → sample … Sampling always uses the newest published snapshot at the moment of the call; steps
 * taken since do not show until `publish`. Opening a policy publishes what it starts from.
 *
 * Every number is defined for SUM reduction (see `TrainingRecord.coefficients`), and a training token is always
 * the sampler's own.
 *
 * @example
 * const engine = await openEmbeddedEngine({ threads: 2 });
 * const policy = await engine.openPolicy({ role: "code", model: { kind: "named", name: "small" }, seed: 1 });
 * for await (const { completion } of policy.sample(requests, { ...trainingSampling, maxTokens: 80, seed: 7 })) {
 *   // judge it while the others are still being sampled
 * }
 * const { statistics } = await policy.accumulate(batch, clippedRatio);
 * await policy.step({ ...adamDefaults, learningRate: 3e-4 });
 * await policy.publish();
 */
import type { ChatMessage, SampledCompletion, SampleRequest, SamplingSettings } from "./completion.ts";
import type { Objective } from "./objective.ts";
import type { OptimizerSettings, StepReport } from "./optimizer.ts";
import type { TokenSequence, TrainingBatch } from "./token-batch.ts";

export interface Engine {
  describe(): EngineDescription;
  openPolicy(spec: PolicySpec): Promise<TrainablePolicy>;
  /** A policy that never learns: references, evaluation, a fixed opponent. Costs no optimizer state. */
  openFrozen(spec: PolicySpec): Promise<FrozenPolicy>;
  /** Disposes every policy that is still open. */
  close(): Promise<void>;
}

export interface PolicySpec {
  /** Whose model this is, for example `code` or `test`; recorded in every completion. */
  readonly role: string;
  readonly model: ModelSource;
  /** Which parameters learn. Left out: all of them. */
  readonly trains?: TrainedParameters;
  /** Decides freshly drawn parameters. */
  readonly seed: number;
}

/** A model the engine knows by name, or one in a folder that `exportWeights` or `saveState` wrote. */
export type ModelSource =
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "folder"; readonly path: string };

export type TrainedParameters =
  | { readonly kind: "all" }
  | { readonly kind: "low-rank"; readonly rank: number; readonly alpha: number };

export interface FrozenPolicy {
  describe(): PolicyDescription;
  readonly tokenizer: Tokenizer;
  /** The token ids of a conversation in this model's own format, ready for the model to answer. */
  renderPrompt(messages: readonly ChatMessage[]): readonly number[];
  /**
   * Streams completions as they finish, in no promised order. Leaving the loop early, or aborting, drops what is
   * still running. Calls may overlap: they share the machine, and none changes another's result.
   */
  sample(
    requests: readonly SampleRequest[],
    settings: SamplingSettings,
    options?: { readonly signal?: AbortSignal },
  ): AsyncIterable<SampledCompletion>;
  /** Log-probabilities of each sequence's completion tokens under the weights as they are now. */
  score(sequences: readonly TokenSequence[]): Promise<readonly (readonly number[])[]>;
  dispose(): Promise<void>;
}

export interface TrainablePolicy extends FrozenPolicy {
  /**
   * Adds the batch's gradient to what the next step will use. A batch that is refused changes nothing; one whose
   * loss is not finite drops every gradient since the last step. The weights stay as they were in both cases.
   */
  accumulate(batch: TrainingBatch, objective: Objective): Promise<AccumulateReport>;
  /** Applies the accumulated gradient and clears it. Where that is impossible the weights stay as they were. */
  step(settings: OptimizerSettings): Promise<StepReport>;
  /** Makes the weights of this moment the ones that sampling uses. */
  publish(): Promise<PolicySnapshot>;
  /** Writes weights, optimizer and counters into a folder. Gradients not yet stepped are not part of it. */
  saveState(folder: string): Promise<void>;
  /** Continues exactly where `saveState` left, and publishes the loaded weights. */
  loadState(folder: string): Promise<PolicySnapshot>;
  /** Writes what other programs need to use the model; returns the files. */
  exportWeights(folder: string): Promise<readonly string[]>;
}

export interface PolicySnapshot {
  /** Grows with each publish; 0 is what the policy was opened with. */
  readonly version: number;
  /** Optimizer steps that these weights have behind them. */
  readonly step: number;
}

export interface Tokenizer {
  /** Content only: no control token ever comes out of a text. */
  encode(text: string): readonly number[];
  /** Control tokens decode to nothing. */
  decode(tokenIds: readonly number[]): string;
  /** What a finished completion ends with. */
  readonly endTokenId: number;
  readonly vocabularySize: number;
}

export interface AccumulateReport {
  /** Of each record's completion tokens, before this batch's gradient is applied. */
  readonly logprobs: readonly (readonly number[])[];
  /** Summed over the batch. */
  readonly loss: number;
  readonly statistics: ObjectiveStatistics;
}

/** Means over the completion tokens of a batch. What an objective does not have is left out. */
export interface ObjectiveStatistics {
  readonly tokens: number;
  /** Entropy of the next-token distribution, in nats. */
  readonly entropy?: number;
  readonly ratio?: number;
  readonly largestRatio?: number;
  readonly clippedFraction?: number;
  readonly dualClippedFraction?: number;
  /** mean of b − l: how far the policy moved from the one that sampled. */
  readonly behaviourDivergence?: number;
  readonly referenceDivergence?: number;
}

export interface PolicyDescription {
  readonly role: string;
  readonly model: string;
  readonly parameters?: number;
  /** Prompt and completion together. Left out where the engine does not know. */
  readonly contextLength?: number;
  readonly snapshot: PolicySnapshot;
}

export interface EngineDescription {
  readonly kind: string;
  readonly abilities: EngineAbilities;
  /** For people and for the run's manifest. */
  readonly details: Readonly<Record<string, string | number | boolean>>;
}

export interface EngineAbilities {
  readonly training: boolean;
  readonly scoring: boolean;
  readonly objectives: readonly Objective["kind"][];
  readonly referencePenalty: boolean;
  readonly trains: readonly TrainedParameters["kind"][];
  /** Whether completions carry token ids and log-probabilities. */
  readonly tokens: boolean;
  /** Whether sampling that began before `publish` keeps the snapshot it began with. */
  readonly immutableSnapshots: boolean;
  /** Same seed, same inputs: the same bits, also after `loadState`. */
  readonly deterministic: boolean;
  readonly savesState: boolean;
}
