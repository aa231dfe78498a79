/**
 * The training pairs of ATGEN as they are now: an accepted adversary takes the place of the program before it, which is
 * remembered and can be met again with a probability, so that easy bugs are not forgotten. A pair for which the
 * adversary found nothing rests for 1, 3, 7 … of its next turns: where a model is always right, or always fails the
 * tests, every turn would otherwise cost all the tries.
 *
 * Every change is a value that the run's journal keeps; the pool of a resumed run is made of the same changes.
 */
import { programKey } from "../mutants/program-key.ts";
import { choose, type Random } from "../problems/arena/random.ts";
import type { AttackPair } from "../problems/attack-pair.ts";

export type PoolChange =
  | { readonly pair: string; readonly kind: "replaced"; readonly source: string }
  | { readonly pair: string; readonly kind: "exhausted" }
  | { readonly pair: string; readonly kind: "rested" };

/** A pair as it is met in a step. */
export interface MetPair {
  readonly pair: AttackPair;
  /** How many adversaries stand between this program and the data's own; 0 is the original. */
  readonly generation: number;
}

interface PairState {
  /** The original first, the present program last. */
  readonly programs: string[];
  failures: number;
  rest: number;
}

const longestRest = 7;

export class AttackPool {
  readonly #pairs: ReadonlyMap<string, AttackPair>;
  readonly #pairsOfProblem: ReadonlyMap<string, readonly string[]>;
  readonly #states = new Map<string, PairState>();

  constructor(pairs: readonly AttackPair[]) {
    this.#pairs = new Map(pairs.map((pair) => [pair.id, pair]));
    const byProblem = new Map<string, string[]>();
    for (const { id, problem } of pairs)
      byProblem.set(problem.id, [...(byProblem.get(problem.id) ?? []), id]);
    this.#pairsOfProblem = byProblem;
  }

  meet(pairId: string, replay: { random: Random; probability: number }): MetPair {
    const original = this.#pairs.get(pairId)!;
    const programs = this.programs(pairId);
    const newest = programs.length - 1;
    const replays = newest > 0 && replay.random.next() < replay.probability;
    const earlier = Array.from({ length: newest }, (_, index) => index);
    const generation = replays ? choose(replay.random, earlier) : newest;
    return { pair: { ...original, buggy: programs[generation]! }, generation };
  }

  /** Every program that the pair has had, the original first. */
  programs(pairId: string): readonly string[] {
    return this.#states.get(pairId)?.programs ?? [this.#pairs.get(pairId)!.buggy];
  }

  isPresent({ pair, generation }: MetPair): boolean {
    return generation === this.programs(pair.id).length - 1;
  }

  /** The same for programs of one problem that differ in nothing but layout and comments. */
  keyOf(pairId: string, source: string): string {
    return JSON.stringify([this.#pairs.get(pairId)!.problem.id, programKey(source)]);
  }

  /** Keys of the programs that the pair has had, and that other pairs of its problem have now. */
  takenKeys(pairId: string): ReadonlySet<string> {
    const { problem } = this.#pairs.get(pairId)!;
    const siblings = this.#pairsOfProblem.get(problem.id)!.map((id) => this.programs(id).at(-1)!);
    return new Set([...this.programs(pairId), ...siblings].map((source) => this.keyOf(pairId, source)));
  }

  isResting(pairId: string): boolean {
    return (this.#states.get(pairId)?.rest ?? 0) > 0;
  }

  apply(change: PoolChange): void {
    const original = this.#pairs.get(change.pair);
    // A pair that the data no longer has: the configuration is checked at resume, the files' content is not.
    if (!original) return;
    const state = this.#states.get(change.pair) ?? { programs: [original.buggy], failures: 0, rest: 0 };
    this.#states.set(change.pair, state);
    switch (change.kind) {
      case "replaced":
        state.programs.push(change.source);
        state.failures = 0;
        break;
      case "exhausted":
        state.failures += 1;
        state.rest = Math.min(2 ** state.failures - 1, longestRest);
        break;
      case "rested":
        state.rest = Math.max(0, state.rest - 1);
        break;
    }
  }
}
