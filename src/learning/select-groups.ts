/**
 * Top-variance selection (Code-A1, `update_n`): of the candidates of one question, only those whose suites' rewards
 * differ most train the tester. Ties go to the earlier candidate, so that the choice is the same every time.
 */
import { spread } from "./group-advantages.ts";

/** Indexes of the groups to train on, in order; all of them if `keep` is not smaller than their number. */
export function selectTopVariance(
  rewardsByGroup: readonly (readonly (number | undefined)[])[],
  keep: number,
): number[] {
  return rewardsByGroup
    .map((rewards, index) => ({ index, spread: spread(rewards) }))
    .sort((left, right) => right.spread - left.spread || left.index - right.index)
    .slice(0, keep)
    .map(({ index }) => index)
    .sort((left, right) => left - right);
}
