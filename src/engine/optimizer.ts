/**
 * AdamW as the port defines it (Loshchilov & Hutter 2019), with g the accumulated gradient, clipped so that its
 * norm is at most `gradientClip`, and t the number of the step, from 1:
 *
 *   m ← β₁m + (1−β₁)g     v ← β₂v + (1−β₂)g²
 *   θ ← θ − learningRate · ( m/(1−β₁ᵗ) / (√(v/(1−β₂ᵗ)) + epsilon) + weightDecay·θ )
 *
 * All settings come with each call, so a schedule is the caller's business and needs no state here.
 */
import { SparringError } from "../errors.ts";

export interface OptimizerSettings {
  readonly learningRate: number;
  readonly betas: readonly [number, number];
  readonly epsilon: number;
  readonly weightDecay: number;
  /** Largest gradient norm; left out, gradients are never scaled. */
  readonly gradientClip?: number;
}

export const adamDefaults: Omit<OptimizerSettings, "learningRate"> = {
  betas: [0.9, 0.999],
  epsilon: 1e-8,
  weightDecay: 0.1,
  gradientClip: 1,
};

export interface StepReport {
  /** How many steps this policy has taken in its life, this one included. */
  readonly step: number;
  /** Before clipping. */
  readonly gradientNorm: number;
  /** What the gradient was multiplied with: 1 unless clipped. */
  readonly gradientScale: number;
}

export function checkOptimizer(settings: OptimizerSettings): void {
  const { learningRate, betas, epsilon, weightDecay, gradientClip } = settings;
  const refuse = (name: string, value: unknown, must: string): never => {
    throw new SparringError({
      code: "engine-optimizer-invalid",
      message: `${name} is ${value}; it must ${must}.`,
    });
  };
  // Above 1 a single step can overflow the weights, and the last good state would be lost.
  if (!(learningRate >= 0 && learningRate <= 1)) refuse("learningRate", learningRate, "lie between 0 and 1");
  for (const beta of betas)
    if (!(beta >= 0 && beta < 1)) refuse("A beta", beta, "lie between 0 and 1, 1 excluded");
  if (!(epsilon > 0 && Number.isFinite(epsilon))) refuse("epsilon", epsilon, "be above 0");
  if (!(weightDecay >= 0 && weightDecay <= 1)) refuse("weightDecay", weightDecay, "lie between 0 and 1");
  if (gradientClip !== undefined && !(gradientClip > 0)) refuse("gradientClip", gradientClip, "be above 0");
}
