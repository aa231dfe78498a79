/**
 * One question to a model, asked in the way that its server takes, and asked again while there is hope. Counts what it
 * does. What the server turned down once is remembered for all later calls.
 */
import { setTimeout as wait } from "node:timers/promises";
import { CallFault } from "./call-fault.ts";
import { type ChatReply, readReply } from "./chat-reply.ts";
import { type ChatAsk, type ChatBody, chatRequest } from "./chat-request.ts";
import type { Endpoint } from "./endpoint.ts";
import { retryDelay } from "./retry-delay.ts";
import {
  adaptedHabits,
  defaultHabits,
  plainestHabits,
  type ServerHabits,
  withoutField,
} from "./server-habits.ts";

/** What asking a server has cost and brought so far. */
export interface EndpointUsage {
  readonly calls: number;
  /** Calls that were made again after a failure. */
  readonly retries: number;
  readonly completions: number;
  /** Samples that were given up. */
  readonly lost: number;
  /** As the server counts; 0 from one that does not. */
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** How to wait, and with which luck. */
export interface Pacing {
  readonly retries: number;
  readonly sleep: (seconds: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

export const realPacing: Omit<Pacing, "retries"> = {
  sleep: (seconds, signal) => wait(seconds * 1000, undefined, { signal }),
  random: Math.random,
};

/** A server that never answered is probably not there: nobody wants to wait half a minute to hear that. */
const firstContactRetries = 2;

export class ChatClient {
  readonly endpoint: Endpoint;
  readonly usage: { -readonly [Field in keyof EndpointUsage]: number } = {
    calls: 0,
    retries: 0,
    completions: 0,
    lost: 0,
    promptTokens: 0,
    completionTokens: 0,
  };
  readonly #pacing: Pacing;
  #habits: ServerHabits = defaultHabits;
  /** Whether a call in the present way has ever succeeded. */
  #proven = false;
  #reached = false;
  #lostInARow = 0;

  constructor(endpoint: Endpoint, pacing: Pacing) {
    this.endpoint = endpoint;
    this.#pacing = pacing;
  }

  /** Whether several samples can be asked for at once. */
  get takesSeveral(): boolean {
    return !this.#habits.dropped.has("n");
  }

  /** Several samples at once do not work here, though the server did not say so. */
  askOneByOne(): void {
    this.#habits = withoutField(this.#habits, "n");
  }

  countCompletion(): void {
    this.#lostInARow = 0;
    this.usage.completions += 1;
  }

  /** Gives how many calls were given up since the last completion. */
  countLost(samples: number): number {
    this.#lostInARow += 1;
    this.usage.lost += samples;
    return this.#lostInARow;
  }

  /** One call that is answered, however many calls it takes to find out how the server wants to be asked. */
  async ask(ask: ChatAsk, signal: AbortSignal): Promise<ChatReply> {
    let habits = this.#habits;
    for (;;) {
      // Another call may have found out meanwhile that only one sample can be had at a time.
      const samples = habits.dropped.has("n") ? 1 : ask.samples;
      const body = chatRequest({ ...ask, samples }, habits);
      try {
        const reply = await this.#call(body, { signal, stopStrings: ask.settings.stopStrings ?? [] });
        if (habits !== this.#habits) this.#learn(habits);
        this.#proven = true;
        return reply;
      } catch (error) {
        const other = this.#otherWay(habits, body, error);
        if (other === undefined) throw error;
        habits = other;
      }
    }
  }

  /** Waits before the next try, or gives up by throwing the fault. `retry` is 1 before the second try. */
  async pauseAfter(
    fault: CallFault,
    { retry, signal }: { retry: number; signal: AbortSignal },
  ): Promise<void> {
    const { retries, sleep, random } = this.#pacing;
    const most =
      fault.kind === "unreachable" && !this.#reached ? Math.min(retries, firstContactRetries) : retries;
    if (fault.kind === "refused" || retry > most) throw fault;
    this.usage.retries += 1;
    const { retryAfterSeconds } = fault;
    await sleep(retryDelay({ retry, retryAfterSeconds, random: random() }), signal);
  }

  async #call(
    body: ChatBody,
    { signal, stopStrings }: { signal: AbortSignal; stopStrings: readonly string[] },
  ): Promise<ChatReply> {
    this.usage.calls += 1;
    let text: string;
    try {
      text = await this.endpoint.post(body, signal);
    } catch (error) {
      if (error instanceof CallFault && error.kind !== "unreachable") this.#reached = true;
      throw error;
    }
    this.#reached = true;
    const reply = readReply(text, stopStrings);
    this.usage.promptTokens += reply.promptTokens;
    this.usage.completionTokens += reply.completionTokens;
    return reply;
  }

  #learn(habits: ServerHabits): void {
    this.#habits = {
      dropped: new Set([...this.#habits.dropped, ...habits.dropped]),
      lengthField: habits.lengthField,
    };
  }

  #otherWay(habits: ServerHabits, sent: ChatBody, error: unknown): ServerHabits | undefined {
    if (!(error instanceof CallFault) || (error.status !== 400 && error.status !== 422)) return undefined;
    const named = adaptedHabits(habits, { sent, complaint: error.message });
    if (named) return named;
    // Once this way of asking has worked, the complaint is about the question itself.
    return this.#proven ? undefined : plainestHabits(habits, sent);
  }
}
