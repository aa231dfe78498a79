/** The numbers of an ATGEN step, by their stable names; docs/metrics.md says what each means. */
import { outcomeKinds } from "../judge/outcome.ts";
import type { AttackClass } from "../rewards/atgen.ts";
import type { AttackRollout } from "./attack-rollout.ts";
import type { LearningReport } from "./learn.ts";
import type { Replacement } from "./replace-programs.ts";
import { deviation, type Metrics, mean, putCompletions, putLearning, putLessons } from "./step-metrics.ts";
import type { Lessons } from "./teach.ts";

export interface AttackFacts {
  readonly rollouts: readonly AttackRollout[];
  readonly rewards: readonly (readonly (number | undefined)[])[];
  readonly lessons: Lessons;
  readonly learning: LearningReport | undefined;
  readonly replacements: readonly Replacement[];
  /** Whether programs are replaced at this step at all. */
  readonly replaces: boolean;
}

export function attackMetrics(facts: AttackFacts): Metrics {
  const metrics: Metrics = {};
  const put = (name: string, value: number | undefined) => {
    if (value !== undefined && Number.isFinite(value)) metrics[name] = value;
  };
  const attacks = facts.rollouts.flatMap((rollout) => rollout.attacks);
  const judged = attacks.filter((attack) => attack.kind === "judged");
  const share = (...wanted: readonly AttackClass[]) =>
    mean(judged.map(({ reached }) => (wanted.includes(reached) ? 1 : 0)));
  put("test/reward/mean", mean(facts.rewards.flat()));
  put("test/reward/std", deviation(facts.rewards.flat()));
  put("test/masked", attacks.length - judged.length);
  put("test/format_wrong", share("format-wrong"));
  put("test/io_accuracy", share("harmless", "attack"));
  put("test/attack_rate", share("attack"));
  put(
    "test/input_attack_rate",
    mean(judged.map(({ outcome }) => (outcome && outcome.kind !== "passed" ? 1 : 0))),
  );
  putCompletions(
    put,
    "test",
    facts.rollouts.flatMap(({ completions }) => completions),
  );
  putLessons(put, "test", facts.lessons);
  putLearning(put, "test", facts.learning);
  const generations = facts.rollouts.map(({ met }) => met.generation);
  put("adversary/generation/mean", mean(generations));
  put("adversary/generation/max", Math.max(0, ...generations));
  if (facts.replaces) putReplacements(put, facts.replacements);
  for (const kind of outcomeKinds)
    put(`sandbox/${kind}`, judged.filter(({ outcome }) => outcome?.kind === kind).length);
  return metrics;
}

function putReplacements(
  put: (name: string, value: number | undefined) => void,
  replacements: readonly Replacement[],
): void {
  const searches = replacements.flatMap(({ search }) => (search ? [search] : []));
  const accepted = searches.filter(({ source }) => source !== undefined);
  const tries = searches.reduce((sum, search) => sum + search.tries, 0);
  put("adversary/due", replacements.length);
  put("adversary/resting", replacements.length - searches.length);
  put("adversary/accepted", accepted.length);
  put("adversary/failures", searches.filter(({ failure }) => failure !== undefined).length);
  put("adversary/tries", tries);
  put("adversary/acceptance_rate", tries > 0 ? accepted.length / tries : undefined);
  for (const verdict of ["does-not-load", "fails-tests", "right", "unwanted", "masked"] as const) {
    put(
      `adversary/refused/${verdict}`,
      searches.reduce((sum, { verdicts }) => sum + (verdicts[verdict] ?? 0), 0),
    );
  }
}
