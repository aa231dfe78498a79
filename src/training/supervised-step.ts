/**
 * One step of supervised learning (the SFT baseline, or a warm start): the code role learns reference programs, the
 * test role learns gold tests for the reference in view. Loss: cross-entropy, mean over the tokens of the mini-batch.
 */
import type { TrainablePolicy } from "../engine/engine.ts";
import { crossEntropy } from "../engine/objective.ts";
import { adamDefaults } from "../engine/optimizer.ts";
import type { TrainingRecord } from "../engine/token-batch.ts";
import { learningRateAt } from "../learning/learning-rate.ts";
import { miniBatches } from "../learning/training-records.ts";
import type { Problem } from "../problems/problem.ts";
import type { RolePrompt } from "../prompts/dialect.ts";
import { batchOfStep } from "./batches.ts";
import type { TrainingConfig } from "./config.ts";
import type { Metrics } from "./step-metrics.ts";
import type { StepContext, StepResult } from "./train-step.ts";

interface Example {
  readonly prompt: RolePrompt;
  readonly reply: string;
}

export async function supervisedStep(context: StepContext, step: number): Promise<StepResult> {
  const { config, players, clock } = context;
  const started = clock();
  const indexes = batchOfStep({
    problems: context.problems.length,
    perStep: config.problemsPerStep,
    seed: config.seed,
    step,
  });
  const problems = indexes.map((index) => context.problems[index]!);
  const metrics: Metrics = {};
  const roles = [
    ["code", players.codeLearner, (problem: Problem) => programExample(context, problem)],
    ["test", players.testLearner, (problem: Problem) => suiteExample(context, problem)],
  ] as const;
  await Promise.all(
    roles.map(async ([role, learner, exampleOf]) => {
      if (!learner) return;
      const examples = problems.flatMap(exampleOf);
      metrics[`${role}/loss`] = await learnExamples(context, learner.policy, examples, step);
      await learner.policy.publish();
    }),
  );
  metrics["time/step"] = clock() - started;
  return { metrics, bookChanges: [], poolChanges: [], pastPrograms: [], records: () => [] };
}

function programExample({ dialect }: StepContext, problem: Problem): Example[] {
  return [{ prompt: dialect.codePrompt(problem), reply: dialect.writeProgram(problem, problem.reference) }];
}

function suiteExample({ dialect, config }: StepContext, problem: Problem): Example[] {
  const tests = config.method.testsPerSuite;
  const cases = problem.goldTests.slice(0, tests);
  if (cases.length === 0) return [];
  const prompt = dialect.testPrompt(problem, { candidate: problem.reference, tests });
  return [{ prompt, reply: dialect.writeSuite(problem, cases) }];
}

async function learnExamples(
  { config, dialect }: StepContext,
  policy: TrainablePolicy,
  examples: readonly Example[],
  step: number,
): Promise<number> {
  const endTokens = dialect.stopStrings.length > 0 ? [] : [policy.tokenizer.endTokenId];
  let loss = 0;
  const batches = miniBatches(examples, config.learning.miniBatchProblems);
  for (const batch of batches) {
    const report = await policy.accumulate(recordsOf(policy, batch, endTokens), crossEntropy);
    loss += report.loss / batches.length;
    await policy.step({
      ...adamDefaults,
      learningRate: rateOf(config, step),
      weightDecay: config.learning.weightDecay,
      gradientClip: config.learning.gradientClip,
    });
  }
  return loss;
}

function rateOf({ learning, steps }: TrainingConfig, step: number): number {
  return learningRateAt(step, {
    peak: learning.learningRate,
    warmUpSteps: learning.warmUpSteps,
    totalSteps: steps,
    shape: learning.schedule,
  });
}

function recordsOf(
  policy: TrainablePolicy,
  examples: readonly Example[],
  endTokens: readonly number[],
): TrainingRecord[] {
  const sequences = examples.map(({ prompt, reply }) => {
    const promptIds =
      prompt.kind === "messages"
        ? policy.renderPrompt(prompt.messages)
        : policy.tokenizer.encode(prompt.text);
    const replyIds = [...policy.tokenizer.encode(reply), ...endTokens];
    return { tokenIds: [...promptIds, ...replyIds], promptLength: promptIds.length, length: replyIds.length };
  });
  const tokens = sequences.reduce((sum, { length }) => sum + length, 0);
  return sequences.map(({ tokenIds, promptLength, length }) => ({
    tokenIds,
    promptLength,
    coefficients: new Array<number>(length).fill(1 / tokens),
  }));
}
