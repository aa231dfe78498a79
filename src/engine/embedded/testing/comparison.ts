/** Repeatable inputs, and comparisons of float32 results with double precision. */
import { expect } from "vitest";
import { randomStream, uniform } from "../random.ts";
import type { Rows } from "./reference-model.ts";

export const numbers = (count: number, key: string, spread = 1): number[] => {
  const stream = randomStream(11, key, 0);
  return Array.from({ length: count }, (_, i) => Math.fround((2 * uniform(stream, i) - 1) * spread));
};
export const rowsOf = (values: readonly number[], columns: number): Rows =>
  Array.from({ length: values.length / columns }, (_, row) =>
    values.slice(row * columns, (row + 1) * columns),
  );

export function expectClose(actual: readonly number[], expected: readonly number[], tolerance = 2e-5): void {
  expect(actual).toHaveLength(expected.length);
  const scale = Math.max(1e-3, ...expected.map(Math.abs));
  const worst = Math.max(...actual.map((value, i) => Math.abs(value - expected[i]!)));
  expect(worst / scale).toBeLessThan(tolerance);
}

/** Gradient of Σ upstream · f(x), by central differences. */
export function numericGradient(
  x: readonly number[],
  upstream: readonly number[],
  f: (x: number[]) => number[],
): number[] {
  const step = 1e-5;
  const weighted = (at: number[]) => f(at).reduce((sum, value, i) => sum + value * upstream[i]!, 0);
  return x.map((_, i) => {
    const moved = (by: number) => weighted(x.map((value, j) => (j === i ? value + by : value)));
    return (moved(step) - moved(-step)) / (2 * step);
  });
}
