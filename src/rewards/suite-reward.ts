/**
 * What a program is worth by the tests of a suite, for training a coder where nobody wrote gold tests:
 *
 *   pass-rate  passed / total
 *   all-pass   1 if passed = total, else 0
 *   weighted   0.9 · passed / total + 0.1 · format,  format = 1 for a program that is Python at all
 *
 * `weighted` is UTRL's choice. ATGEN's paper uses its suites as a reward without naming a formula. A reply that holds
 * no Python program is worth 0 under all three. A suite without tests says nothing, so it gives no reward at all.
 */
export const suiteRewards = ["pass-rate", "all-pass", "weighted"] as const;
export type SuiteReward = (typeof suiteRewards)[number];

export interface SuiteScore {
  readonly passed: number;
  readonly total: number;
  /** Whether the reply holds a program that Python can read. */
  readonly parses: boolean;
}

/** Undefined where there is no test to judge by. */
export function suiteReward(reward: SuiteReward, { passed, total, parses }: SuiteScore): number | undefined {
  if (total === 0) return undefined;
  const rate = passed / total;
  if (reward === "all-pass") return passed === total ? 1 : 0;
  return reward === "pass-rate" ? rate : 0.9 * rate + (parses ? 0.1 : 0);
}
