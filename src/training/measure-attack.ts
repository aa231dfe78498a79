/**
 * ATGEN's generator measured on held-out pairs, and on the third of them that was hardest for the generator before any
 * training (its rate over several tests at temperature 1, ranked once at step 0, with draws of their own: pairs that
 * were ranked by the very tests they are measured with would show a gain where there is none).
 */
import { type AttackFigures, attackFigures } from "../evaluation/attack/attack-figures.ts";
import { difficultyThirds } from "../evaluation/attack/difficulty-thirds.ts";
import { type EvaluatedPair, evaluateAttack } from "../evaluation/attack/evaluate-attack.ts";
import type { CorrectProgram } from "../evaluation/attack/false-alarms.ts";
import { describeTest } from "../problems/test-text.ts";
import { streamSeed } from "./batches.ts";
import type { AttackMeasurement, AttackRates, MeasureContext, Measurement } from "./measure.ts";

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
    purpose: "evaluation/test",
  });
  const hardPairs = new Set(hard ?? (await hardestThird(context)));
  const figures = attackFigures(pairs);
  const attack: AttackMeasurement = {
    ...ratesOf(figures),
    hard: ratesOf(attackFigures(pairs.filter(({ pair }) => hardPairs.has(pair.id)))),
    ...(alarms.onReferences && { falseAlarmRate: alarms.onReferences.rate }),
    hardPairs: [...hardPairs],
  };
  return { step, attack, programs: [], kills: pairs.flatMap(killOf), wrongPrograms: [] };
}

function ratesOf({ ioAccuracy, attackRate, inputAttackRate }: AttackFigures): AttackRates {
  return {
    ...(ioAccuracy && { ioAccuracy: ioAccuracy.rate }),
    ...(attackRate && { attackRate: attackRate.rate }),
    ...(inputAttackRate && { inputAttackRate: inputAttackRate.rate }),
  };
}

async function hardestThird(context: MeasureContext): Promise<readonly string[]> {
  const { pairs } = await evaluate(context, {
    samples: rankingSamples,
    temperature: 1,
    topP: 1,
    purpose: "ranking/test",
    correctPrograms: [],
  });
  // A pair that was lost to our infrastructure is not hard; nothing is known of it.
  const rates = pairs.flatMap(({ pair, replies }) => {
    const { attackRate } = attackFigures([{ replies }]);
    return attackRate ? [{ id: pair.id, rate: attackRate.rate }] : [];
  });
  return difficultyThirds(rates).flatMap(({ id, third }) => (third === "hard" ? [id] : []));
}

function evaluate(
  { config, players, problemSet, court, signal }: MeasureContext,
  how: {
    samples: number;
    temperature: number;
    topP: number;
    purpose: string;
    correctPrograms?: readonly CorrectProgram[];
  },
) {
  return evaluateAttack({
    policy: players.test,
    dialect: problemSet.dialect,
    pairs: problemSet.pairs.heldOut,
    court,
    samples: how.samples,
    ...(how.correctPrograms && { correctPrograms: how.correctPrograms }),
    signal,
    sampling: {
      temperature: how.temperature,
      topP: how.topP,
      maxTokens: config.sampling.testTokens,
      seed: streamSeed(config.seed, how.purpose, 0),
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
