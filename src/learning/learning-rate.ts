/**
 * Linear warm-up from 0, then a cosine to 0 at the last step (Code-A1: 10 warm-up steps of 111, so the first step has
 * rate 0). `step` counts training steps from 0: as in the official trainer, the optimizer steps of one training step
 * share its rate.
 */
export interface LearningRateSchedule {
  readonly peak: number;
  readonly warmUpSteps: number;
  readonly totalSteps: number;
  readonly shape: "constant" | "cosine";
}

export function learningRateAt(step: number, schedule: LearningRateSchedule): number {
  const { peak, warmUpSteps, totalSteps, shape } = schedule;
  if (step < warmUpSteps) return (peak * step) / warmUpSteps;
  if (shape === "constant") return peak;
  const progress = (step - warmUpSteps) / Math.max(1, totalSteps - warmUpSteps);
  return peak * Math.max(0, 0.5 * (1 + Math.cos(Math.PI * Math.min(progress, 1))));
}
