/**
 * ATGEN's adversarial half of a step: for the pairs that are due, a harder wrong program is looked for, one that passes
 * the group's correct tests and still fails the gold tests. What is found becomes a change of the pool.
 *
 *   unconditional   every pair is due
 *   adaptive        pairs whose present program the generator attacked (any, most or all of its tests)
 */
import type { Adversary } from "../adversaries/adversary.ts";
import type { AttackPool, PoolChange } from "../adversaries/attack-pool.ts";
import { type AdversarySearch, findAdversary } from "../adversaries/find-adversary.ts";
import type { JudgedAttack } from "../evaluation/judge-attack.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import { type AttackRollout, testsOf } from "./attack-rollout.ts";
import { streamSeed } from "./batches.ts";
import type { TrainingConfig } from "./config.ts";

export interface Replacement {
  readonly pairId: string;
  /** Undefined for a pair that rests because nothing was found before. */
  readonly search: AdversarySearch | undefined;
  readonly change: PoolChange | undefined;
}

export interface ReplacementOptions {
  readonly config: TrainingConfig;
  readonly adversary: Adversary;
  readonly pool: AttackPool;
  readonly court: Court;
  readonly step: number;
  readonly signal: AbortSignal;
  /** Whether the generator's context has room for an attack on this program. */
  readonly fits: (problem: Problem, source: string) => boolean;
}

export async function replacePrograms(
  rollouts: readonly AttackRollout[],
  options: ReplacementOptions,
): Promise<Replacement[]> {
  const { config, pool } = options;
  const due = rollouts.filter(
    (rollout) =>
      isDue(rollout, config.atgen) &&
      testsToPass(rollout, config.atgen.referenceTests).length > 0 &&
      // That an earlier program was attacked says nothing about the present one.
      (config.atgen.mode === "unconditional" || pool.isPresent(rollout.met)),
  );
  const found = await Promise.all(due.map((rollout) => replaceProgram(rollout, options)));
  return withoutRepeats(found, pool);
}

/** Searches of one step know nothing of each other: of pairs of a problem that found the same, the first gets it. */
function withoutRepeats(found: readonly Replacement[], pool: AttackPool): Replacement[] {
  const taken = new Set<string>();
  return found.map((replacement) => {
    const { search, change } = replacement;
    if (change?.kind !== "replaced") return replacement;
    const key = pool.keyOf(change.pair, change.source);
    if (taken.has(key))
      return { ...replacement, search: search && { ...search, source: undefined }, change: undefined };
    taken.add(key);
    return replacement;
  });
}

export function isDue(
  { attacks }: Pick<AttackRollout, "attacks">,
  { mode, trigger }: Pick<TrainingConfig["atgen"], "mode" | "trigger">,
): boolean {
  const judged = attacks.filter((attack) => attack.kind === "judged");
  // A group that our infrastructure lost says nothing about what a harder program would be.
  if (mode === "none" || judged.length === 0) return false;
  if (mode === "unconditional") return true;
  const successes = judged.filter(isAttack).length;
  switch (trigger) {
    case "any":
      return successes > 0;
    case "majority":
      return 2 * successes > judged.length;
    case "all":
      return successes === judged.length;
  }
}

async function replaceProgram(rollout: AttackRollout, options: ReplacementOptions): Promise<Replacement> {
  const { config, adversary, pool, court, step, signal } = options;
  const { pair } = rollout.met;
  const pairId = pair.id;
  if (pool.isResting(pairId)) return { pairId, search: undefined, change: { pair: pairId, kind: "rested" } };
  const taken = pool.takenKeys(pairId);
  const search = await findAdversary(adversary, court, {
    problem: pair.problem,
    tests: testsToPass(rollout, config.atgen.referenceTests),
    most: config.atgen.maxTries,
    unwanted: (source) => taken.has(pool.keyOf(pairId, source)) || !options.fits(pair.problem, source),
    seed: streamSeed(config.seed, `adversary/${pairId}`, step),
    signal,
  });
  if (search.source !== undefined)
    return { pairId, search, change: { pair: pairId, kind: "replaced", source: search.source } };
  // Neither an adversary nor a sandbox that failed has shown that there is nothing to find.
  const lost = search.failure !== undefined || (search.verdicts.masked ?? 0) > 0;
  if (lost) return { pairId, search, change: undefined };
  return { pairId, search, change: { pair: pairId, kind: "exhausted" } };
}

/** All of them with the reference's answer, whatever the generator's was. */
function testsToPass(
  { attacks }: AttackRollout,
  which: TrainingConfig["atgen"]["referenceTests"],
): TestCase[] {
  const [all, right, attacking] = [
    testsOf(attacks),
    testsOf(attacks.filter(isRight)),
    testsOf(attacks.filter(isAttack)),
  ];
  switch (which) {
    case "all-inputs":
      return all;
    case "all-correct":
      return right.length > 0 ? right : all;
    case "one-attack":
      return [...attacking, ...right, ...all].slice(0, 1);
  }
}

function isRight(attack: JudgedAttack): boolean {
  return attack.kind === "judged" && (attack.reached === "harmless" || attack.reached === "attack");
}

function isAttack(attack: JudgedAttack): boolean {
  return attack.kind === "judged" && attack.reached === "attack";
}
