/** A pair's generated tests as one line of JSON: with it every reward can be computed again. */
import type { JudgedAttack } from "../evaluation/judge-attack.ts";
import { encodeCase } from "../problems/case-codec.ts";
import type { AttackRollout } from "./attack-rollout.ts";

export function attackRecord(
  { met, completions, attacks }: AttackRollout,
  rewards: readonly (number | undefined)[],
): unknown {
  const { pair, generation } = met;
  return {
    pair: pair.id,
    problem: pair.problem.id,
    question: pair.problem.question,
    buggy: pair.buggy,
    generation,
    tests: attacks.map((attack, index) => ({
      reply: completions[index]!.text,
      policyVersion: completions[index]!.policyVersion,
      reward: rewards[index] ?? null,
      ...attackOf(attack),
    })),
  };
}

function attackOf(attack: JudgedAttack): object {
  if (attack.kind === "masked") return { masked: attack.message };
  const { reached, reason, testCase, outcome } = attack;
  return {
    reached,
    ...(reason !== undefined && { reason }),
    ...(testCase && { test: encodeCase(testCase) }),
    ...(outcome && { outcome }),
  };
}
