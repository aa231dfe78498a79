/**
 * From completions and advantages to the records an engine trains on. Aggregation is the mean over all tokens of a
 * mini-batch (Code-A1's `token-mean`): each token's coefficient is its sequence's advantage divided by that number, and
 * the reference penalty has the same weight without the advantage, so that engines may simply sum.
 */
import type { Completion } from "../engine/completion.ts";
import { sequenceOf, type TrainingRecord } from "../engine/token-batch.ts";

export interface AdvantagedCompletion {
  readonly completion: Completion;
  readonly advantage: number;
  /** Log-probabilities under the frozen reference, where the objective has a penalty. */
  readonly referenceLogprobs?: readonly number[];
}

export function trainingRecords(miniBatch: readonly AdvantagedCompletion[]): TrainingRecord[] {
  const tokens = miniBatch.reduce((sum, { completion }) => sum + completion.tokenIds.length, 0);
  return miniBatch.map(({ completion, advantage, referenceLogprobs }) => {
    const length = completion.tokenIds.length;
    return {
      ...sequenceOf(completion),
      coefficients: new Array<number>(length).fill(advantage / tokens),
      behaviourLogprobs: completion.logprobs,
      ...(referenceLogprobs && {
        referenceLogprobs,
        penaltyWeights: new Array<number>(length).fill(1 / tokens),
      }),
    };
  });
}

/** Consecutive slices of at most `size` groups; the groups of a question are never torn. */
export function miniBatches<Group>(groups: readonly Group[], size: number): Group[][] {
  const batches: Group[][] = [];
  for (let start = 0; start < groups.length; start += size) batches.push(groups.slice(start, start + size));
  return batches;
}
