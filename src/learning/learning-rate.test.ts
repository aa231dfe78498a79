import { describe, expect, it } from "vitest";
import { learningRateAt } from "./learning-rate.ts";

const paper = { peak: 1e-6, warmUpSteps: 10, totalSteps: 222, shape: "cosine" } as const;

describe("learningRateAt", () => {
  it("starts at zero, reaches the peak after the warm-up and ends at zero", () => {
    expect(learningRateAt(0, paper)).toBe(0);
    expect(learningRateAt(5, paper)).toBeCloseTo(5e-7, 15);
    expect(learningRateAt(10, paper)).toBeCloseTo(1e-6, 15);
    expect(learningRateAt(116, paper)).toBeCloseTo(5e-7, 15);
    expect(learningRateAt(222, paper)).toBeCloseTo(0, 15);
    expect(learningRateAt(500, paper)).toBeCloseTo(0, 15);
  });
  it("can stay constant after the warm-up", () => {
    expect(learningRateAt(200, { ...paper, shape: "constant" })).toBe(1e-6);
    expect(learningRateAt(0, { ...paper, shape: "constant", warmUpSteps: 0 })).toBe(1e-6);
  });
});
