import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ClippedRatio,
  checkObjective,
  clippedRatio,
  crossEntropy,
  importanceSampling,
  type Objective,
  type TokenInputs,
  tokenLoss,
} from "./objective.ts";

const plain: TokenInputs = { coefficient: 1, behaviourLogprob: 0, referenceLogprob: 0, penaltyWeight: 0 };
const withPenalty: ClippedRatio = { ...clippedRatio, reference: { coefficient: 0.5, valueClamp: 10 } };

describe("clipped ratio", () => {
  test("inside the bounds it is the plain ratio", () => {
    const result = tokenLoss(clippedRatio, Math.log(1.1), { ...plain, coefficient: 2 });
    expect(result.loss).toBeCloseTo(-2.2, 12);
    expect(result.slope).toBeCloseTo(-2.2, 12);
    expect(result.branch).toBe("open");
  });

  test("the bounds are asymmetric and only hold back what would profit", () => {
    expect(tokenLoss(clippedRatio, Math.log(1.3), plain)).toMatchObject({
      loss: -1.28,
      slope: 0,
      branch: "clipped",
    });
    expect(tokenLoss(clippedRatio, Math.log(1.27), plain).branch).toBe("open");
    const punished = { ...plain, coefficient: -1 };
    expect(tokenLoss(clippedRatio, Math.log(0.7), punished)).toMatchObject({
      loss: 0.8,
      slope: 0,
      branch: "clipped",
    });
    expect(tokenLoss(clippedRatio, Math.log(0.7), plain).branch).toBe("open");
    expect(tokenLoss(clippedRatio, Math.log(1.3), punished).branch).toBe("open");
  });

  test("a runaway ratio of a punished token stops at the dual clip", () => {
    const punished = { ...plain, coefficient: -2 };
    expect(tokenLoss(clippedRatio, Math.log(9.9), punished).branch).toBe("open");
    expect(tokenLoss(clippedRatio, Math.log(11), punished)).toMatchObject({
      loss: 20,
      slope: 0,
      branch: "dual-clipped",
    });
  });

  test("the log-ratio is clamped", () => {
    const result = tokenLoss({ ...clippedRatio, clipHigh: 1e12 }, 50, plain);
    expect(result.ratio).toBeCloseTo(Math.exp(20), 3);
    expect(result.slope).toBe(0);
  });
});

test("the penalty is the low-variance divergence, clamped from above", () => {
  const neutral = { ...plain, coefficient: 0, penaltyWeight: 2 };
  const near = tokenLoss(withPenalty, -1, { ...neutral, behaviourLogprob: -1, referenceLogprob: -1.5 });
  expect(near.divergence).toBeCloseTo(Math.exp(-0.5) + 0.5 - 1, 12);
  expect(near.loss).toBeCloseTo(near.divergence, 12);
  const far = tokenLoss(withPenalty, -9, { ...neutral, behaviourLogprob: -9, referenceLogprob: -1 });
  expect(far).toMatchObject({ divergence: 10, loss: 10, slope: 0 });
});

test("cross-entropy ignores behaviour and reference", () => {
  expect(tokenLoss(crossEntropy, -3, { ...plain, coefficient: 0.5, behaviourLogprob: -9 })).toMatchObject({
    loss: 1.5,
    slope: -0.5,
  });
});

test("the slope is the derivative of the loss wherever there is one", () => {
  const logprob = fc.double({ min: -8, max: -0.01, noNaN: true });
  fc.assert(
    fc.property(
      fc.constantFrom<Objective>(clippedRatio, withPenalty, importanceSampling, crossEntropy),
      fc.record({
        coefficient: fc.double({ min: -3, max: 3, noNaN: true }),
        behaviourLogprob: logprob,
        referenceLogprob: logprob,
        penaltyWeight: fc.double({ min: 0, max: 2, noNaN: true }),
      }),
      logprob,
      (objective, inputs, at) => {
        const step = 1e-6;
        const below = tokenLoss(objective, at - step, inputs);
        const above = tokenLoss(objective, at + step, inputs);
        // A kink between the two points has no derivative.
        fc.pre(below.branch === above.branch && below.divergence < 10 === above.divergence < 10);
        const numeric = (above.loss - below.loss) / (2 * step);
        const { slope } = tokenLoss(objective, at, inputs);
        expect(Math.abs(slope - numeric)).toBeLessThan(1e-4 * Math.max(1, Math.abs(slope)));
      },
    ),
  );
});

test.each<[Objective, string]>([
  [{ ...clippedRatio, clipLow: Number.NaN }, "clipLow"],
  [{ ...clippedRatio, clipHigh: Number.POSITIVE_INFINITY }, "clipHigh"],
  [{ ...clippedRatio, dualClip: 0.5 }, "dualClip"],
  [{ ...importanceSampling, logRatioClamp: 0 }, "logRatioClamp"],
  [{ ...clippedRatio, reference: { coefficient: Number.NaN, valueClamp: 10 } }, "reference coefficient"],
])("refuses %j", (objective, names) => {
  expect(() => checkObjective(objective)).toThrow(names);
});
