/**
 * Where a thread keeps the activations of one pass. Row strides are padded by a cache line: with strides that are
 * powers of two the rows of a block would evict each other from the cache.
 *
 * Training keeps the activations of every layer for the backward pass; scoring and reading prompts keep one
 * layer's and let all layers share it.
 */
import type { Kernels } from "./kernels.ts";
import type { ModelShape } from "./model-shape.ts";
import { paddedOutputs, roundUp } from "./parameter-layout.ts";

/** A matrix of floats: one padded row after the other. */
export interface Matrix {
  readonly address: number;
  /** Bytes from one row to the next. */
  readonly stride: number;
}

export interface LayerActivations {
  /** What enters the layer. */
  readonly stream: Matrix;
  readonly attentionScales: number;
  readonly attentionInput: Matrix;
  readonly projected: Matrix;
  readonly attended: Matrix;
  /** The stream between attention and feed-forward. */
  readonly middle: Matrix;
  readonly feedforwardScales: number;
  readonly feedforwardInput: Matrix;
  readonly hidden: Matrix;
  /** What leaves the layer: the next layer's `stream`. */
  readonly output: Matrix;
}

export interface Workspace {
  readonly capacity: number;
  /** Token ids and positions of the rows, and which rows need logits: unsigned 32-bit integers. */
  readonly tokens: number;
  readonly positions: number;
  readonly headRows: number;
  readonly layers: readonly LayerActivations[];
  readonly activated: Matrix;
  readonly headStream: Matrix;
  readonly headScales: number;
  readonly headInput: Matrix;
  readonly logits: Matrix;
  readonly logSums: number;
  readonly entropies: number;
  readonly slopes: number;
  readonly scratch: number;
  readonly gradients: WorkspaceGradients | undefined;
  readonly bytes: number;
}

export interface WorkspaceGradients {
  readonly stream: Matrix;
  /** Of whatever is widest at the moment: the projection or the hidden values. */
  readonly wide: Matrix;
  readonly narrow: Matrix;
  /** Of the rows that have logits, before they are spread over all rows. */
  readonly chosen: Matrix;
}

export interface WorkspacePlan {
  readonly shape: ModelShape;
  readonly rows: number;
  readonly purpose: "training" | "inference";
  readonly kernels: Pick<Kernels, "attentionBackwardScratch" | "attentionForwardScratch">;
}

export function planWorkspace(plan: WorkspacePlan, base: number): Workspace {
  const { shape, kernels, purpose } = plan;
  // Products work on four rows at a time and may touch up to three rows behind the last.
  const rows = roundUp(plan.rows, 4) + 4;
  const training = purpose === "training";
  let next = base;
  const take = (bytes: number): number => {
    const address = next;
    next = roundUp(next + bytes, 64);
    return address;
  };
  const matrix = (columns: number): Matrix => {
    const stride = (columns + 16) * 4;
    return { address: take(rows * stride), stride };
  };
  const values = () => take(rows * 4);

  const { width, hidden, context } = shape;
  const tokens = values();
  const positions = values();
  const headRows = values();
  const layerOf = (stream: Matrix): LayerActivations => ({
    stream,
    attentionScales: values(),
    attentionInput: matrix(width),
    projected: matrix(3 * width),
    attended: matrix(width),
    middle: training ? matrix(width) : stream,
    feedforwardScales: values(),
    feedforwardInput: matrix(width),
    hidden: matrix(hidden),
    output: training ? matrix(width) : stream,
  });
  const layers: LayerActivations[] = [layerOf(matrix(width))];
  for (let layer = 1; layer < shape.layers; layer++)
    layers.push(training ? layerOf(layers[layer - 1]!.output) : layers[0]!);

  const workspace = {
    capacity: plan.rows,
    tokens,
    positions,
    headRows,
    layers,
    activated: training ? matrix(hidden) : layers[0]!.hidden,
    headStream: matrix(width),
    headScales: values(),
    headInput: matrix(width),
    logits: matrix(paddedOutputs),
    logSums: values(),
    entropies: values(),
    slopes: values(),
    gradients: training
      ? {
          stream: matrix(width),
          wide: matrix(Math.max(3 * width, hidden)),
          narrow: matrix(width),
          chosen: matrix(width),
        }
      : undefined,
    scratch: take(
      training
        ? kernels.attentionBackwardScratch(context, context)
        : kernels.attentionForwardScratch(context),
    ),
  };
  return { ...workspace, bytes: next - base };
}
