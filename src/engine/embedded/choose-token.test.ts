import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseToken, heaviest } from "./choose-token.ts";
import { randomStream, uniform } from "./random.ts";

const weights = Float32Array.of(0.1, 0.4, 0, 0.3, 0.2);

test("draws follow the weights", () => {
  const counts = new Array<number>(weights.length).fill(0);
  const stream = randomStream(1, "draws", 0);
  const draws = 20_000;
  for (let i = 0; i < draws; i++) counts[chooseToken(weights, 1, uniform(stream, i))]!++;
  counts.forEach((count, id) => {
    const expected = weights[id]!;
    const error = Math.sqrt((expected * (1 - expected)) / draws);
    expect(Math.abs(count / draws - expected)).toBeLessThanOrEqual(5 * error);
  });
});

test("top-p keeps the heaviest tokens that reach it", () => {
  const drawn = (topP: number) =>
    new Set(Array.from({ length: 500 }, (_, i) => chooseToken(weights, topP, i / 500)));
  expect([...drawn(0.39)].sort()).toEqual([1]);
  expect([...drawn(0.5)].sort()).toEqual([1, 3]);
  expect([...drawn(0.95)].sort()).toEqual([0, 1, 3, 4]);
});

test("a token without weight is never drawn", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constant(0), fc.float({ min: 0, max: 100, noNaN: true })), {
        minLength: 1,
        maxLength: 97,
      }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (values, at, topP) => {
        fc.pre(values.some((value) => value > 0));
        const list = Float32Array.from(values);
        expect(list[chooseToken(list, topP, at)]).toBeGreaterThan(0);
        expect(list[heaviest(list)]).toBe(Math.max(...list));
      },
    ),
  );
});
