/**
 * Gradients and optimizer of one policy. Gradients are summed shard by shard in a fixed order (see `row-batch.ts`),
 * squares for the norm chunk by chunk in a fixed order: nothing here depends on the number of threads.
 */
import { SparringError } from "../../errors.ts";
import type { AccumulateReport } from "../engine.ts";
import type { Objective } from "../objective.ts";
import type { OptimizerSettings, StepReport } from "../optimizer.ts";
import type { TokenSequence, TrainingBatch } from "../token-batch.ts";
import type { EngineCore } from "./engine-core.ts";
import { addSums, emptySums } from "./microbatch-pass.ts";
import type { ModelShape } from "./model-shape.ts";
import type { ParameterLayout } from "./parameter-layout.ts";
import type { PolicyState } from "./policy-files.ts";
import { shardBatch, shardCount } from "./row-batch.ts";
import { logprobsByRecord, nonEmpty, statisticsOf } from "./shard-results.ts";
import type { Region } from "./shared-memory.ts";
import type { DecayRange, PassPlace } from "./thread-messages.ts";

/** Floats whose squares are summed by themselves. */
const chunkSize = 65536;

export interface TrainerPlace {
  readonly role: string;
  readonly shape: ModelShape;
  readonly layout: ParameterLayout;
  readonly parameters: Region;
  readonly rotationTables: Region;
}

/** One run of values for each: they are allocated together. */
interface TrainingMemory {
  readonly gradients: readonly Region[];
  readonly mean: Region;
  readonly square: Region;
  readonly transposed: Region;
  /** List of the addresses of gradient buffers. */
  readonly buffers: Region;
}

export class PolicyTrainer {
  readonly #core: EngineCore;
  readonly #place: TrainerPlace;
  #memory: TrainingMemory | undefined;
  /** Shards whose buffer holds a gradient of the step to come. */
  #touched = new Set<number>();
  step = 0;

  constructor(core: EngineCore, place: TrainerPlace) {
    this.#core = core;
    this.#place = place;
  }

  async score(sequences: readonly TokenSequence[]): Promise<number[][]> {
    const shards = shardBatch(sequences, this.#place.shape.context);
    const workspace = this.#core.workspaces(this.#place.shape, "inference");
    const results = await this.#core.pool.runAll(
      nonEmpty(shards).map(
        ({ microbatches }) =>
          (thread) =>
            ({ kind: "score", place: this.#passPlace(workspace(thread)), microbatches }) as const,
      ),
    );
    return logprobsByRecord(sequences, shards, results);
  }

  async accumulate(batch: TrainingBatch, objective: Objective): Promise<AccumulateReport> {
    const memory = await this.#trainingMemory();
    const shards = shardBatch(batch, this.#place.shape.context);
    const workspace = this.#core.workspaces(this.#place.shape, "training");
    const used = nonEmpty(shards);
    const results = await this.#core.pool.runAll(
      used.map(
        ({ shard, microbatches }) =>
          (thread) =>
            ({
              kind: "train",
              place: this.#passPlace(workspace(thread)),
              microbatches,
              objective,
              transposed: memory.transposed.address,
              gradient: memory.gradients[shard]!.address,
              start: this.#touched.has(shard) ? "add" : "zero",
            }) as const,
      ),
    );
    for (const { shard } of used) this.#touched.add(shard);
    const sums = emptySums();
    for (const result of results) addSums(sums, result.sums!);
    if (!Number.isFinite(sums.loss)) this.#diverged("the loss is not finite");
    return {
      logprobs: logprobsByRecord(batch, shards, results),
      loss: sums.loss,
      statistics: statisticsOf(sums, objective),
    };
  }

  async takeStep(settings: OptimizerSettings): Promise<StepReport> {
    if (this.#memory === undefined || this.#touched.size === 0) {
      throw new SparringError({
        code: "engine-nothing-accumulated",
        message: `Policy '${this.#place.role}' has no gradient for step ${this.step + 1}.`,
        hint: "Call accumulate before step.",
      });
    }
    const { mean, square, gradients } = this.#memory;
    const ordered = [...this.#touched].sort((a, b) => a - b).map((shard) => gradients[shard]!.address);
    const gradientNorm = Math.sqrt(await this.#reduce(ordered));
    const { learningRate, betas, epsilon, weightDecay, gradientClip } = settings;
    const gradientScale = gradientClip === undefined ? 1 : Math.min(1, gradientClip / (gradientNorm + 1e-6));
    if (!Number.isFinite(gradientNorm)) this.#diverged("the gradient is not finite");
    // The optimizer keeps squares in single precision; beyond this they would overflow and never recover.
    if (gradientNorm * gradientScale > 1e18) this.#diverged(`the gradient's norm is ${gradientNorm}`);
    const step = this.step + 1;
    const update = {
      parameters: this.#place.parameters.address,
      gradient: ordered[0]!,
      mean: mean.address,
      square: square.address,
      beta1: betas[0],
      beta2: betas[1],
      epsilon,
      stepSize: learningRate / (1 - betas[0] ** step),
      secondScale: 1 / Math.sqrt(1 - betas[1] ** step),
      gradientScale,
    };
    const chunks = this.#chunks(1 - learningRate * weightDecay);
    await this.#core.pool.runAll(
      this.#portions(chunks).map((ranges) => () => ({ kind: "adam", update, ranges }) as const),
    );
    this.#touched.clear();
    this.step = step;
    await this.#refreshTransposed();
    return { step, gradientNorm, gradientScale };
  }

  /** Copies of the optimizer's state; nothing before the first step. */
  optimizerState(): { mean: Float32Array; square: Float32Array } | undefined {
    if (this.#memory === undefined || this.step === 0) return undefined;
    const { mean, square } = this.#memory;
    const { size } = this.#place.layout;
    const copy = (region: Region) => this.#core.memory.floats(region).slice(0, size);
    return { mean: copy(mean), square: copy(square) };
  }

  /** Takes over a saved state. Whatever can fail comes before the first change. */
  async restore(state: Pick<PolicyState, "weights" | "step" | "optimizer">): Promise<void> {
    const { weights, step, optimizer } = state;
    const memory = optimizer === undefined ? this.#memory : await this.#trainingMemory();
    this.#core.memory.floats(this.#place.parameters).set(weights);
    if (memory !== undefined) {
      this.#core.memory
        .floats(memory.mean)
        .fill(0)
        .set(optimizer?.mean ?? []);
      this.#core.memory
        .floats(memory.square)
        .fill(0)
        .set(optimizer?.square ?? []);
    }
    this.#touched.clear();
    this.step = step;
    await this.#refreshTransposed();
  }

  release(): void {
    if (this.#memory === undefined) return;
    const { gradients, ...others } = this.#memory;
    for (const region of [...gradients, ...Object.values(others)]) this.#core.memory.release(region);
    this.#memory = undefined;
  }

  /** The backward pass reads transposed copies of the matrices; they follow every change of the weights. */
  async #refreshTransposed(): Promise<void> {
    if (this.#memory === undefined) return;
    const { layout, shape, parameters } = this.#place;
    const transposed = this.#memory.transposed.address;
    const matrices = layout.tensors.flatMap((tensor, index) => (tensor.layout === "panels" ? [index] : []));
    await this.#core.pool.runAll(
      this.#portions(matrices).map(
        (tensors) => () =>
          ({ kind: "transpose", shape, parameters: parameters.address, transposed, tensors }) as const,
      ),
    );
  }

  async #trainingMemory(): Promise<TrainingMemory> {
    if (this.#memory !== undefined) return this.#memory;
    const { layout, role } = this.#place;
    const purpose = `the gradients and the optimizer of policy '${role}'`;
    const runs = this.#core.memory.allocateMany(shardCount + 4, layout.size * 4, purpose);
    const [mean, square, transposed, buffers, ...gradients] = runs as [
      Region,
      Region,
      Region,
      Region,
      ...Region[],
    ];
    this.#memory = { gradients, mean, square, transposed, buffers };
    await this.#refreshTransposed();
    return this.#memory;
  }

  /** Sums the buffers into the first and returns the squared norm. */
  async #reduce(buffers: readonly number[]): Promise<number> {
    const { memory, pool } = this.#core;
    const list = this.#memory!.buffers;
    new Uint32Array(memory.memory.buffer, list.address, buffers.length).set(buffers);
    const results = await pool.runAll(
      this.#portions(this.#chunks(1)).map(
        (ranges) => () => ({ kind: "reduce", buffers: list.address, count: buffers.length, ranges }) as const,
      ),
    );
    return results.flatMap((result) => result.squares!).reduce((sum, squares) => sum + squares, 0);
  }

  #chunks(keepDecayed: number): DecayRange[] {
    const { decayedSize, size } = this.#place.layout;
    const chunks: DecayRange[] = [];
    const cut = (from: number, to: number, keep: number) => {
      for (let at = from; at < to; at += chunkSize)
        chunks.push({ offset: at * 4, bytes: Math.min(chunkSize, to - at) * 4, keep });
    };
    cut(0, decayedSize, keepDecayed);
    cut(decayedSize, size, 1);
    return chunks;
  }

  /** One run of neighbours for each thread. */
  #portions<Item>(items: readonly Item[]): Item[][] {
    const { size } = this.#core.pool;
    const share = Math.ceil(items.length / size);
    return Array.from({ length: size }, (_, i) => items.slice(i * share, (i + 1) * share)).filter(
      (portion) => portion.length > 0,
    );
  }

  #passPlace(workspace: number): PassPlace {
    const { shape, parameters, rotationTables } = this.#place;
    return { shape, parameters: parameters.address, rotationTables: rotationTables.address, workspace };
  }

  #diverged(what: string): never {
    this.#touched.clear();
    throw new SparringError({
      code: "engine-diverged",
      message: `Policy '${this.#place.role}' diverged in step ${this.step + 1}: ${what}.`,
      hint: `The weights are still those after step ${this.step}. Lower the learning rate or clip gradients harder.`,
    });
  }
}
