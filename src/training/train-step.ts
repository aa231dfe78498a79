/**
 * One step of Code-A1 and its baselines: problems → candidates → suites → verdicts → rewards → Mistake Book →
 * advantages → both policies learn at the same time → publish. What distinguishes the methods is only who writes the
 * tests and what the tester sees.
 */

import type { PoolChange } from "../adversaries/attack-pool.ts";
import type { BankEntry } from "../adversaries/program-bank.ts";
import { trainingSampling } from "../engine/completion.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import type { BookChange, MistakeBook } from "../mistakes/mistake-book.ts";
import type { Problem } from "../problems/problem.ts";
import type { Dialect } from "../prompts/dialect.ts";
import type { CodeA1Rules } from "../rewards/code-a1.ts";
import { batchOfStep, streamSeed } from "./batches.ts";
import type { TrainingConfig } from "./config.ts";
import { type Learner, type LearningReport, learn } from "./learn.ts";
import { type League, wrongCandidates } from "./opponents.ts";
import { rollOut } from "./roll-out.ts";
import type { QuestionRollout, TesterSettings } from "./rollout.ts";
import { rolloutRecord } from "./rollout-record.ts";
import type { RunSuites } from "./run-suites.ts";
import {
  bookUpdate,
  type QuestionScores,
  scoreOnGoldTests,
  scoreOnSuite,
  scoreQuestion,
} from "./score-question.ts";
import { StageTimes } from "./stage-times.ts";
import { type Metrics, stepMetrics } from "./step-metrics.ts";
import { codeLessons, type Lessons, testLessons } from "./teach.ts";

export interface Players {
  readonly code: FrozenPolicy;
  readonly test: FrozenPolicy;
  /** Who learns; a role that is not here stays as it is. In self-play both are the same. */
  readonly codeLearner: Learner | undefined;
  readonly testLearner: Learner | undefined;
}

export interface StepContext {
  readonly config: TrainingConfig;
  readonly players: Players;
  readonly problems: readonly Problem[];
  readonly dialect: Dialect;
  readonly court: Court;
  readonly book: MistakeBook;
  /** Whom the tester plays against besides the candidates; undefined for the plain method. */
  readonly league: League | undefined;
  /** Generated suites that stand in for the gold tests; undefined where the gold tests are used. */
  readonly suites: RunSuites | undefined;
  /** Seconds, for the time metrics. */
  readonly clock: () => number;
  readonly signal: AbortSignal;
}

export interface StepResult {
  readonly metrics: Metrics;
  readonly bookChanges: readonly BookChange[];
  readonly poolChanges: readonly PoolChange[];
  /** Why the first search for a harder program failed that the adversary itself did not survive. */
  readonly adversaryFailure?: string | undefined;
  /** Wrong programs of the code model, to be met again. */
  readonly pastPrograms: readonly BankEntry[];
  /** One line for each question or pair, made only where somebody wants them. */
  readonly records: () => readonly unknown[];
}

export function rulesOf({ method, steps }: TrainingConfig, step: number): CodeA1Rules {
  const { testsPerSuite, wrongAnswerTests, zeroFailureAdversarial, emptySuites, attackSignal } = method;
  const end = method.alphaEnd ?? method.alpha;
  const alpha = method.alpha + (end - method.alpha) * (step / Math.max(1, steps - 1));
  return { alpha, testsPerSuite, wrongAnswerTests, zeroFailureAdversarial, emptySuites, attackSignal };
}

export async function trainStep(context: StepContext, step: number): Promise<StepResult> {
  const { config, book, clock } = context;
  const started = clock();
  const stages = new StageTimes(clock);
  const rollouts = await rollOutStep(context, step, stages);
  const judged = clock();
  const rules = rulesOf(config, step);
  const golden = config.method.kind === "golden";
  const scores = rollouts.map((rollout) => {
    if (context.suites) return scoreOnSuite(rollout, config.method.suiteReward);
    return golden ? scoreOnGoldTests(rollout) : scoreQuestion(rollout, rules);
  });
  const bookChanges =
    config.method.mistakeBook && !golden
      ? rollouts.flatMap((rollout) => book.update(bookUpdate(rollout, rules)))
      : [];
  const { lessons, learning } = await teach(context, step, rollouts, scores);
  const finished = clock();
  const metrics = stepMetrics({
    rollouts,
    scores,
    lessons,
    learning,
    book: {
      size: book.size,
      added: bookChanges.filter(({ testCase }) => testCase !== undefined).length,
      removed: bookChanges.filter(({ frequency }) => frequency === 0).length,
    },
  });
  Object.assign(metrics, stages.seconds());
  metrics["time/rollout"] = judged - started;
  metrics["time/learning"] = finished - judged;
  metrics["time/step"] = finished - started;
  const records = () => rollouts.map((rollout, index) => rolloutRecord(rollout, scores[index]!));
  const pastPrograms = config.method.opponents.past > 0 ? rollouts.flatMap(wrongCandidates) : [];
  return { metrics, bookChanges, poolChanges: [], pastPrograms, records };
}

function rollOutStep(context: StepContext, step: number, stages: StageTimes): Promise<QuestionRollout[]> {
  const { config, players, problems, book } = context;
  const indexes = batchOfStep({
    problems: problems.length,
    perStep: config.problemsPerStep,
    seed: config.seed,
    step,
  });
  const replays = config.method.mistakeBook ? config.method.replayedTests : 0;
  const assignments = indexes.map((index) => {
    const problem = problems[index]!;
    return { problem, replayed: book.replay(problem.id, replays) };
  });
  const sampling = (role: "code" | "test", maxTokens: number) => ({
    ...trainingSampling,
    temperature: config.sampling.temperature,
    maxTokens,
    seed: streamSeed(config.seed, `rollout/${role}`, step),
    ...(context.dialect.stopStrings.length > 0 && { stopStrings: context.dialect.stopStrings }),
  });
  const tester: TesterSettings = {
    policy: players.test,
    suites: config.method.suites,
    testsPerSuite: config.method.testsPerSuite,
    sampling: sampling("test", config.sampling.testTokens),
    view: config.method.kind === "self-play" ? "black-box" : "white-box",
  };
  return rollOut(assignments, {
    dialect: context.dialect,
    court: context.court,
    codePolicy: players.code,
    candidates: config.method.candidates,
    codeSampling: sampling("code", config.sampling.codeTokens),
    tester: config.method.kind === "golden" ? undefined : tester,
    suiteOf: context.suites && ((problem, signal) => context.suites!.suiteOf(problem, signal)),
    opponents: context.league?.opponents(step),
    field: config.method.attackSignal === "field" ? "played" : "left-out",
    signal: context.signal,
    stages,
  });
}

interface Taught {
  readonly lessons: { code?: Lessons; test?: Lessons };
  readonly learning: { code?: LearningReport | undefined; test?: LearningReport | undefined };
}

async function teach(
  { config, players }: StepContext,
  step: number,
  rollouts: readonly QuestionRollout[],
  scores: readonly QuestionScores[],
): Promise<Taught> {
  const scored = rollouts.map((rollout, index) => ({ rollout, scores: scores[index]! }));
  const rules = {
    trainedCandidates: config.method.trainedCandidates,
    zeroVarianceGroups: config.learning.zeroVarianceGroups,
  };
  const { codeLearner, testLearner } = players;
  const lessons: Taught["lessons"] = {};
  if (codeLearner) lessons.code = codeLessons(scored, rules);
  if (testLearner && config.method.kind !== "golden") lessons.test = testLessons(scored, rules);
  const options = { config, step };
  if (codeLearner && codeLearner === testLearner) {
    // One model in both roles: a question's programs and suites are learnt from in the same step.
    const groups = rollouts.map((_, index) => [
      ...(lessons.code?.groups[index] ?? []),
      ...(lessons.test?.groups[index] ?? []),
    ]);
    const report = await learn(codeLearner, groups, options);
    if (report) await codeLearner.policy.publish();
    return { lessons, learning: { code: report } };
  }
  const [code, test] = await Promise.all([
    learnAndPublish(codeLearner, lessons.code, options),
    learnAndPublish(testLearner, lessons.test, options),
  ]);
  return { lessons, learning: { code, test } };
}

async function learnAndPublish(
  learner: Learner | undefined,
  lessons: Lessons | undefined,
  options: { config: TrainingConfig; step: number },
): Promise<LearningReport | undefined> {
  if (!learner || !lessons) return undefined;
  const report = await learn(learner, lessons.groups, options);
  if (report) await learner.policy.publish();
  return report;
}
