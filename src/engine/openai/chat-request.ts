/** The body of one call, in the words that the server takes. */
import { createHash } from "node:crypto";
import type { ChatMessage, SamplingSettings } from "../completion.ts";
import type { ServerHabits } from "./server-habits.ts";

export interface ChatAsk {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly settings: SamplingSettings;
  readonly samples: number;
  readonly seed: number;
}

export interface ChatBody {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly temperature?: number;
  readonly top_p?: number;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly n?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
}

/** OpenAI takes no more; we cut at the others ourselves. */
const mostStopStrings = 4;

export function chatRequest(ask: ChatAsk, { dropped, lengthField }: ServerHabits): ChatBody {
  const { temperature, topP, maxTokens, stopStrings = [] } = ask.settings;
  const sends = (field: Parameters<typeof dropped.has>[0], value: number) =>
    !dropped.has(field) || value !== 1;
  return {
    model: ask.model,
    messages: ask.messages.map(({ role, content }) => ({ role, content })),
    [lengthField]: maxTokens,
    // Always said: a server's own defaults may come with the model and differ from 1.
    ...(sends("temperature", temperature) && { temperature }),
    ...(sends("top_p", topP) && { top_p: topP }),
    ...(ask.samples > 1 && { n: ask.samples }),
    ...(!dropped.has("seed") && { seed: ask.seed }),
    ...(!dropped.has("stop") && stopStrings.length > 0 && { stop: stopStrings.slice(0, mostStopStrings) }),
  };
}

/** 31 bits, which every server takes. `redraw` counts answers that were no answer: the same seed would repeat them. */
export function seedOf(draw: {
  readonly seed: number;
  readonly key: string;
  readonly sampleIndex: number;
  readonly redraw: number;
}): number {
  const text = JSON.stringify([draw.seed, draw.key, draw.sampleIndex, draw.redraw]);
  return createHash("sha256").update(text).digest().readUInt32BE(0) >>> 1;
}
