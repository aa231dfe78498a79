/**
 * A policy of the embedded engine: the port's calls, checked and put in order. Whatever touches the weights waits
 * for its turn; sampling does not, because it reads a snapshot.
 */
import { SparringError } from "../../errors.ts";
import {
  type ChatMessage,
  checkSampling,
  type SampledCompletion,
  type SampleRequest,
  type SamplingSettings,
} from "../completion.ts";
import type {
  AccumulateReport,
  PolicyDescription,
  PolicySnapshot,
  Tokenizer,
  TrainablePolicy,
} from "../engine.ts";
import { checkObjective, type Objective } from "../objective.ts";
import { checkOptimizer, type OptimizerSettings, type StepReport } from "../optimizer.ts";
import { checkBatch, checkSequences, type TokenSequence, type TrainingBatch } from "../token-batch.ts";
import type { EngineCore } from "./engine-core.ts";
import type { ModelShape } from "./model-shape.ts";
import { layOut, type ParameterLayout } from "./parameter-layout.ts";
import { type PolicyState, readState, writeState, writeWeights } from "./policy-files.ts";
import { PolicySampler } from "./policy-sampler.ts";
import { PolicyTrainer } from "./policy-trainer.ts";
import { rotationTables } from "./rotation-tables.ts";
import type { Region } from "./shared-memory.ts";
import { characterTokenizer, outputCount, renderMessages, vocabularySize } from "./tokenizer.ts";

export interface PolicyStart {
  readonly role: string;
  /** Name or folder, for people. */
  readonly model: string;
  readonly shape: ModelShape;
  readonly weights: Float32Array;
  readonly disposed: () => void;
}

export class EmbeddedPolicy implements TrainablePolicy {
  readonly tokenizer: Tokenizer = characterTokenizer;
  readonly #core: EngineCore;
  readonly #start: Omit<PolicyStart, "weights">;
  readonly #layout: ParameterLayout;
  readonly #parameters: Region;
  readonly #rotationTables: Region;
  readonly #trainer: PolicyTrainer;
  readonly #sampler: PolicySampler;
  #turn: Promise<unknown> = Promise.resolve();
  #disposing: Promise<void> | undefined;

  constructor(core: EngineCore, { weights, ...start }: PolicyStart) {
    const { shape, role } = start;
    this.#core = core;
    this.#start = start;
    this.#layout = layOut(shape);
    const tables = rotationTables(shape.context);
    const bytes = Math.max(this.#layout.size * 4, tables.byteLength);
    const regions = core.memory.allocateMany(3, bytes, `the weights of policy '${role}'`);
    [this.#parameters, this.#rotationTables] = regions as [Region, Region, Region];
    // The third was asked for to be sure that the first snapshot has room.
    core.memory.release(regions[2]!);
    core.memory.floats(this.#rotationTables).set(tables);
    core.memory.floats(this.#parameters).set(weights);
    const place = { role, shape, rotationTables: this.#rotationTables };
    this.#trainer = new PolicyTrainer(core, { ...place, layout: this.#layout, parameters: this.#parameters });
    this.#sampler = new PolicySampler(core, place);
    this.#sampler.publish(this.#parameters, { version: 0, step: 0 });
  }

  describe(): PolicyDescription {
    const { role, model, shape } = this.#start;
    return {
      role,
      model,
      parameters: this.#layout.parameterCount,
      contextLength: shape.context,
      snapshot: this.#sampler.snapshot,
    };
  }

  renderPrompt(messages: readonly ChatMessage[]): readonly number[] {
    return renderMessages(messages);
  }

  sample(
    requests: readonly SampleRequest[],
    settings: SamplingSettings,
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncIterable<SampledCompletion> {
    this.#mustBeOpen();
    checkSampling(requests, settings);
    return this.#sampler.sample(requests, settings, options.signal);
  }

  score(sequences: readonly TokenSequence[]): Promise<readonly (readonly number[])[]> {
    return this.#inTurn(() => {
      checkSequences(sequences);
      this.#checkTokens(sequences);
      return this.#trainer.score(sequences);
    });
  }

  accumulate(batch: TrainingBatch, objective: Objective): Promise<AccumulateReport> {
    return this.#inTurn(() => {
      checkObjective(objective);
      checkBatch(batch, objective);
      this.#checkTokens(batch);
      return this.#trainer.accumulate(batch, objective);
    });
  }

  step(settings: OptimizerSettings): Promise<StepReport> {
    return this.#inTurn(() => {
      checkOptimizer(settings);
      return this.#trainer.takeStep(settings);
    });
  }

  publish(): Promise<PolicySnapshot> {
    return this.#inTurn(async () => {
      this.#sampler.publish(this.#parameters, {
        version: this.#sampler.snapshot.version + 1,
        step: this.#trainer.step,
      });
      return this.#sampler.snapshot;
    });
  }

  saveState(folder: string): Promise<void> {
    return this.#inTurn(() => writeState(folder, this.#state()));
  }

  exportWeights(folder: string): Promise<readonly string[]> {
    return this.#inTurn(async () => [await writeWeights(folder, this.#state())]);
  }

  loadState(folder: string): Promise<PolicySnapshot> {
    return this.#inTurn(async () => {
      const state = await readState(folder);
      const { shape, role } = this.#start;
      if (JSON.stringify(state.shape) !== JSON.stringify(shape)) {
        throw new SparringError({
          code: "engine-state-other-shape",
          message: `${folder} holds a model of the shape ${JSON.stringify(state.shape)}; policy '${role}' has ${JSON.stringify(shape)}.`,
        });
      }
      await this.#trainer.restore(state);
      this.#sampler.publish(this.#parameters, { version: state.version, step: state.step });
      return this.#sampler.snapshot;
    });
  }

  dispose(): Promise<void> {
    this.#disposing ??= (async () => {
      await this.#turn.catch(() => {});
      await this.#sampler.close();
      this.#trainer.release();
      this.#core.memory.release(this.#parameters);
      this.#core.memory.release(this.#rotationTables);
      this.#start.disposed();
    })();
    return this.#disposing;
  }

  #state(): PolicyState {
    const { version, step } = this.#sampler.snapshot;
    const optimizer = this.#trainer.optimizerState();
    return {
      shape: this.#start.shape,
      weights: this.#core.memory.floats(this.#parameters).slice(0, this.#layout.size),
      step: this.#trainer.step,
      // Loading publishes: weights that were not yet published get the version they would have got.
      version: step === this.#trainer.step ? version : version + 1,
      ...(optimizer === undefined ? {} : { optimizer }),
    };
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#mustBeOpen();
    const result = this.#turn.catch(() => {}).then(work);
    this.#turn = result;
    return result;
  }

  #mustBeOpen(): void {
    if (this.#disposing === undefined) return;
    throw new SparringError({
      code: "engine-policy-disposed",
      message: `Policy '${this.#start.role}' has been disposed.`,
    });
  }

  #checkTokens(sequences: readonly TokenSequence[]): void {
    const { context } = this.#start.shape;
    const refuse = (message: string): never => {
      throw new SparringError({ code: "engine-batch-invalid", message });
    };
    sequences.forEach(({ tokenIds, promptLength }, index) => {
      if (tokenIds.length > context)
        refuse(`Record ${index} has ${tokenIds.length} tokens; the context of this model is ${context}.`);
      tokenIds.forEach((id, position) => {
        const limit = position < promptLength ? vocabularySize : outputCount;
        if (id >= limit)
          refuse(
            `Record ${index}, token ${position}: the model cannot ${position < promptLength ? "read" : "produce"} the token ${id}.`,
          );
      });
    });
  }
}
