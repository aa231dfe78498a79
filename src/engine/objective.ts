/**
 * Training objectives, per token, as losses to be SUMMED over tokens. With l the log-probability now, b the one of
 * the policy that sampled, f the one of the frozen reference, c the coefficient (advantage × normalisation),
 * w the penalty weight and r = exp(clamp(l − b, ±logRatioClamp)):
 *
 *   clipped-ratio        max(−c·r, −c·clip(r, 1 − clipLow, 1 + clipHigh)); for c < 0 at most −c·dualClip
 *   importance-sampling  −c·r
 *   cross-entropy        −c·l
 *   reference penalty    + coefficient · w · min(exp(d) − d − 1, valueClamp),  d = clamp(f − l, ±20)
 *
 * Source: PPO (Schulman et al. 2017), asymmetric bounds from DAPO (2025), dual clip from Ye et al. 2020, the
 * low-variance divergence "k3" from Schulman's note on approximating KL; the defaults are Code-A1's.
 * The derivative is taken where the formula has one; a clamped or clipped branch has derivative 0.
 */
import { SparringError } from "../errors.ts";

export type Objective = ClippedRatio | ImportanceSampling | CrossEntropy;

export interface ClippedRatio {
  readonly kind: "clipped-ratio";
  /** The ratio is held above 1 − clipLow. */
  readonly clipLow: number;
  /** The ratio is held below 1 + clipHigh. */
  readonly clipHigh: number;
  /** Bounds the loss of tokens with negative advantage whose ratio ran away. Above 1. */
  readonly dualClip?: number;
  readonly logRatioClamp: number;
  readonly reference?: ReferencePenalty;
}

export interface ImportanceSampling {
  readonly kind: "importance-sampling";
  readonly logRatioClamp: number;
  readonly reference?: ReferencePenalty;
}

export interface CrossEntropy {
  readonly kind: "cross-entropy";
}

/** Keeps the policy near a frozen reference whose log-probabilities the records carry. */
export interface ReferencePenalty {
  readonly coefficient: number;
  /** Upper bound of one token's divergence. */
  readonly valueClamp: number;
}

/** Code-A1's setting. */
export const clippedRatio: ClippedRatio = {
  kind: "clipped-ratio",
  clipLow: 0.2,
  clipHigh: 0.28,
  dualClip: 10,
  logRatioClamp: 20,
};

export const importanceSampling: ImportanceSampling = { kind: "importance-sampling", logRatioClamp: 20 };
export const crossEntropy: CrossEntropy = { kind: "cross-entropy" };

export interface TokenInputs {
  readonly coefficient: number;
  readonly behaviourLogprob: number;
  readonly referenceLogprob: number;
  readonly penaltyWeight: number;
}

export interface TokenLoss {
  readonly loss: number;
  /** d loss / d log-probability. */
  readonly slope: number;
  /** 1 where no ratio is involved. */
  readonly ratio: number;
  readonly branch: "open" | "clipped" | "dual-clipped";
  /** Divergence from the reference, before its weight; 0 without a penalty. */
  readonly divergence: number;
}

export function needsBehaviour(objective: Objective): boolean {
  return objective.kind !== "cross-entropy";
}

export function referencePenalty(objective: Objective): ReferencePenalty | undefined {
  return objective.kind === "cross-entropy" ? undefined : objective.reference;
}

/** The loss of one token at a log-probability, and its slope there. */
export function tokenLoss(objective: Objective, logprob: number, inputs: TokenInputs): TokenLoss {
  if (objective.kind === "cross-entropy") {
    const { coefficient } = inputs;
    return { loss: -coefficient * logprob, slope: -coefficient, ratio: 1, branch: "open", divergence: 0 };
  }
  const policy = ratioLoss(objective, logprob, inputs);
  const penalty = objective.reference;
  if (penalty === undefined) return { ...policy, divergence: 0 };
  const { value, slope } = lowVarianceDivergence(inputs.referenceLogprob - logprob, penalty.valueClamp);
  const weight = penalty.coefficient * inputs.penaltyWeight;
  return {
    ...policy,
    loss: policy.loss + weight * value,
    slope: policy.slope + weight * slope,
    divergence: value,
  };
}

function ratioLoss(
  objective: ClippedRatio | ImportanceSampling,
  logprob: number,
  { coefficient, behaviourLogprob }: TokenInputs,
): Omit<TokenLoss, "divergence"> {
  const bound = objective.logRatioClamp;
  const logRatio = logprob - behaviourLogprob;
  const ratio = Math.exp(Math.min(Math.max(logRatio, -bound), bound));
  const openLoss = -coefficient * ratio;
  const openSlope = Math.abs(logRatio) <= bound ? openLoss : 0;
  const open = { loss: openLoss, slope: openSlope, ratio, branch: "open" } as const;
  if (objective.kind === "importance-sampling") return open;

  const clipped = Math.min(Math.max(ratio, 1 - objective.clipLow), 1 + objective.clipHigh);
  const clippedLoss = -coefficient * clipped;
  if (clippedLoss > openLoss) return { loss: clippedLoss, slope: 0, ratio, branch: "clipped" };
  if (objective.dualClip !== undefined && coefficient < 0 && ratio > objective.dualClip)
    return { loss: -coefficient * objective.dualClip, slope: 0, ratio, branch: "dual-clipped" };
  return open;
}

/** k3 of a difference d = log p(reference) − log p(now), and its derivative by log p(now): 1 − e^d. */
function lowVarianceDivergence(difference: number, valueClamp: number): { value: number; slope: number } {
  const d = Math.min(Math.max(difference, -20), 20);
  const value = Math.exp(d) - d - 1;
  if (value > valueClamp) return { value: valueClamp, slope: 0 };
  return { value, slope: d === difference ? 1 - Math.exp(d) : 0 };
}

export function checkObjective(objective: Objective): void {
  if (objective.kind === "cross-entropy") return;
  positive("logRatioClamp", objective.logRatioClamp);
  if (objective.kind === "clipped-ratio") {
    if (!(objective.clipLow >= 0 && objective.clipLow <= 1))
      refuse(`clipLow is ${objective.clipLow}; it must lie between 0 and 1.`);
    if (!Number.isFinite(objective.clipHigh) || objective.clipHigh < 0)
      refuse(`clipHigh is ${objective.clipHigh}; it must be 0 or more.`);
    if (objective.dualClip !== undefined && !(objective.dualClip > 1 && Number.isFinite(objective.dualClip)))
      refuse(`dualClip is ${objective.dualClip}; it must be above 1.`);
  }
  if (objective.reference !== undefined) {
    const { coefficient, valueClamp } = objective.reference;
    if (!Number.isFinite(coefficient) || coefficient < 0)
      refuse(`The reference coefficient is ${coefficient}; it must be 0 or more.`);
    positive("valueClamp", valueClamp);
  }
}

function positive(name: string, value: number): void {
  if (!(value > 0 && Number.isFinite(value))) refuse(`${name} is ${value}; it must be above 0.`);
}

function refuse(message: string): never {
  throw new SparringError({ code: "engine-objective-invalid", message });
}
