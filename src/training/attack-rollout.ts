/** A step's generated tests: pairs → tests → classes, each pair judged as soon as its last test is there. */

import type { MetPair } from "../adversaries/attack-pool.ts";
import type { Completion, SamplingSettings } from "../engine/completion.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import { enginePrompt } from "../evaluation/engine-prompt.ts";
import { type JudgedAttack, judgeAttacks } from "../evaluation/judge-attack.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import { readAttack } from "../evaluation/read-attack.ts";
import { questionKey } from "../problems/case-codec.ts";
import type { TestCase } from "../problems/problem.ts";
import type { Dialect } from "../prompts/dialect.ts";
import type { StageTimes } from "./stage-times.ts";

export interface AttackRollout {
  readonly met: MetPair;
  readonly completions: readonly Completion[];
  readonly attacks: readonly JudgedAttack[];
}

export interface AttackSettings {
  readonly policy: FrozenPolicy;
  readonly dialect: Dialect;
  readonly court: Court;
  readonly tests: number;
  readonly sampling: SamplingSettings;
  readonly signal: AbortSignal;
  readonly stages: StageTimes;
}

export async function rollOutAttacks(
  met: readonly MetPair[],
  settings: AttackSettings,
): Promise<AttackRollout[]> {
  const { policy, dialect, tests, stages } = settings;
  const requests = met.map(({ pair }) => ({
    prompt: enginePrompt(policy, dialect.attackPrompt(pair.problem, pair.buggy)),
    samples: tests,
    key: pair.id,
  }));
  const completionsByPair: Completion[][] = met.map(() => []);
  const missing = met.map(() => tests);
  const judged: Promise<AttackRollout>[] = [];
  stages.begin("test_sampling");
  try {
    for await (const sampled of policy.sample(requests, settings.sampling, { signal: settings.signal })) {
      const index = sampled.requestIndex;
      completionsByPair[index]![sampled.sampleIndex] = sampled.completion;
      missing[index]! -= 1;
      if (missing[index] === 0) judged[index] = judge(met[index]!, completionsByPair[index]!, settings);
    }
    stages.end("test_sampling");
  } catch (error) {
    // Whatever is under way ends with the same signal; nobody is waiting for it any more.
    for (const promise of judged) promise?.catch(() => {});
    throw error;
  }
  return Promise.all(judged);
}

async function judge(
  met: MetPair,
  completions: readonly Completion[],
  { court, dialect, stages }: AttackSettings,
): Promise<AttackRollout> {
  const tests = completions.map((completion) => readAttack(dialect, met.pair.problem, completion));
  stages.begin("judging");
  const attacks = await judgeAttacks(court, met.pair, tests);
  stages.end("judging");
  return { met, completions, attacks };
}

/** The distinct tests that the reference has an answer to. */
export function testsOf(attacks: readonly JudgedAttack[]): TestCase[] {
  const distinct = new Map<string, TestCase>();
  for (const attack of attacks) {
    if (attack.kind === "judged" && attack.testCase)
      distinct.set(questionKey(attack.testCase), attack.testCase);
  }
  return [...distinct.values()];
}
