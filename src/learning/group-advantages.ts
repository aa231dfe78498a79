/**
 * Group-relative advantages (GRPO): A_i = (r_i − mean) / (std + 1e-6), with the unbiased standard deviation of the
 * group. Source: the verl version that trained Code-A1.
 *
 * A masked member (undefined) takes no part in mean and deviation and gets no advantage. A group with fewer than two
 * usable members says nothing and is skipped. A group of equal rewards is recognised by equality, not by a small
 * deviation: rounding must not turn agreement into a gradient.
 */

export type GroupAdvantages =
  | { readonly kind: "learn"; readonly advantages: readonly (number | undefined)[] }
  /** All usable rewards are the same: every advantage is 0. */
  | { readonly kind: "no-variance"; readonly advantages: readonly (number | undefined)[] }
  | { readonly kind: "too-few" };

const epsilon = 1e-6;

export function groupAdvantages(rewards: readonly (number | undefined)[]): GroupAdvantages {
  const usable = rewards.filter((reward) => reward !== undefined);
  if (usable.length < 2) return { kind: "too-few" };
  if (usable.every((reward) => reward === usable[0])) {
    return {
      kind: "no-variance",
      advantages: rewards.map((reward) => (reward === undefined ? undefined : 0)),
    };
  }
  const mean = usable.reduce((sum, reward) => sum + reward, 0) / usable.length;
  const variance = usable.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / (usable.length - 1);
  const scale = Math.sqrt(variance) + epsilon;
  return {
    kind: "learn",
    advantages: rewards.map((reward) => (reward === undefined ? undefined : (reward - mean) / scale)),
  };
}

/** Population standard deviation of the usable rewards; 0 for fewer than two. Ranks candidates in select-groups.ts. */
export function spread(rewards: readonly (number | undefined)[]): number {
  const usable = rewards.filter((reward) => reward !== undefined);
  if (usable.length < 2) return 0;
  const mean = usable.reduce((sum, reward) => sum + reward, 0) / usable.length;
  return Math.sqrt(usable.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / usable.length);
}
