/**
 * Published snapshots of a policy and sampling from them. A snapshot is a copy of the weights; it is freed when a
 * newer one is published and the last call that samples from it has ended.
 */
import { SparringError } from "../../errors.ts";
import type { Completion, SampledCompletion, SampleRequest, SamplingSettings } from "../completion.ts";
import type { PolicySnapshot } from "../engine.ts";
import { blockBytes, blocksFor } from "./block-pool.ts";
import { decoderRows, decoderTableBytes, fewestBlocks } from "./decoder.ts";
import type { EngineCore } from "./engine-core.ts";
import type { ModelShape } from "./model-shape.ts";
import { randomStream } from "./random.ts";
import { type OrderedSample, SampleScheduler } from "./sample-scheduler.ts";
import type { Region } from "./shared-memory.ts";
import { characterTokenizer, renderMessages } from "./tokenizer.ts";

/** Most memory that a thread's key-value cache of one policy may take. Pages are only touched when used. */
const cacheBytes = 96 * 1024 * 1024;

interface ShelvedSnapshot extends PolicySnapshot {
  readonly weights: Region;
  users: number;
}

/** Decoders of all policies of a process. */
let nextDecoder = 0;

export class PolicySampler {
  readonly #core: EngineCore;
  readonly #place: { role: string; shape: ModelShape; rotationTables: Region };
  readonly #decoder = nextDecoder++;
  #scheduler: SampleScheduler | undefined;
  #caches: readonly Region[] = [];
  #snapshot: ShelvedSnapshot | undefined;

  constructor(core: EngineCore, place: { role: string; shape: ModelShape; rotationTables: Region }) {
    this.#core = core;
    this.#place = place;
  }

  get snapshot(): PolicySnapshot {
    const { version, step } = this.#snapshot!;
    return { version, step };
  }

  publish(weights: Region, { version, step }: PolicySnapshot): void {
    const copy = this.#core.memory.allocate(weights.bytes, `a snapshot of policy '${this.#place.role}'`);
    this.#core.kernels.copyBytes(copy.address, weights.address, weights.bytes);
    const former = this.#snapshot;
    this.#snapshot = { version, step, weights: copy, users: 0 };
    if (former !== undefined && former.users === 0) this.#core.memory.release(former.weights);
  }

  /** Requests and settings have been checked; prompts have not. */
  sample(
    requests: readonly SampleRequest[],
    settings: SamplingSettings,
    signal: AbortSignal | undefined,
  ): AsyncIterable<SampledCompletion> {
    signal?.throwIfAborted();
    const prompts = requests.map((request, index) => this.#promptOf(request, index));
    const { context } = this.#place.shape;
    const snapshot = this.#snapshot!;
    const orders = requests.map((request, index) => ({
      prompt: Int32Array.from(prompts[index]!),
      maxTokens: Math.min(settings.maxTokens, context - prompts[index]!.length),
      streams: Array.from({ length: request.samples }, (_, sample) =>
        randomStream(settings.seed, request.key ?? `#${index}`, sample),
      ),
    }));
    const stopStrings = settings.stopStrings ?? [];
    const unitSettings = {
      parameters: snapshot.weights.address,
      temperature: settings.temperature,
      topP: settings.topP,
      stopTokenIds: settings.stopTokenIds ?? [],
      stopSequences: stopStrings.map((text) => characterTokenizer.encode(text)),
    };
    const scheduler = this.#openScheduler();
    snapshot.users++;
    const { stream, cancel } = scheduler.start(orders, unitSettings, () => {
      signal?.removeEventListener("abort", abort);
      if (--snapshot.users === 0 && snapshot !== this.#snapshot) this.#core.memory.release(snapshot.weights);
    });
    const abort = () => void cancel(signal!.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const finish = ({ orderIndex, sample }: OrderedSample): SampledCompletion => {
      const tokenIds = Array.from(sample.tokenIds);
      const text = characterTokenizer.decode(tokenIds);
      const completion: Completion = {
        text: sample.stopReason === "stop" ? withoutStop(text, stopStrings) : text,
        tokenIds,
        logprobs: Array.from(sample.logprobs),
        promptTokenIds: prompts[orderIndex]!,
        stopReason: sample.stopReason,
        role: this.#place.role,
        policyVersion: snapshot.version,
      };
      return { requestIndex: orderIndex, sampleIndex: sample.index, completion };
    };
    return mapAsync(stream, finish);
  }

  async close(): Promise<void> {
    const reason = new SparringError({
      code: "engine-policy-disposed",
      message: `Policy '${this.#place.role}' was disposed while it was sampling.`,
    });
    const { pool, memory } = this.#core;
    const decoder = this.#decoder;
    if (this.#scheduler !== undefined) {
      await this.#scheduler.close(reason);
      const threads = Array.from({ length: pool.size }, (_, thread) => thread);
      await Promise.all(
        // Threads that are gone use no memory any more.
        threads.map((thread) =>
          pool.request(thread, (job) => ({ kind: "close-decoder", decoder, job })).catch(() => {}),
        ),
      );
    }
    for (const cache of this.#caches) memory.release(cache);
    if (this.#snapshot !== undefined) memory.release(this.#snapshot.weights);
    this.#snapshot = undefined;
  }

  #openScheduler(): SampleScheduler {
    if (this.#scheduler !== undefined) return this.#scheduler;
    const { pool, memory } = this.#core;
    const { shape, rotationTables, role } = this.#place;
    const perBlock = blockBytes(shape);
    const most = decoderRows * blocksFor(shape.context);
    const blockCount = Math.min(
      most,
      Math.max(fewestBlocks(shape.context), Math.floor(cacheBytes / perBlock)),
    );
    const bytes = decoderTableBytes(shape.context) + blockCount * perBlock;
    const workspace = this.#core.workspaces(shape, "inference");
    this.#caches = memory.allocateMany(pool.size, bytes, `the cache of policy '${role}'`);
    this.#caches.forEach(({ address }, thread) => {
      const place = { shape, rotationTables: rotationTables.address, workspace: workspace(thread) };
      pool.post(thread, {
        kind: "open-decoder",
        decoder: this.#decoder,
        place,
        cache: { address, blockCount },
      });
    });
    this.#scheduler = new SampleScheduler(pool, this.#decoder);
    return this.#scheduler;
  }

  #promptOf({ prompt }: SampleRequest, index: number): readonly number[] {
    const ids = prompt.kind === "tokens" ? prompt.tokenIds : renderMessages(prompt.messages);
    const { context } = this.#place.shape;
    const refuse = (message: string, hint?: string): never => {
      throw new SparringError({
        code: "engine-prompt-invalid",
        message: `Prompt ${index} for policy '${this.#place.role}' ${message}`,
        ...(hint === undefined ? {} : { hint }),
      });
    };
    if (ids.length === 0) refuse("is empty.");
    if (ids.length >= context)
      refuse(
        `has ${ids.length} tokens; the context holds ${context}, the answer included.`,
        "Shorten the prompt or use a model with a longer context.",
      );
    const { vocabularySize } = characterTokenizer;
    const bad = ids.find((id) => !Number.isInteger(id) || id < 0 || id >= vocabularySize);
    if (bad !== undefined) refuse(`has the token ${bad}; tokens go from 0 to ${vocabularySize - 1}.`);
    return ids;
  }
}

function withoutStop(text: string, stopStrings: readonly string[]): string {
  const stop = stopStrings.find((candidate) => text.endsWith(candidate));
  return stop === undefined ? text : text.slice(0, -stop.length);
}

function mapAsync<From, To>(source: AsyncIterable<From>, map: (value: From) => To): AsyncIterable<To> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]();
      return {
        async next() {
          const result = await iterator.next();
          return result.done ? { done: true, value: undefined } : { done: false, value: map(result.value) };
        },
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
