/**
 * One micro-batch through the model: log-probabilities of its targets, and for training the objective's slope at
 * each of them carried back into the gradient run. Sums are kept in double precision and in the order of targets.
 */
import { type Objective, tokenLoss } from "../objective.ts";
import { type BackwardPass, backwardRows, distributionGradient } from "./backward-pass.ts";
import { attendSegments, forwardHead, forwardRows, type ModelPass } from "./model-pass.ts";
import type { Microbatch } from "./row-batch.ts";

/** Sums over targets; the means of a batch come from adding these up. */
export interface TargetSums {
  tokens: number;
  loss: number;
  entropy: number;
  ratio: number;
  largestRatio: number;
  clipped: number;
  dualClipped: number;
  behaviourDivergence: number;
  referenceDivergence: number;
}

export function emptySums(): TargetSums {
  return {
    tokens: 0,
    loss: 0,
    entropy: 0,
    ratio: 0,
    largestRatio: 0,
    clipped: 0,
    dualClipped: 0,
    behaviourDivergence: 0,
    referenceDivergence: 0,
  };
}

export function addSums(sums: TargetSums, more: TargetSums): void {
  const largestRatio = Math.max(sums.largestRatio, more.largestRatio);
  for (const name of Object.keys(sums) as (keyof TargetSums)[]) sums[name] += more[name];
  sums.largestRatio = largestRatio;
}

/** Views of the whole shared memory. */
export interface MemoryViews {
  readonly floats: Float32Array;
  readonly integers: Int32Array;
}

/** Log-probability of each target under the current parameters. */
export function scoreMicrobatch(pass: ModelPass, views: MemoryViews, batch: Microbatch): Float32Array {
  const { workspace } = pass;
  views.integers.set(batch.tokens, workspace.tokens >> 2);
  views.integers.set(batch.positions, workspace.positions >> 2);
  views.integers.set(batch.headRows, workspace.headRows >> 2);
  forwardRows(pass, batch.tokens.length, attendSegments(pass, batch.segments));
  forwardHead(pass, batch.headRows.length);
  const { logits, logSums } = workspace;
  return Float32Array.from(batch.targetTokens, (token, index) => {
    const head = batch.targetHeads[index]!;
    const logit = views.floats[((logits.address + head * logits.stride) >> 2) + token]!;
    return logit - views.floats[(logSums >> 2) + head]!;
  });
}

/**
 * Adds the gradient of the micro-batch to the gradient run. Where a loss is not finite the run is left alone and
 * the sums say so.
 */
export function trainMicrobatch(
  pass: BackwardPass,
  views: MemoryViews,
  { batch, objective }: { batch: Microbatch; objective: Objective },
): { logprobs: Float32Array; sums: TargetSums } {
  const logprobs = scoreMicrobatch(pass, views, batch);
  const sums = emptySums();
  const slopes = new Float64Array(logprobs.length);
  logprobs.forEach((logprob, index) => {
    const behaviourLogprob = batch.behaviourLogprobs[index]!;
    const result = tokenLoss(objective, logprob, {
      coefficient: batch.coefficients[index]!,
      behaviourLogprob,
      referenceLogprob: batch.referenceLogprobs[index]!,
      penaltyWeight: batch.penaltyWeights[index]!,
    });
    slopes[index] = result.slope;
    sums.tokens += 1;
    sums.loss += result.loss;
    sums.ratio += result.ratio;
    sums.largestRatio = Math.max(sums.largestRatio, result.ratio);
    sums.entropy += views.floats[(pass.workspace.entropies >> 2) + batch.targetHeads[index]!]!;
    if (result.branch === "clipped") sums.clipped += 1;
    if (result.branch === "dual-clipped") sums.dualClipped += 1;
    sums.behaviourDivergence += behaviourLogprob - logprob;
    sums.referenceDivergence += result.divergence;
  });
  if (Number.isFinite(sums.loss) && Number.isFinite(sums.entropy)) {
    const headCount = batch.headRows.length;
    const targets = { headCount, heads: batch.targetHeads, tokens: batch.targetTokens, slopes };
    distributionGradient(pass, targets, views);
    backwardRows(pass, { rows: batch.tokens.length, headCount, segments: batch.segments });
  }
  return { logprobs, sums };
}
