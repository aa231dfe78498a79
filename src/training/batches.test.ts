import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchOfStep, streamSeed } from "./batches.ts";

describe("batchOfStep", () => {
  it("gives every problem at most once per epoch, and the same ones every time", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(1000),
        (problems, perStep, seed) => {
          const stepsPerEpoch = Math.floor(problems / Math.min(perStep, problems));
          const epoch = Array.from({ length: stepsPerEpoch }, (_, step) =>
            batchOfStep({ problems, perStep, seed, step }),
          );
          expect(new Set(epoch.flat()).size).toBe(epoch.flat().length);
          expect(epoch.flat().every((index) => index >= 0 && index < problems)).toBe(true);
          expect(batchOfStep({ problems, perStep, seed, step: 0 })).toEqual(epoch[0]);
        },
      ),
    );
  });
  it("takes 37 batches of 256 from the paper's 9,688 problems and drops the other 216", () => {
    const paper = { problems: 9688, perStep: 256, seed: 1 };
    const epoch = Array.from({ length: 37 }, (_, step) => batchOfStep({ ...paper, step }));
    expect(new Set(epoch.flat()).size).toBe(9688 - 216);
    const next = batchOfStep({ ...paper, step: 37 });
    expect(next).toHaveLength(256);
    expect(next).not.toEqual(epoch[0]);
  });
  it("orders each epoch anew", () => {
    const at = (step: number) => batchOfStep({ problems: 100, perStep: 100, seed: 1, step });
    expect(at(0)).not.toEqual(at(1));
    expect([...at(0)].sort()).toEqual([...at(1)].sort());
  });
});

describe("streamSeed", () => {
  it("separates purposes and numbers and stays a safe integer", () => {
    const seeds = [
      streamSeed(1, "a", 0),
      streamSeed(1, "a", 1),
      streamSeed(1, "b", 0),
      streamSeed(2, "a", 0),
    ];
    expect(new Set(seeds).size).toBe(4);
    expect(seeds.every(Number.isSafeInteger)).toBe(true);
  });
});
