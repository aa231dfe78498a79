/**
 * One call of `sample`: the samples of a request are asked for in chunks, several to a call where the server can do
 * that, one by one where it cannot. Each completion is handed on as soon as it is there.
 */
import { setMaxListeners } from "node:events";
import type { SparringError } from "../../errors.ts";
import type { ChatMessage, SampledCompletion, SamplingSettings } from "../completion.ts";
import { CompletionStream } from "../completion-stream.ts";
import { CallFault } from "./call-fault.ts";
import type { ChatClient } from "./chat-client.ts";
import type { Choice } from "./chat-reply.ts";
import { seedOf } from "./chat-request.ts";
import type { FaultScope } from "./endpoint-error.ts";
import type { Gate } from "./gate.ts";
import type { OnFailure } from "./openai-settings.ts";

/** What all calls of one policy share. */
export interface SamplingSetup {
  readonly role: string;
  readonly model: string;
  readonly client: ChatClient;
  readonly gate: Gate;
  readonly samplesPerCall: number;
  readonly onFailure: OnFailure;
  readonly errorOf: (fault: CallFault, scope: FaultScope) => SparringError;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly samples: number;
  readonly key: string;
}

interface Chunk {
  readonly requestIndex: number;
  readonly sampleIndices: readonly number[];
}

interface Loss {
  readonly fault: CallFault;
  readonly scope: FaultScope;
}

/** What any model answers, if it is there and takes the settings. */
const easyQuestion = [{ role: "user", content: "Reply with OK." }] as const;

/** With `skip`: so many losses without a success in between mean that nothing is to be had here any more. */
const mostLostInARow = 32;

export class SamplingRun {
  readonly stream: CompletionStream<SampledCompletion>;
  readonly #setup: SamplingSetup;
  readonly #requests: readonly ChatRequest[];
  readonly #settings: SamplingSettings;
  readonly #stop = new AbortController();
  /** Prompts that were turned down; each counts as one loss, however many calls ask for its samples. */
  readonly #refused = new Set<number>();
  /** The easy question while it is under way: refusals that arrive meanwhile wait for the same answer. */
  #probe: Promise<boolean> | undefined;
  #lastLoss: Loss | undefined;
  #delivered = 0;

  constructor(setup: SamplingSetup, requests: readonly ChatRequest[], settings: SamplingSettings) {
    this.#setup = setup;
    this.#requests = requests;
    this.#settings = settings;
    // Every call under way listens to it.
    setMaxListeners(0, this.#stop.signal);
    this.stream = new CompletionStream(async () => this.#stop.abort());
  }

  /** Ends the stream with this reason and drops the calls that are under way. */
  abort(reason: unknown): void {
    this.stream.fail(reason);
    this.#stop.abort(reason);
  }

  /** Never rejects: what goes wrong ends the stream. */
  async execute(): Promise<void> {
    try {
      await Promise.all(this.#chunks().map((chunk) => this.#draw(chunk)));
      const loss = this.#lastLoss;
      if (loss && this.#hidesTooMuch(loss)) throw this.#setup.errorOf(loss.fault, loss.scope);
      this.stream.finish();
    } catch (error) {
      this.abort(error);
    }
  }

  /** Going on without lost samples must not hide that there never was a single one. */
  #hidesTooMuch({ scope }: Loss): boolean {
    const { onFailure, client } = this.#setup;
    if (onFailure === "skip-some") return this.#delivered === 0;
    return client.usage.completions === 0 && scope === "all";
  }

  #chunks(): Chunk[] {
    const { samplesPerCall } = this.#setup;
    return this.#requests.flatMap(({ samples }, requestIndex) => {
      const indices = Array.from({ length: samples }, (_, index) => index);
      const starts = indices.filter((index) => index % samplesPerCall === 0);
      return starts.map((start) => ({
        requestIndex,
        sampleIndices: indices.slice(start, start + samplesPerCall),
      }));
    });
  }

  async #draw(chunk: Chunk): Promise<void> {
    const { gate } = this.#setup;
    const remaining = await gate.run(() => this.#ask(chunk));
    const { requestIndex } = chunk;
    await Promise.all(remaining.map((index) => this.#draw({ requestIndex, sampleIndices: [index] })));
  }

  /** Gives the samples that have to be asked for one by one. */
  async #ask({ requestIndex, sampleIndices }: Chunk): Promise<readonly number[]> {
    const { client } = this.#setup;
    const { signal } = this.#stop;
    let wanted = sampleIndices;
    let redraw = 0;
    for (let retry = 0; wanted.length > 0; ) {
      signal.throwIfAborted();
      if (wanted.length > 1 && !client.takesSeveral) return wanted;
      try {
        const choices = this.#distinct(await this.#call({ requestIndex, sampleIndices: wanted }, redraw));
        const answered = wanted.slice(0, choices.length);
        if (answered.length === 1 && wanted.length > 1) client.askOneByOne();
        const lost = answered.filter((index, place) => !this.#deliver(requestIndex, index, choices[place]!));
        wanted = [...lost, ...wanted.slice(answered.length)];
        if (lost.length > 0) {
          redraw += 1;
          throw new CallFault("withheld", reasonOf(choices));
        }
      } catch (error) {
        if (!(error instanceof CallFault)) throw error;
        retry += 1;
        if (await this.#goesOn(error, retry)) continue;
        await this.#giveUp(error, { requestIndex, sampleIndices: wanted });
        return [];
      }
    }
    return [];
  }

  async #call({ requestIndex, sampleIndices }: Chunk, redraw: number): Promise<readonly Choice[]> {
    const { model, client } = this.#setup;
    const { messages, key } = this.#requests[requestIndex]!;
    const settings = this.#settings;
    const seed = seedOf({ seed: settings.seed, key, sampleIndex: sampleIndices[0]!, redraw });
    const ask = { model, messages, settings, samples: sampleIndices.length, seed };
    return (await client.ask(ask, this.#stop.signal)).choices;
  }

  /**
   * Some servers draw all samples of a call with the same luck. Copies are no samples, so of choices that are all the
   * same only the first one counts, and from then on samples are asked for one by one.
   */
  #distinct(choices: readonly Choice[]): readonly Choice[] {
    const texts = choices.map((choice) => (choice.kind === "text" ? choice.text : undefined));
    const copied = texts[0] !== undefined && texts.every((text) => text === texts[0]);
    return copied && this.#settings.temperature > 0 ? choices.slice(0, 1) : choices;
  }

  #deliver(requestIndex: number, sampleIndex: number, choice: Choice): boolean {
    if (choice.kind === "lost") return false;
    const { role, client } = this.#setup;
    client.countCompletion();
    this.#delivered += 1;
    const { text, stopReason } = choice;
    const hidden = { tokenIds: [], logprobs: [], promptTokenIds: [] };
    this.stream.push({
      requestIndex,
      sampleIndex,
      completion: { text, stopReason, ...hidden, role, policyVersion: 0 },
    });
    return true;
  }

  async #goesOn(fault: CallFault, retry: number): Promise<boolean> {
    try {
      await this.#setup.client.pauseAfter(fault, { retry, signal: this.#stop.signal });
      return true;
    } catch (error) {
      if (error === fault) return false;
      throw error;
    }
  }

  async #giveUp(fault: CallFault, chunk: Chunk): Promise<void> {
    const { onFailure, errorOf } = this.#setup;
    const scope = await this.#scopeOf(fault);
    this.#lastLoss = { fault, scope };
    const lostInARow = this.#countLost(chunk, scope);
    // Whoever is told of every loss decides alone whether it is one too many.
    if (onFailure === "throw") throw errorOf(fault, scope);
    const isGone = lostInARow >= mostLostInARow || (fault.kind === "refused" && scope === "all");
    if (isGone) throw errorOf(fault, "all");
  }

  /** Gives how many losses there were since the last completion, and 0 for one that was counted before. */
  #countLost({ requestIndex, sampleIndices }: Chunk, scope: FaultScope): number {
    const { client } = this.#setup;
    if (scope === "all") return client.countLost(sampleIndices.length);
    if (this.#refused.has(requestIndex)) {
      client.usage.lost += sampleIndices.length;
      return 0;
    }
    this.#refused.add(requestIndex);
    return client.countLost(sampleIndices.length);
  }

  /**
   * A complaint about the question says nothing about others, if the model answers any in this way of asking. What it
   * answered before proves nothing: credit and models go in the middle of a run, and some servers say so with HTTP 400.
   */
  async #scopeOf(fault: CallFault): Promise<FaultScope> {
    if (!mayBeAboutTheQuestion(fault)) return "all";
    this.#probe ??= this.#answersAnything().finally(() => {
      this.#probe = undefined;
    });
    return (await this.#probe) ? "prompt" : "all";
  }

  async #answersAnything(): Promise<boolean> {
    const { model, client } = this.#setup;
    const ask = { model, messages: easyQuestion, settings: this.#settings, samples: 1, seed: 1 };
    for (let retry = 1; ; retry += 1) {
      try {
        const { choices } = await client.ask(ask, this.#stop.signal);
        return choices.some(({ kind }) => kind === "text");
      } catch (error) {
        if (!(error instanceof CallFault)) throw error;
        if (!(await this.#goesOn(error, retry))) return false;
      }
    }
  }
}

/** Wrong key, model or address are not: no other question would fare better. */
function mayBeAboutTheQuestion({ kind, status = 0 }: CallFault): boolean {
  if (kind === "withheld") return true;
  return kind === "refused" && (status === 0 || status === 400 || status === 413 || status === 422);
}

function reasonOf(choices: readonly Choice[]): string {
  const lost = choices.find((choice) => choice.kind === "lost");
  return lost?.kind === "lost" ? lost.reason : "no text";
}
