/** What a decoder is asked for and what it answers, and when a completion is over. */
import type { StopReason } from "../completion.ts";
import type { RandomStream } from "./random.ts";
import { endId } from "./tokenizer.ts";

/** A prompt and some of the completions wanted of it. */
export interface SampleUnit {
  readonly unit: number;
  /** Address of the snapshot's weights. */
  readonly parameters: number;
  readonly prompt: Int32Array;
  readonly samples: readonly { readonly index: number; readonly stream: RandomStream }[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly topP: number;
  readonly stopTokenIds: readonly number[];
  /** Stop strings as token ids: a token is a character. */
  readonly stopSequences: readonly (readonly number[])[];
}

export interface FinishedSample {
  readonly unit: number;
  readonly index: number;
  readonly tokenIds: Int32Array;
  readonly logprobs: Float32Array;
  readonly stopReason: StopReason;
}

/** Whether the last of `count` tokens ends the completion. */
export function stopReasonOf(unit: SampleUnit, tokenIds: Int32Array, count: number): StopReason | undefined {
  const token = tokenIds[count - 1]!;
  if (token === endId) return "end";
  if (unit.stopTokenIds.includes(token)) return "stop";
  for (const sequence of unit.stopSequences) {
    const from = count - sequence.length;
    if (from >= 0 && sequence.every((id, i) => tokenIds[from + i] === id)) return "stop";
  }
  return count === unit.maxTokens ? "length" : undefined;
}
