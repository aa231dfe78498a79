import { describe, expect, it } from "vitest";
import type { Completion } from "../engine/completion.ts";
import { miniBatches, trainingRecords } from "./training-records.ts";

const completion = (tokenIds: number[]): Completion => ({
  text: "",
  tokenIds,
  logprobs: tokenIds.map(() => -1),
  promptTokenIds: [7, 8],
  stopReason: "end",
  role: "code",
  policyVersion: 0,
});

describe("trainingRecords", () => {
  it("spreads each advantage so that the plain sum is the mean over all tokens", () => {
    const records = trainingRecords([
      { completion: completion([1, 2, 3]), advantage: 2 },
      { completion: completion([4]), advantage: -1, referenceLogprobs: [-0.5] },
    ]);
    expect(records[0]).toEqual({
      tokenIds: [7, 8, 1, 2, 3],
      promptLength: 2,
      coefficients: [0.5, 0.5, 0.5],
      behaviourLogprobs: [-1, -1, -1],
    });
    expect(records[1]).toMatchObject({
      coefficients: [-0.25],
      referenceLogprobs: [-0.5],
      penaltyWeights: [0.25],
    });
  });
});

describe("miniBatches", () => {
  it("keeps order and loses nothing", () => {
    expect(miniBatches([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
    expect(miniBatches([], 2)).toEqual([]);
  });
});
