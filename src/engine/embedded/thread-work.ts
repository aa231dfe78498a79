/** Does one piece of work in a worker thread. Long work yields between micro-batches, so that sampling goes on. */
import type { BackwardPass } from "./backward-pass.ts";
import type { Kernels } from "./kernels.ts";
import { addSums, emptySums, type MemoryViews, scoreMicrobatch, trainMicrobatch } from "./microbatch-pass.ts";
import type { ModelPass } from "./model-pass.ts";
import { layOut, type ParameterLayout } from "./parameter-layout.ts";
import { workspaceRows } from "./row-batch.ts";
import type { PassPlace, Work, WorkResult } from "./thread-messages.ts";
import { planWorkspace } from "./workspace.ts";

export interface ThreadTools {
  readonly kernels: Kernels;
  readonly views: MemoryViews;
}

/** Yields after each micro-batch and returns the answer. */
export function* doWork(tools: ThreadTools, work: Work): Generator<void, WorkResult> {
  const { kernels, views } = tools;
  switch (work.kind) {
    case "score": {
      const pass = openPass(tools, work.place, "inference");
      const logprobs: Float32Array[] = [];
      for (const microbatch of work.microbatches) {
        logprobs.push(scoreMicrobatch(pass, views, microbatch));
        yield;
      }
      return { logprobs };
    }
    case "train": {
      const pass = openPass(tools, work.place, "training");
      const { transposed, gradient, objective } = work;
      const backward: BackwardPass = { ...pass, gradients: pass.workspace.gradients!, transposed, gradient };
      if (work.start === "zero") kernels.zeroBytes(gradient, pass.layout.size * 4);
      const logprobs: Float32Array[] = [];
      const sums = emptySums();
      for (const batch of work.microbatches) {
        const result = trainMicrobatch(backward, views, { batch, objective });
        logprobs.push(result.logprobs);
        addSums(sums, result.sums);
        yield;
      }
      return { logprobs, sums };
    }
    case "reduce": {
      const squares = work.ranges.map(({ offset, bytes }) =>
        kernels.reduceGradients(work.buffers, work.count, offset, bytes),
      );
      return { squares };
    }
    case "adam": {
      const { update } = work;
      for (const { offset, bytes, keep } of work.ranges)
        kernels.adam(
          update.parameters + offset,
          update.gradient + offset,
          update.mean + offset,
          update.square + offset,
          bytes,
          update.beta1,
          update.beta2,
          update.epsilon,
          update.stepSize,
          update.secondScale,
          keep,
          update.gradientScale,
        );
      return {};
    }
    case "transpose": {
      const { tensors } = layoutOf(work.shape);
      for (const index of work.tensors) {
        const tensor = tensors[index]!;
        kernels.transposePanels(
          work.parameters + tensor.offset * 4,
          tensor.rows,
          tensor.size / tensor.rows,
          work.transposed + tensor.transposedOffset * 4,
        );
      }
      return {};
    }
  }
}

export function openPass(
  { kernels }: ThreadTools,
  place: PassPlace,
  purpose: "training" | "inference",
): ModelPass {
  const { shape } = place;
  const rows = workspaceRows(shape.context);
  return {
    kernels,
    shape,
    layout: layoutOf(shape),
    workspace: planWorkspace({ shape, rows, purpose, kernels }, place.workspace),
    parameters: place.parameters,
    rotationTables: place.rotationTables,
  };
}

const layouts = new Map<string, ParameterLayout>();

function layoutOf(shape: PassPlace["shape"]): ParameterLayout {
  const key = JSON.stringify(shape);
  const layout = layouts.get(key) ?? layOut(shape);
  layouts.set(key, layout);
  return layout;
}
