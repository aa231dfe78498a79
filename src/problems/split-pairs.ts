/**
 * Pairs for training and pairs held out, cut by problem: a statement and reference that occur on one side never occur
 * on the other. The side is decided by a hash of the problem's id, so a problem stays on its side when others come or
 * go.
 */
import { seededRandom } from "./arena/random.ts";
import type { AttackPair } from "./attack-pair.ts";

export interface SplitPairs {
  readonly training: readonly AttackPair[];
  readonly heldOut: readonly AttackPair[];
}

/** `share` of the problems are held out, more or less: each is decided for itself. */
export function splitByProblem(
  pairs: readonly AttackPair[],
  { share, seed }: { readonly share: number; readonly seed: number | string },
): SplitPairs {
  const isHeldOut = ({ problem }: AttackPair) => seededRandom(`${seed}/${problem.id}`).next() < share;
  return {
    training: pairs.filter((pair) => !isHeldOut(pair)),
    heldOut: pairs.filter(isHeldOut),
  };
}
