/** Puts together what the shards of a batch report: values by record, sums as means. */
import type { ObjectiveStatistics } from "../engine.ts";
import { needsBehaviour, type Objective, referencePenalty } from "../objective.ts";
import { completionLength, type TokenSequence } from "../token-batch.ts";
import type { TargetSums } from "./microbatch-pass.ts";
import type { Microbatch, ShardedBatch } from "./row-batch.ts";
import type { WorkResult } from "./thread-messages.ts";

/** The shards that have anything to do; results come back in this order. */
export function nonEmpty(shards: ShardedBatch): { shard: number; microbatches: readonly Microbatch[] }[] {
  return shards.flatMap((microbatches, shard) => (microbatches.length > 0 ? [{ shard, microbatches }] : []));
}

export function logprobsByRecord(
  sequences: readonly TokenSequence[],
  shards: ShardedBatch,
  results: readonly WorkResult[],
): number[][] {
  const lengths = sequences.map(completionLength);
  const all = new Float32Array(lengths.reduce((sum, length) => sum + length, 0));
  nonEmpty(shards).forEach(({ microbatches }, index) => {
    microbatches.forEach((microbatch, which) => {
      const logprobs = results[index]!.logprobs![which]!;
      microbatch.targetPlaces.forEach((place, target) => {
        all[place] = logprobs[target]!;
      });
    });
  });
  let start = 0;
  return lengths.map((length) => {
    start += length;
    return Array.from(all.subarray(start - length, start));
  });
}

export function statisticsOf(sums: TargetSums, objective: Objective): ObjectiveStatistics {
  const mean = (sum: number) => sum / sums.tokens;
  return {
    tokens: sums.tokens,
    entropy: mean(sums.entropy),
    ...(needsBehaviour(objective) && {
      ratio: mean(sums.ratio),
      largestRatio: sums.largestRatio,
      clippedFraction: mean(sums.clipped),
      dualClippedFraction: mean(sums.dualClipped),
      behaviourDivergence: mean(sums.behaviourDivergence),
    }),
    ...(referencePenalty(objective) !== undefined && { referenceDivergence: mean(sums.referenceDivergence) }),
  };
}
