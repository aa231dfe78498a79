/**
 * What goes into sampling and what comes out. A completion carries the sampler's own token ids and
 * log-probabilities: training uses these, never text that was encoded again (encoding is not the inverse of
 * decoding, and a re-encoded text can smuggle in control tokens).
 */
import { SparringError } from "../errors.ts";

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** Messages are rendered by the policy's own chat format; token ids are taken as they are. */
export type Prompt =
  | { readonly kind: "messages"; readonly messages: readonly ChatMessage[] }
  | { readonly kind: "tokens"; readonly tokenIds: readonly number[] };

export interface SampleRequest {
  readonly prompt: Prompt;
  /** How many completions of this prompt; the prompt itself is computed once for all of them. */
  readonly samples: number;
  /**
   * Names this request's random stream. Together with the seed it decides every draw, so the same key gives the
   * same completions whatever else is sampled at the same time. Defaults to the request's index in the call.
   */
  readonly key?: string;
}

export interface SamplingSettings {
  /** 0 always takes the most likely token. Training wants 1. */
  readonly temperature: number;
  /** Draws only from the most likely tokens that together have this probability. Training wants 1. */
  readonly topP: number;
  readonly maxTokens: number;
  readonly seed: number;
  /** Ends a completion, besides the model's own end token. The token stays in `tokenIds`. */
  readonly stopTokenIds?: readonly number[];
  /** Ends a completion as soon as its text contains one of these. Cut off `text`, kept in `tokenIds`. */
  readonly stopStrings?: readonly string[];
}

/** What training rollouts use: the model's own distribution, so that log-probabilities mean what they say. */
export const trainingSampling = { temperature: 1, topP: 1 } as const;

/** `end`: the model said it was done. `stop`: the caller's token or string. `length`: no tokens or context left. */
export type StopReason = "end" | "stop" | "length";

export interface Completion {
  /** Without the end token and without the stop string. */
  readonly text: string;
  /** Every token that was sampled, a final end or stop token included. Empty where the engine hides tokens. */
  readonly tokenIds: readonly number[];
  /** Of each sampled token under the untempered, untruncated distribution. Empty where the engine hides them. */
  readonly logprobs: readonly number[];
  readonly promptTokenIds: readonly number[];
  readonly stopReason: StopReason;
  readonly role: string;
  readonly policyVersion: number;
}

/** Completions arrive as they finish; the indices say which of them this is. */
export interface SampledCompletion {
  readonly requestIndex: number;
  readonly sampleIndex: number;
  readonly completion: Completion;
}

export function checkSampling(requests: readonly SampleRequest[], settings: SamplingSettings): void {
  const refuse = (message: string): never => {
    throw new SparringError({ code: "engine-sampling-invalid", message });
  };
  if (requests.length === 0) refuse("Nothing to sample: the list of requests is empty.");
  requests.forEach((request, index) => {
    if (!Number.isInteger(request.samples) || request.samples < 1)
      refuse(
        `Request ${index} asks for ${request.samples} samples; it must be a whole number of at least 1.`,
      );
  });
  const { temperature, topP, maxTokens, seed } = settings;
  if (!Number.isFinite(temperature) || temperature < 0)
    refuse(`temperature is ${temperature}; it must be 0 or more.`);
  if (!(topP > 0 && topP <= 1)) refuse(`topP is ${topP}; it must be above 0 and at most 1.`);
  if (!Number.isInteger(maxTokens) || maxTokens < 1)
    refuse(`maxTokens is ${maxTokens}; it must be a whole number of at least 1.`);
  if (!Number.isSafeInteger(seed)) refuse(`seed is ${seed}; it must be a whole number.`);
  if (settings.stopStrings?.includes("")) refuse("A stop string is empty; it would stop everything.");
}
