/**
 * Token sequences with what training needs to know about them. A record is a prompt followed by a completion;
 * only the completion's tokens are scored and trained. Every list beside `tokenIds` has one entry for each
 * completion token, in order.
 */
import { SparringError } from "../errors.ts";
import type { Completion } from "./completion.ts";
import { needsBehaviour, type Objective, referencePenalty } from "./objective.ts";

/** A prompt and a completion, as one list of token ids. */
export interface TokenSequence {
  readonly tokenIds: readonly number[];
  /** How many of the leading tokens are the prompt. At least 1: something must predict the first token. */
  readonly promptLength: number;
}

export interface TrainingRecord extends TokenSequence {
  /**
   * Weight of each completion token in a loss that is the plain SUM over all tokens of all records between two
   * steps: advantage × normalisation for the ratio objectives, weight × normalisation for cross-entropy. Adapters
   * whose server averages rescale; callers never have to know. Zero masks a token.
   */
  readonly coefficients: readonly number[];
  /** Log-probabilities under the policy that sampled the tokens: needed by the ratio objectives. */
  readonly behaviourLogprobs?: readonly number[];
  /** Log-probabilities under the frozen reference: needed by the reference penalty. */
  readonly referenceLogprobs?: readonly number[];
  /** Weight of each token in the reference penalty (normalisation without the advantage). Zero masks a token. */
  readonly penaltyWeights?: readonly number[];
}

export type TrainingBatch = readonly TrainingRecord[];

export function completionLength(sequence: TokenSequence): number {
  return sequence.tokenIds.length - sequence.promptLength;
}

/** The sequence that a completion was sampled as. */
export function sequenceOf(completion: Completion): TokenSequence {
  return {
    tokenIds: [...completion.promptTokenIds, ...completion.tokenIds],
    promptLength: completion.promptTokenIds.length,
  };
}

export function checkSequences(sequences: readonly TokenSequence[]): void {
  if (sequences.length === 0) refuse("The batch is empty.", "Leave out the call, or check what filtered it.");
  sequences.forEach((sequence, index) => {
    const { promptLength, tokenIds } = sequence;
    if (!Number.isInteger(promptLength) || promptLength < 1)
      refuse(
        `Record ${index}: promptLength is ${promptLength}; at least one token must come before the completion.`,
      );
    if (tokenIds.length <= promptLength)
      refuse(
        `Record ${index} has ${tokenIds.length} tokens, ${promptLength} of them prompt: its completion is empty.`,
      );
    tokenIds.forEach((id, position) => {
      if (!Number.isInteger(id) || id < 0)
        refuse(`Record ${index}, token ${position}: ${id} is not a token id.`);
    });
  });
}

/** Refuses what would poison the weights: missing, short or non-finite inputs. */
export function checkBatch(batch: TrainingBatch, objective: Objective): void {
  checkSequences(batch);
  batch.forEach((record, index) => {
    const length = completionLength(record);
    checkList(record.coefficients, { name: "coefficients", index, length });
    if (needsBehaviour(objective)) {
      checkList(record.behaviourLogprobs, { name: "behaviourLogprobs", index, length });
    }
    if (referencePenalty(objective) !== undefined) {
      checkList(record.referenceLogprobs, { name: "referenceLogprobs", index, length });
      checkList(record.penaltyWeights, { name: "penaltyWeights", index, length });
      if (record.penaltyWeights!.some((weight) => weight < 0))
        refuse(`Record ${index}: a penaltyWeight is negative; that would reward leaving the reference.`);
    }
  });
}

function checkList(
  list: readonly number[] | undefined,
  where: { name: string; index: number; length: number },
): void {
  const { name, index, length } = where;
  if (list === undefined) refuse(`Record ${index} has no ${name}, which the objective needs.`);
  if (list.length !== length)
    refuse(`Record ${index}: ${list.length} ${name} for ${length} completion tokens.`);
  list.forEach((value, token) => {
    if (!Number.isFinite(value)) refuse(`Record ${index}, completion token ${token}: ${name} is ${value}.`);
  });
}

function refuse(message: string, hint?: string): never {
  throw new SparringError({ code: "engine-batch-invalid", message, ...(hint === undefined ? {} : { hint }) });
}
