import { describe, expect, it } from "vitest";
import { learningRateAt } from "./learning-rate.ts";

/** 9,688 problems, 256 a step, three epochs: 111 steps of two optimizer steps each, which share a rate. */
const paper = { peak: 1e-6, warmUpSteps: 10, totalSteps: 111, shape: "cosine" } as const;

describe("learningRateAt", () => {
  it("starts at zero, reaches the peak after the warm-up and ends at zero", () => {
    expect(learningRateAt(0, paper)).toBe(0);
    expect(learningRateAt(5, paper)).toBeCloseTo(5e-7, 15);
    expect(learningRateAt(10, paper)).toBeCloseTo(1e-6, 15);
    expect(learningRateAt(60.5, paper)).toBeCloseTo(5e-7, 15);
    expect(learningRateAt(110, paper)).toBeCloseTo(1e-6 * 0.5 * (1 + Math.cos((Math.PI * 100) / 101)), 15);
    expect(learningRateAt(111, paper)).toBeCloseTo(0, 15);
    expect(learningRateAt(500, paper)).toBeCloseTo(0, 15);
  });
  it("can stay constant after the warm-up", () => {
    expect(learningRateAt(200, { ...paper, shape: "constant" })).toBe(1e-6);
    expect(learningRateAt(0, { ...paper, shape: "constant", warmUpSteps: 0 })).toBe(1e-6);
  });
});
