/**
 * Honest error bars. Over seeds: the mean with Student's t interval, mean ± t(n−1, 97.5 %) · s / √n. Over yes-or-no
 * outcomes: Wilson's score interval, which stays inside [0, 1] and does not collapse at 0 or 1.
 */

/** 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom. */
const quantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const normalQuantile = 1.959964;

export interface MeanInterval {
  readonly mean: number;
  /** Half the width of the 95 % interval; undefined for fewer than two values. */
  readonly margin: number | undefined;
  readonly count: number;
}

export function meanInterval(values: readonly number[]): MeanInterval {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (count < 2) return { mean, margin: undefined, count };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const quantile = quantiles[count - 2] ?? normalQuantile;
  return { mean, margin: quantile * Math.sqrt(variance / count), count };
}

export function wilsonInterval(successes: number, trials: number): { low: number; high: number } {
  if (trials === 0) return { low: 0, high: 1 };
  const rate = successes / trials;
  const square = normalQuantile ** 2;
  const center = rate + square / (2 * trials);
  const spread = normalQuantile * Math.sqrt((rate * (1 - rate)) / trials + square / (4 * trials ** 2));
  const scale = 1 + square / trials;
  return { low: Math.max(0, (center - spread) / scale), high: Math.min(1, (center + spread) / scale) };
}
