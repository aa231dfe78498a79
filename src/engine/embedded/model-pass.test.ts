/** The whole model against double precision, and its gradient against finite differences, in both builds. */
import { beforeAll, describe, expect, test } from "vitest";
import { clippedRatio, type Objective, tokenLoss } from "../objective.ts";
import { completionLength, type TrainingRecord } from "../token-batch.ts";
import { initialWeights } from "./initial-weights.ts";
import { kernelVariants } from "./kernels.ts";
import { type MemoryViews, scoreMicrobatch, trainMicrobatch } from "./microbatch-pass.ts";
import type { ModelPass } from "./model-pass.ts";
import type { ModelShape } from "./model-shape.ts";
import { layOut, toRowMajor } from "./parameter-layout.ts";
import { rotationTables } from "./rotation-tables.ts";
import { shardBatch } from "./row-batch.ts";
import { numbers } from "./testing/comparison.ts";
import { openWorkbench } from "./testing/kernel-workbench.ts";
import {
  type ReferenceParameters,
  referenceLogprobs,
  referenceParameters,
} from "./testing/reference-model.ts";
import { planWorkspace } from "./workspace.ts";

const shape: ModelShape = { layers: 2, width: 32, hidden: 64, context: 32 };
const layout = layOut(shape);
const objective: Objective = { ...clippedRatio, reference: { coefficient: 0.3, valueClamp: 10 } };

/** Three completions of one prompt, one of another, one of a single token. */
function makeBatch(): TrainingRecord[] {
  const sequences: [number[], number[]][] = [
    [
      [97, 5, 9, 98],
      [40, 41, 42, 96],
    ],
    [
      [97, 5, 9, 98],
      [40, 7, 96],
    ],
    [
      [97, 80],
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 96],
    ],
    [[97, 5, 9, 98], [11]],
  ];
  return sequences.map(([prompt, completion], index) => {
    const values = (key: string, spread: number) => numbers(completion.length, `${key} ${index}`, spread);
    return {
      tokenIds: [...prompt, ...completion],
      promptLength: prompt.length,
      coefficients: values("coefficients", 1),
      behaviourLogprobs: values("behaviour", 0.6).map((value) => value - 4.6),
      referenceLogprobs: values("reference", 1).map((value) => value - 4.6),
      penaltyWeights: values("penalty", 1).map(Math.abs),
    };
  });
}

function referenceLoss(parameters: ReferenceParameters, batch: readonly TrainingRecord[]): number {
  let loss = 0;
  for (const record of batch) {
    const logprobs = referenceLogprobs(shape, parameters, record.tokenIds.slice(0, -1));
    for (let index = 0; index < completionLength(record); index++) {
      const at = record.promptLength + index;
      loss += tokenLoss(objective, logprobs[at - 1]![record.tokenIds[at]!]!, {
        coefficient: record.coefficients[index]!,
        behaviourLogprob: record.behaviourLogprobs![index]!,
        referenceLogprob: record.referenceLogprobs![index]!,
        penaltyWeight: record.penaltyWeights![index]!,
      }).loss;
    }
  }
  return loss;
}

describe.each(kernelVariants)("%s kernels", (variant) => {
  const weights = initialWeights(shape, 3);
  // Gains of exactly 1 would hide a gain that is left out.
  for (const tensor of layout.tensors)
    if (tensor.rows === 1)
      weights.set(
        numbers(tensor.columns, tensor.name, 0.5).map((value) => value + 1),
        tensor.offset,
      );
  const batch = makeBatch();
  const microbatches = shardBatch(batch, shape.context).flat();
  let pass: ModelPass;
  let views: MemoryViews;
  let loss = 0;
  let gradient: Float32Array;

  beforeAll(async () => {
    const bench = await openWorkbench(variant);
    views = bench;
    const plan = { shape, rows: 64, kernels: bench.kernels, purpose: "training" } as const;
    const workspace = planWorkspace(
      plan,
      bench.memory.allocate(planWorkspace(plan, 0).bytes, "workspace").address,
    );
    const parameters = bench.place(weights);
    pass = {
      kernels: bench.kernels,
      shape,
      layout,
      workspace,
      parameters,
      rotationTables: bench.place(rotationTables(shape.context)),
    };
    const transposed = bench.place(new Float32Array(layout.transposedSize));
    for (const tensor of layout.tensors) {
      if (tensor.layout === "panels")
        bench.kernels.transposePanels(
          parameters + tensor.offset * 4,
          tensor.rows,
          tensor.size / tensor.rows,
          transposed + tensor.transposedOffset * 4,
        );
    }
    const run = bench.place(new Float32Array(layout.size));
    const backward = { ...pass, gradients: workspace.gradients!, transposed, gradient: run };
    for (const microbatch of microbatches)
      loss += trainMicrobatch(backward, views, { batch: microbatch, objective }).sums.loss;
    gradient = Float32Array.from(bench.read(run, layout.size));
  });

  test("log-probabilities agree with double precision", () => {
    const parameters = referenceParameters(shape, weights);
    const expected = batch.flatMap((record) => {
      const rows = referenceLogprobs(shape, parameters, record.tokenIds.slice(0, -1));
      return record.tokenIds
        .slice(record.promptLength)
        .map((token, i) => rows[record.promptLength + i - 1]![token]!);
    });
    for (const microbatch of microbatches) {
      scoreMicrobatch(pass, views, microbatch).forEach((logprob, index) => {
        expect(Math.abs(logprob - expected[microbatch.targetPlaces[index]!]!)).toBeLessThan(2e-5);
      });
    }
    expect(Math.abs(loss - referenceLoss(parameters, batch))).toBeLessThan(1e-4);
  });

  test.each(layout.tensors.map((tensor) => [tensor.name, tensor] as const))(
    "gradient of %s",
    (name, tensor) => {
      const parameters = referenceParameters(shape, weights);
      const values = parameters.get(name)!;
      const analytic = toRowMajor(gradient, tensor);
      const derivativeAlong = (direction: readonly number[], step: number) => {
        const lossAt = (by: number) => {
          parameters.set(
            name,
            values.map((value, i) => value + by * direction[i]!),
          );
          return referenceLoss(parameters, batch);
        };
        return (lossAt(step) - lossAt(-step)) / (2 * step);
      };
      const norm = Math.hypot(...analytic);
      expect(norm).toBeGreaterThan(1e-3);
      // Along the gradient itself the derivative is its norm, which no wrong entry could hide from; along random
      // directions the signs mix.
      const along = Array.from(analytic, (value) => value / norm);
      expect(Math.abs(derivativeAlong(along, 1e-5) - norm) / norm).toBeLessThan(1e-3);
      for (const key of ["first", "second", "third"]) {
        const direction = numbers(values.length, `${name} ${key}`);
        const expected = direction.reduce((sum, value, i) => sum + value * analytic[i]!, 0);
        expect(Math.abs(derivativeAlong(direction, 1e-6) - expected)).toBeLessThan(1e-3 * norm);
      }
    },
  );
});
