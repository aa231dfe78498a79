/**
 * ATGEN's generator measured on held-out pairs: one test for each, and the third of the pairs that was hardest for the
 * generator before any training (its rate over several tests at temperature 1, ranked once at step 0).
 */
import { type AttackFigures, attackFigures } from "../evaluation/attack/attack-figures.ts";
import { difficultyThirds } from "../evaluation/attack/difficulty-thirds.ts";
import { type EvaluatedPair, evaluateAttack } from "../evaluation/attack/evaluate-attack.ts";
import { describeTest } from "../problems/test-text.ts";
import { streamSeed } from "./batches.ts";
import type { AttackMeasurement, MeasureContext, Measurement } from "./measure.ts";

const rankingSamples = 8;

/** `hard` names the pairs of the hard third; undefined at step 0, where they are found. */
export async function measureAttack(
  context: MeasureContext,
  step: number,
  hard: readonly string[] | undefined,
): Promise<Measurement> {
  const { config } = context;
  if (context.problemSet.pairs.heldOut.length === 0)
    return { step, programs: [], kills: [], wrongPrograms: [] };
  const { pairs, alarms } = await evaluate(context, {
    samples: config.evaluation.samples,
    temperature: config.evaluation.temperature,
    topP: config.evaluation.topP,
  });
  const hardPairs = new Set(hard ?? (await hardestThird(context)));
  const figures = attackFigures(pairs);
  const attack: AttackMeasurement = {
    ...ratesOf(figures),
    hard: ratesOf(attackFigures(pairs.filter(({ pair }) => hardPairs.has(pair.id)))),
    falseAlarmRate: alarms.onReferences?.rate ?? 0,
    hardPairs: [...hardPairs],
  };
  return { step, attack, programs: [], kills: pairs.flatMap(killOf), wrongPrograms: [] };
}

function ratesOf({ ioAccuracy, attackRate, inputAttackRate }: AttackFigures) {
  return {
    ioAccuracy: ioAccuracy?.rate ?? 0,
    attackRate: attackRate?.rate ?? 0,
    inputAttackRate: inputAttackRate?.rate ?? 0,
  };
}

async function hardestThird(context: MeasureContext): Promise<readonly string[]> {
  const { pairs } = await evaluate(context, { samples: rankingSamples, temperature: 1, topP: 1 });
  const rates = pairs.map(({ pair, replies }) => ({
    id: pair.id,
    rate: attackFigures([{ replies }]).attackRate?.rate ?? 0,
  }));
  return difficultyThirds(rates).flatMap(({ id, third }) => (third === "hard" ? [id] : []));
}

function evaluate(
  { config, players, problemSet, court }: MeasureContext,
  how: { samples: number; temperature: number; topP: number },
) {
  return evaluateAttack({
    policy: players.test,
    dialect: problemSet.dialect,
    pairs: problemSet.pairs.heldOut,
    court,
    samples: how.samples,
    sampling: {
      temperature: how.temperature,
      topP: how.topP,
      maxTokens: config.sampling.testTokens,
      seed: streamSeed(config.seed, "evaluation/test", 0),
    },
  });
}

function killOf({ pair, replies }: EvaluatedPair): Measurement["kills"] {
  const judged = replies[0]?.judged;
  if (judged?.kind !== "judged" || judged.reached !== "attack" || !judged.testCase || !judged.outcome)
    return [];
  const { testCase, outcome } = judged;
  const { problem, buggy } = pair;
  const actual = "actual" in outcome ? outcome.actual : outcome.kind;
  return [
    {
      problemId: problem.id,
      question: problem.question,
      program: buggy,
      test: describeTest(testCase, problem.entryPoint),
      actual,
    },
  ];
}
