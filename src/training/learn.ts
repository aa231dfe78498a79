/**
 * One policy takes its optimizer steps on a step's groups: reference log-probabilities where the objective has a
 * penalty, then a gradient and a step for each mini-batch of questions (Code-A1: two per training step).
 */
import type { FrozenPolicy, ObjectiveStatistics, TrainablePolicy } from "../engine/engine.ts";
import { type ClippedRatio, clippedRatio } from "../engine/objective.ts";
import { adamDefaults } from "../engine/optimizer.ts";
import { sequenceOf } from "../engine/token-batch.ts";
import { learningRateAt } from "../learning/learning-rate.ts";
import { type AdvantagedCompletion, miniBatches, trainingRecords } from "../learning/training-records.ts";
import type { TrainingConfig } from "./config.ts";

export interface Learner {
  readonly policy: TrainablePolicy;
  /** The frozen start; undefined where nothing holds the policy near it. */
  readonly reference: FrozenPolicy | undefined;
}

export interface LearningReport {
  readonly optimizerSteps: number;
  readonly tokens: number;
  readonly gradientNorm: number;
  readonly learningRate: number;
  readonly statistics: ObjectiveStatistics;
}

/** `groups` has one entry for each question that has something to teach. */
export async function learn(
  learner: Learner,
  groups: readonly (readonly AdvantagedCompletion[])[],
  options: { config: TrainingConfig; step: number },
): Promise<LearningReport | undefined> {
  const batches = miniBatches(groups, options.config.learning.miniBatchProblems).filter(
    (batch) => batch.flat().length > 0,
  );
  if (batches.length === 0) return undefined;
  const learningRate = rateOf(options);
  const reports: { statistics: ObjectiveStatistics; gradientNorm: number }[] = [];
  for (const batch of batches) {
    const completions = await withReference(learner, batch.flat());
    const { statistics } = await learner.policy.accumulate(
      trainingRecords(completions),
      objectiveOf(options.config, learner),
    );
    const { gradientNorm } = await learner.policy.step({
      ...adamDefaults,
      learningRate,
      weightDecay: options.config.learning.weightDecay,
      gradientClip: options.config.learning.gradientClip,
    });
    reports.push({ statistics, gradientNorm });
  }
  return {
    optimizerSteps: reports.length,
    tokens: reports.reduce((sum, { statistics }) => sum + statistics.tokens, 0),
    gradientNorm: reports.reduce((sum, { gradientNorm }) => sum + gradientNorm, 0) / reports.length,
    learningRate,
    statistics: mergeStatistics(reports.map(({ statistics }) => statistics)),
  };
}

async function withReference(
  learner: Learner,
  completions: readonly AdvantagedCompletion[],
): Promise<AdvantagedCompletion[]> {
  if (!learner.reference) return [...completions];
  const logprobs = await learner.reference.score(completions.map(({ completion }) => sequenceOf(completion)));
  return completions.map((entry, index) => ({ ...entry, referenceLogprobs: logprobs[index]! }));
}

function objectiveOf({ learning }: TrainingConfig, learner: Learner): ClippedRatio {
  return {
    ...clippedRatio,
    clipLow: learning.clipLow,
    clipHigh: learning.clipHigh,
    dualClip: learning.dualClip,
    ...(learner.reference && { reference: { coefficient: learning.referenceCoefficient, valueClamp: 10 } }),
  };
}

function rateOf({ config, step }: { config: TrainingConfig; step: number }): number {
  return learningRateAt(step, {
    peak: config.learning.learningRate,
    warmUpSteps: config.learning.warmUpSteps,
    totalSteps: config.steps,
    shape: config.learning.schedule,
  });
}

/** Means weighted by tokens; the largest ratio is the largest of all. */
function mergeStatistics(parts: readonly ObjectiveStatistics[]): ObjectiveStatistics {
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  const merged: Record<string, number> = { tokens };
  for (const name of Object.keys(parts[0] ?? {}) as (keyof ObjectiveStatistics)[]) {
    if (name === "tokens") continue;
    merged[name] =
      name === "largestRatio"
        ? Math.max(...parts.map((part) => part.largestRatio ?? 0))
        : parts.reduce((sum, part) => sum + (part[name] ?? 0) * part.tokens, 0) / tokens;
  }
  return merged as unknown as ObjectiveStatistics;
}
