/**
 * Samples completions of one policy in one thread. Prompts are read once and shared by their completions; all
 * running completions advance together, one token each per `tick`, whenever they arrived. Nothing is allocated
 * between a completion's first and last token.
 */
import { BlockPool, blockBytes, blockPositions, blocksFor, layerBlockBytes } from "./block-pool.ts";
import { chooseToken, heaviest } from "./choose-token.ts";
import type { MemoryViews } from "./microbatch-pass.ts";
import { attendSegments, forwardHead, forwardRows, type ModelPass } from "./model-pass.ts";
import { paddedOutputs } from "./parameter-layout.ts";
import { type RandomStream, uniform } from "./random.ts";
import { type FinishedSample, type SampleUnit, stopReasonOf } from "./sample-unit.ts";
import { outputCount } from "./tokenizer.ts";

/** Most completions that advance together in one thread. */
export const decoderRows = 64;
/** Most completions of one prompt that are admitted together. */
export const samplesPerUnit = 8;

interface RunningSample {
  readonly unit: SampleUnit;
  readonly index: number;
  readonly stream: RandomStream;
  readonly tokenIds: Int32Array;
  readonly logprobs: Float32Array;
  readonly blocks: readonly number[];
  /** Where this completion's list of blocks lies in memory. */
  readonly table: number;
  count: number;
}

export interface DecoderPlace {
  /** Of `decoderTableBytes` and the blocks behind it. */
  readonly address: number;
  readonly blockCount: number;
}

/** Bytes of the block lists of all running completions. */
export function decoderTableBytes(context: number): number {
  return decoderRows * blocksFor(context) * 4;
}

/** Blocks that any unit can be admitted with: fewer could wait for ever. */
export function fewestBlocks(context: number): number {
  return (samplesPerUnit + 1) * blocksFor(context);
}

export class Decoder {
  readonly #pass: Omit<ModelPass, "parameters">;
  readonly #views: MemoryViews;
  readonly #pool: BlockPool;
  readonly #freeTables: number[];
  readonly #finished: (sample: FinishedSample) => void;
  readonly #weights: Float32Array;
  #waiting: SampleUnit[] = [];
  #running: RunningSample[] = [];

  constructor(options: {
    pass: Omit<ModelPass, "parameters">;
    views: MemoryViews;
    place: DecoderPlace;
    finished: (sample: FinishedSample) => void;
  }) {
    const { pass, views, place } = options;
    const { shape } = pass;
    this.#pass = pass;
    this.#views = views;
    this.#finished = options.finished;
    const tableBytes = blocksFor(shape.context) * 4;
    this.#freeTables = Array.from({ length: decoderRows }, (_, row) => place.address + row * tableBytes);
    const address = place.address + decoderTableBytes(shape.context);
    this.#pool = new BlockPool({ address, blockBytes: blockBytes(shape), count: place.blockCount });
    // Drawing needs the weights of one row at a time, when attention has no use for its scratch.
    const scratch = pass.workspace.scratch >> 2;
    this.#weights = views.floats.subarray(scratch, scratch + outputCount);
  }

  get busy(): boolean {
    return this.#running.length > 0 || this.#waiting.length > 0;
  }

  add(unit: SampleUnit): void {
    this.#waiting.push(unit);
  }

  cancel(unit: number): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting.unit !== unit);
    const dropped = this.#running.filter((sample) => sample.unit.unit === unit);
    this.#running = this.#running.filter((sample) => sample.unit.unit !== unit);
    for (const sample of dropped) this.#release(sample);
  }

  /** Admits what fits, then advances every running completion by one token. */
  tick(): void {
    while (this.#waiting.length > 0 && this.#fits(this.#waiting[0]!)) this.#admit(this.#waiting.shift()!);
    for (const [parameters, samples] of this.#bySnapshot()) this.#advance(parameters, samples);
    if (this.#running.some((sample) => sample.count < 0))
      this.#running = this.#running.filter((sample) => sample.count >= 0);
  }

  /** Snapshots differ only while completions from before a publish are still running. */
  #bySnapshot(): Iterable<[number, readonly RunningSample[]]> {
    const first = this.#running[0];
    if (first === undefined) return [];
    const { parameters } = first.unit;
    if (this.#running.every((sample) => sample.unit.parameters === parameters))
      return [[parameters, this.#running]];
    const groups = new Map<number, RunningSample[]>();
    for (const sample of this.#running) {
      const group = groups.get(sample.unit.parameters);
      if (group === undefined) groups.set(sample.unit.parameters, [sample]);
      else group.push(sample);
    }
    return groups;
  }

  #fits(unit: SampleUnit): boolean {
    const shared = Math.floor(unit.prompt.length / blockPositions);
    const own = blocksFor(unit.prompt.length + unit.maxTokens) - shared;
    return (
      this.#freeTables.length >= unit.samples.length &&
      this.#pool.available >= blocksFor(unit.prompt.length) + unit.samples.length * own
    );
  }

  #admit(unit: SampleUnit): void {
    const { shape, kernels } = this.#pass;
    const { integers } = this.#views;
    const length = unit.prompt.length;
    const promptBlocks = Array.from({ length: blocksFor(length) }, () => this.#pool.take());
    const sharedCount = Math.floor(length / blockPositions);
    const total = blocksFor(length + unit.maxTokens);
    const samples = unit.samples.map(({ index, stream }): RunningSample => {
      const blocks = promptBlocks.slice(0, sharedCount);
      for (const block of blocks) this.#pool.hold(block);
      while (blocks.length < total) blocks.push(this.#pool.take());
      const table = this.#freeTables.pop()!;
      integers.set(blocks, table >> 2);
      return {
        unit,
        index,
        stream,
        tokenIds: new Int32Array(unit.maxTokens),
        logprobs: new Float32Array(unit.maxTokens),
        blocks,
        table,
        count: 0,
      };
    });
    this.#readPrompt(unit, promptBlocks);
    if (sharedCount < promptBlocks.length) {
      for (const sample of samples)
        kernels.copyBytes(sample.blocks[sharedCount]!, promptBlocks[sharedCount]!, blockBytes(shape));
    }
    for (const block of promptBlocks) this.#pool.release(block);
    for (const sample of samples) this.#draw(sample, 0);
    this.#running.push(...samples.filter((sample) => sample.count >= 0));
  }

  /** Fills the prompt's blocks and leaves the logits of its last token in row 0. */
  #readPrompt(unit: SampleUnit, blocks: readonly number[]): void {
    const pass = { ...this.#pass, parameters: unit.parameters };
    const { kernels, shape, workspace } = pass;
    const { integers } = this.#views;
    const length = unit.prompt.length;
    integers.set(unit.prompt, workspace.tokens >> 2);
    for (let i = 0; i < length; i++) integers[(workspace.positions >> 2) + i] = i;
    // The prompt needs its list of blocks only while it is read; the slopes are unused in sampling.
    const table = workspace.slopes;
    integers.set(blocks, table >> 2);
    const attend = attendSegments(pass, Int32Array.of(0, length, 0, 0));
    forwardRows(pass, length, (layer, at) => {
      const { address, stride } = at.projected;
      kernels.cacheRows(address, stride, shape.width, length, 0, table, layer * layerBlockBytes(shape));
      attend(layer, at);
    });
    integers[workspace.headRows >> 2] = length - 1;
    forwardHead(pass, 1);
  }

  #advance(parameters: number, samples: readonly RunningSample[]): void {
    const pass = { ...this.#pass, parameters };
    const { kernels, shape, workspace } = pass;
    const { integers } = this.#views;
    samples.forEach((sample, row) => {
      integers[(workspace.tokens >> 2) + row] = sample.tokenIds[sample.count - 1]!;
      integers[(workspace.positions >> 2) + row] = sample.unit.prompt.length + sample.count - 1;
      integers[(workspace.headRows >> 2) + row] = row;
    });
    forwardRows(pass, samples.length, (layer, { projected, attended }) => {
      const layerOffset = layer * layerBlockBytes(shape);
      samples.forEach(({ unit, count, table }, row) => {
        const position = unit.prompt.length + count - 1;
        const query = projected.address + row * projected.stride;
        const out = attended.address + row * attended.stride;
        kernels.cacheRows(query, projected.stride, shape.width, 1, position, table, layerOffset);
        kernels.attentionDecode(query, shape.width, position + 1, table, layerOffset, out, workspace.scratch);
      });
    });
    forwardHead(pass, samples.length);
    samples.forEach((sample, row) => {
      this.#draw(sample, row);
    });
  }

  /** Draws the next token from the logits in a row. A finished completion is reported and marked with count −1. */
  #draw(sample: RunningSample, row: number): void {
    const { kernels, workspace } = this.#pass;
    const { floats } = this.#views;
    const { unit, count } = sample;
    const logits = workspace.logits.address + row * workspace.logits.stride;
    const logSum = floats[(workspace.logSums >> 2) + row]!;
    const tempered = (zero: number, temperature: number) =>
      kernels.temperedWeights(logits, paddedOutputs, zero, 1 / temperature, workspace.scratch);
    tempered(logSum, 1);
    // At low temperatures every weight could vanish unless the largest logit is taken as the zero.
    if (unit.temperature !== 1 && unit.temperature > 0)
      tempered(floats[(logits >> 2) + heaviest(this.#weights)]!, unit.temperature);
    const token =
      unit.temperature === 0
        ? heaviest(this.#weights)
        : chooseToken(this.#weights, unit.topP, uniform(sample.stream, count));
    sample.tokenIds[count] = token;
    sample.logprobs[count] = floats[(logits >> 2) + token]! - logSum;
    sample.count = count + 1;
    const stopReason = stopReasonOf(unit, sample.tokenIds, sample.count);
    if (stopReason === undefined) return;
    this.#finished({
      unit: unit.unit,
      index: sample.index,
      tokenIds: sample.tokenIds.slice(0, sample.count),
      logprobs: sample.logprobs.slice(0, sample.count),
      stopReason,
    });
    this.#release(sample);
    sample.count = -1;
  }

  #release(sample: RunningSample): void {
    for (const block of sample.blocks) this.#pool.release(block);
    this.#freeTables.push(sample.table);
  }
}
