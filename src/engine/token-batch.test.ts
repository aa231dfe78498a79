import { describe, expect, test } from "vitest";
import { clippedRatio, crossEntropy } from "./objective.ts";
import { checkBatch, checkSequences, sequenceOf, type TrainingRecord } from "./token-batch.ts";

const record: TrainingRecord = {
  tokenIds: [5, 6, 7, 8],
  promptLength: 2,
  coefficients: [0.5, 0.5],
  behaviourLogprobs: [-1, -2],
  referenceLogprobs: [-1, -2],
  penaltyWeights: [1, 1],
};
const penalised = { ...clippedRatio, reference: { coefficient: 0.001, valueClamp: 10 } };

test("accepts a complete record", () => {
  expect(() => checkBatch([record], penalised)).not.toThrow();
});

describe("refuses and says where", () => {
  const without = (name: keyof TrainingRecord): TrainingRecord => {
    const { [name]: _, ...rest } = record;
    return rest as TrainingRecord;
  };
  test.each<[string, readonly TrainingRecord[], RegExp]>([
    ["an empty batch", [], /empty/],
    ["an empty completion", [{ ...record, promptLength: 4 }], /Record 0 .* completion is empty/],
    ["no prompt", [{ ...record, promptLength: 0 }], /promptLength is 0/],
    [
      "a NaN coefficient",
      [record, { ...record, coefficients: [1, Number.NaN] }],
      /Record 1, completion token 1: coefficients is NaN/,
    ],
    [
      "an infinite log-probability",
      [{ ...record, behaviourLogprobs: [-1, -Infinity] }],
      /behaviourLogprobs is -Infinity/,
    ],
    ["too few coefficients", [{ ...record, coefficients: [1] }], /1 coefficients for 2/],
    ["a missing behaviour", [without("behaviourLogprobs")], /no behaviourLogprobs/],
    ["a missing reference", [without("referenceLogprobs")], /no referenceLogprobs/],
    ["a missing penalty weight", [without("penaltyWeights")], /no penaltyWeights/],
    ["a negative penalty weight", [{ ...record, penaltyWeights: [1, -1] }], /negative/],
    ["a fractional token", [{ ...record, tokenIds: [1, 2, 3, 4.5] }], /4.5 is not a token id/],
  ])("%s", (_, batch, message) => {
    expect(() => checkBatch(batch, penalised)).toThrow(message);
  });
});

test("asks only for what the objective uses", () => {
  const { tokenIds, promptLength, coefficients } = record;
  expect(() => checkBatch([{ tokenIds, promptLength, coefficients }], crossEntropy)).not.toThrow();
  expect(() => checkSequences([{ tokenIds, promptLength }])).not.toThrow();
});

test("a completion becomes the sequence it was sampled as", () => {
  const sequence = sequenceOf({
    text: "x",
    tokenIds: [3, 4],
    logprobs: [-1, -1],
    promptTokenIds: [1, 2],
    stopReason: "end",
    role: "code",
    policyVersion: 0,
  });
  expect(sequence).toEqual({ tokenIds: [1, 2, 3, 4], promptLength: 2 });
});
