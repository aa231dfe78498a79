/**
 * One step of ATGEN (arXiv 2510.14635): pairs of a problem and a wrong program → a group of tests each → classes →
 * rewards → advantages within the group → the generator learns; meanwhile an adversary looks for harder programs.
 *
 * With `replacement: pool` a new program is met when its pair is drawn next, so the search runs beside the learning.
 * With `same-step` tests are generated again for the pairs with a new program, and these are learnt from.
 */

import type { Adversary } from "../adversaries/adversary.ts";
import type { AttackPool, MetPair } from "../adversaries/attack-pool.ts";
import { trainingSampling } from "../engine/completion.ts";
import { hasRoom } from "../evaluation/engine-prompt.ts";
import { seededRandom } from "../problems/arena/random.ts";
import type { AttackPair } from "../problems/attack-pair.ts";
import type { Problem } from "../problems/problem.ts";
import { type AttackLadder, attackReward } from "../rewards/atgen.ts";
import { attackMetrics } from "./attack-metrics.ts";
import { attackRecord } from "./attack-record.ts";
import { type AttackRollout, type AttackSettings, rollOutAttacks } from "./attack-rollout.ts";
import { batchOfStep, streamSeed } from "./batches.ts";
import type { TrainingConfig } from "./config.ts";
import { learn } from "./learn.ts";
import { type Replacement, replacePrograms } from "./replace-programs.ts";
import { StageTimes } from "./stage-times.ts";
import { lessons } from "./teach.ts";
import type { StepContext, StepResult } from "./train-step.ts";

/** What ATGEN trains on besides what every step has. */
export interface AttackGround {
  readonly pairs: readonly AttackPair[];
  readonly pool: AttackPool;
  /** Undefined where nothing is ever replaced. */
  readonly adversary: Adversary | undefined;
}

export async function attackStep(
  context: StepContext & { readonly ground: AttackGround },
  step: number,
): Promise<StepResult> {
  const { config, clock, ground } = context;
  const started = clock();
  const stages = new StageTimes(clock);
  const settings = attackSettings(context, step, stages);
  const met = meetPairs(context, step);
  const first = await rollOutAttacks(met, settings);
  const replaces = ground.adversary !== undefined && step + 1 >= config.atgen.startStep;
  const search = async () => {
    if (!replaces) return [];
    stages.begin("adversary");
    const { pool } = ground;
    const adversary = ground.adversary!;
    const fits = (problem: Problem, source: string) =>
      hasRoom(settings.policy, context.dialect.attackPrompt(problem, source));
    const found = await replacePrograms(first, { ...context, adversary, pool, step, fits });
    stages.end("adversary");
    return found;
  };
  const sameStep = config.atgen.replacement === "same-step";
  const early = sameStep ? await search() : undefined;
  const rollouts = early ? await rollOutAgain(first, early, { settings, pool: ground.pool }) : first;
  const rewards = rewardsOf(rollouts, config);
  const taught = lessons(
    rollouts.map(({ completions }, index) => [{ completions, rewards: rewards[index]! }]),
    { zeroVarianceGroups: config.learning.zeroVarianceGroups },
  );
  const judged = clock();
  const learner = context.players.testLearner!;
  const [replacements, learning] = await Promise.all([
    early ?? search(),
    learn(learner, taught.groups, { config, step }),
  ]);
  if (learning) await learner.policy.publish();
  const metrics = attackMetrics({ rollouts, rewards, lessons: taught, learning, replacements, replaces });
  Object.assign(metrics, stages.seconds());
  metrics["time/rollout"] = judged - started;
  metrics["time/learning"] = clock() - judged;
  metrics["time/step"] = clock() - started;
  return {
    metrics,
    bookChanges: [],
    pastPrograms: [],
    poolChanges: replacements.flatMap(({ change }) => (change ? [change] : [])),
    adversaryFailure: replacements.find(({ search }) => search?.failure !== undefined)?.search?.failure,
    records: () => rollouts.map((rollout, index) => attackRecord(rollout, rewards[index]!)),
  };
}

function meetPairs({ config, ground }: StepContext & { ground: AttackGround }, step: number): MetPair[] {
  const indexes = batchOfStep({
    problems: ground.pairs.length,
    perStep: config.problemsPerStep,
    seed: config.seed,
    step,
  });
  const random = seededRandom(streamSeed(config.seed, "replay", step));
  const replay = { random, probability: config.atgen.replayProbability };
  return indexes.map((index) => ground.pool.meet(ground.pairs[index]!.id, replay));
}

function attackSettings(context: StepContext, step: number, stages: StageTimes): AttackSettings {
  const { config, dialect, players, court, signal } = context;
  const sampling = {
    ...trainingSampling,
    temperature: config.sampling.temperature,
    maxTokens: config.sampling.testTokens,
    seed: streamSeed(config.seed, "rollout/test", step),
    ...(dialect.attackStopStrings.length > 0 && { stopStrings: dialect.attackStopStrings }),
  };
  return { policy: players.test, dialect, court, tests: config.atgen.tests, sampling, signal, stages };
}

async function rollOutAgain(
  rollouts: readonly AttackRollout[],
  replacements: readonly Replacement[],
  { settings, pool }: { settings: AttackSettings; pool: AttackPool },
): Promise<AttackRollout[]> {
  const sources = new Map(
    replacements.flatMap(({ pairId, search }) =>
      search?.source === undefined ? [] : [[pairId, search.source] as const],
    ),
  );
  const renewed = rollouts.flatMap(({ met }) => {
    const buggy = sources.get(met.pair.id);
    if (buggy === undefined) return [];
    return [{ pair: { ...met.pair, buggy }, generation: pool.programs(met.pair.id).length }];
  });
  if (renewed.length === 0) return [...rollouts];
  const again = await rollOutAttacks(renewed, settings);
  const byPair = new Map(again.map((rollout) => [rollout.met.pair.id, rollout]));
  return rollouts.map((rollout) => byPair.get(rollout.met.pair.id) ?? rollout);
}

function rewardsOf(rollouts: readonly AttackRollout[], config: TrainingConfig): (number | undefined)[][] {
  const { formatWrong, answerWrong, harmless, attack } = config.atgen.rewards;
  const ladder: AttackLadder = {
    "format-wrong": formatWrong,
    "answer-wrong": answerWrong,
    harmless,
    attack,
  };
  return rollouts.map(({ attacks }) =>
    attacks.map((entry) => (entry.kind === "masked" ? undefined : attackReward(entry.reached, ladder))),
  );
}
