import { expect, test } from "vitest";
import { randomStream, uniform } from "./random.ts";

test("streams differ by seed, key and index, and repeat themselves", () => {
  const first = (seed: number, key: string, index: number) => uniform(randomStream(seed, key, index), 0);
  const values = [
    first(1, "a", 0),
    first(2, "a", 0),
    first(1, "b", 0),
    first(1, "a", 1),
    first(1 + 2 ** 32, "a", 0),
    first(-1, "a", 0),
  ];
  expect(new Set(values).size).toBe(values.length);
  expect(first(1, "a", 0)).toBe(values[0]);
});

test("numbers are even over the unit interval, along positions and across streams", () => {
  const cells = 64;
  const perCell = 1000;
  const draws = cells * perCell;
  const chiSquare = (draw: (i: number) => number) => {
    const counts = new Float64Array(cells);
    for (let i = 0; i < draws; i++) counts[Math.floor(draw(i) * cells)]!++;
    return counts.reduce((sum, count) => sum + (count - perCell) ** 2 / perCell, 0);
  };
  const stream = randomStream(7, "even", 0);
  // 63 degrees of freedom: 115 is exceeded once in about 15,000 fair tables.
  expect(chiSquare((i) => uniform(stream, i))).toBeLessThan(115);
  expect(chiSquare((i) => uniform(randomStream(7, "even", i), 0))).toBeLessThan(115);
  expect(chiSquare((i) => uniform(randomStream(i, "even", 0), 3))).toBeLessThan(115);
  expect(chiSquare((i) => (uniform(stream, i) + uniform(stream, i + 1)) % 1)).toBeLessThan(115);
});
