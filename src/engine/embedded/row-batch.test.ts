import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Microbatch, segmentFields, shardBatch, shardCount } from "./row-batch.ts";

const context = 64;
const rowsOf = (microbatch: Microbatch) => microbatch.tokens.length;

describe("one record", () => {
  const [microbatch] = shardBatch(
    [{ tokenIds: [10, 11, 20, 21, 22], promptLength: 2, coefficients: [1, 2, 3] }],
    context,
  ).flat();

  test("the last token is no input, the first is predicted by the prompt", () => {
    expect([...microbatch!.tokens]).toEqual([10, 11, 20, 21]);
    expect([...microbatch!.positions]).toEqual([0, 1, 2, 3]);
    expect([...microbatch!.segments]).toEqual([0, 2, 0, 0, 2, 2, 2, 0]);
    expect([...microbatch!.headRows]).toEqual([1, 2, 3]);
    expect([...microbatch!.targetHeads]).toEqual([0, 1, 2]);
    expect([...microbatch!.targetTokens]).toEqual([20, 21, 22]);
    expect([...microbatch!.coefficients]).toEqual([1, 2, 3]);
  });
});

test("records with one prompt share its rows", () => {
  const [microbatch] = shardBatch(
    [
      { tokenIds: [10, 11, 20, 21], promptLength: 2 },
      { tokenIds: [10, 11, 30], promptLength: 2 },
      { tokenIds: [10, 11, 40, 41], promptLength: 2 },
    ],
    context,
  ).flat();
  expect([...microbatch!.tokens]).toEqual([10, 11, 20, 40]);
  expect([...microbatch!.segments]).toEqual([0, 2, 0, 0, 2, 1, 2, 0, 3, 1, 2, 0]);
  expect([...microbatch!.targetHeads]).toEqual([0, 1, 0, 0, 2]);
  expect([...microbatch!.targetPlaces]).toEqual([0, 1, 2, 3, 4]);
});

test("every target of a batch appears exactly once, predicted by the token before it", () => {
  const record = fc
    .record({
      prompt: fc.array(fc.nat(3), { minLength: 1, maxLength: 20 }),
      completion: fc.array(fc.nat(96), { minLength: 1, maxLength: 40 }),
    })
    .map(({ prompt, completion }) => ({
      tokenIds: [...prompt, ...completion],
      promptLength: prompt.length,
      coefficients: completion.map((token) => token + 0.5),
    }));
  fc.assert(
    fc.property(fc.array(record, { minLength: 1, maxLength: 60 }), (batch) => {
      const shards = shardBatch(batch, context);
      expect(shards).toHaveLength(shardCount);
      const expected = batch.flatMap(({ tokenIds, promptLength }) => tokenIds.slice(promptLength));
      const before = batch.flatMap(({ tokenIds, promptLength }) => tokenIds.slice(promptLength - 1, -1));
      const positions = batch.flatMap(({ tokenIds, promptLength }) =>
        tokenIds.slice(promptLength).map((_, index) => promptLength + index - 1),
      );
      const seen = new Set<number>();
      for (const microbatch of shards.flat()) {
        expect(rowsOf(microbatch)).toBeLessThanOrEqual(512);
        microbatch.targetPlaces.forEach((place, index) => {
          expect(seen.has(place)).toBe(false);
          seen.add(place);
          const row = microbatch.headRows[microbatch.targetHeads[index]!]!;
          expect(microbatch.targetTokens[index]).toBe(expected[place]);
          expect(microbatch.tokens[row]).toBe(before[place]);
          expect(microbatch.positions[row]).toBe(positions[place]);
          expect(microbatch.coefficients[index]).toBe(expected[place]! + 0.5);
        });
        let rows = 0;
        for (let i = 0; i < microbatch.segments.length; i += segmentFields) {
          expect(microbatch.segments[i]).toBe(rows);
          rows += microbatch.segments[i + 1]!;
        }
        expect(rows).toBe(rowsOf(microbatch));
      }
      expect(seen.size).toBe(expected.length);
    }),
  );
});

test("a large batch is spread evenly over the shards", () => {
  const batch = Array.from({ length: 32 }, (_, index) => ({
    tokenIds: [index, ...new Array<number>(255).fill(1)],
    promptLength: 1,
  }));
  const load = shardBatch(batch, 256).map((shard) =>
    shard.reduce((sum, microbatch) => sum + rowsOf(microbatch), 0),
  );
  expect(new Set(load).size).toBe(1);
});
