/**
 * The backward half of `model-pass.ts`. Expects the activations that a forward pass left in a training workspace,
 * and in `workspace.logits` the gradient of the loss by the logits. Adds to the gradient run, so several passes can
 * follow each other; every sum has a fixed order.
 */
import { addressOf, type ModelPass, queryScale, segmentAt } from "./model-pass.ts";
import { type LayerPlaces, paddedOutputs, type TensorPlace } from "./parameter-layout.ts";
import { segmentFields } from "./row-batch.ts";
import type { LayerActivations, Matrix, WorkspaceGradients } from "./workspace.ts";

export interface BackwardPass extends ModelPass {
  readonly gradients: WorkspaceGradients;
  /** Address of the transposed copies of the matrices. */
  readonly transposed: number;
  /** Address of the run that gradients are added to. */
  readonly gradient: number;
}

/** From the gradient of `headCount` rows of logits to the gradient of every parameter. */
export function backwardRows(
  pass: BackwardPass,
  { rows, headCount, segments }: { rows: number; headCount: number; segments: Int32Array },
): void {
  backwardHead(pass, rows, headCount);
  for (let layer = pass.shape.layers - 1; layer >= 0; layer--) {
    const places = pass.layout.layers[layer]!;
    const at = pass.workspace.layers[layer]!;
    backwardFeedforward(pass, { rows, places, at });
    backwardAttention(pass, { rows, places, at, segments });
  }
  const { embedding } = pass.layout;
  const { stream } = pass.gradients;
  pass.kernels.scatterAddRows(
    stream.address,
    stream.stride,
    pass.workspace.tokens,
    rows,
    pass.shape.width,
    addressOf(pass.gradient, embedding),
    embedding.columns * 4,
  );
}

function backwardHead(pass: BackwardPass, rows: number, headCount: number): void {
  const { kernels, shape, layout, workspace, gradients } = pass;
  const { stream, narrow, chosen } = gradients;
  const { logits, headInput, headStream } = workspace;
  weightGradient(pass, { rows: headCount, input: headInput, tensor: layout.head, gradient: logits });
  inputGradient(pass, { rows: headCount, gradient: logits, tensor: layout.head, target: narrow });
  kernels.zeroBytes(chosen.address, headCount * chosen.stride);
  normBackward(pass, {
    rows: headCount,
    input: headStream,
    gain: layout.norm,
    scales: workspace.headScales,
    gradient: narrow,
    target: chosen,
  });
  kernels.zeroBytes(stream.address, rows * stream.stride);
  kernels.scatterAddRows(
    chosen.address,
    chosen.stride,
    workspace.headRows,
    headCount,
    shape.width,
    stream.address,
    stream.stride,
  );
}

function backwardFeedforward(
  pass: BackwardPass,
  { rows, places, at }: { rows: number; places: LayerPlaces; at: LayerActivations },
): void {
  const { kernels, shape, workspace, gradients } = pass;
  const { stream, wide, narrow } = gradients;
  const { hidden } = at;
  const { activated } = workspace;
  // Cheaper to compute again than to keep for every layer.
  kernels.activate(hidden.address, hidden.stride, rows, shape.hidden, activated.address, activated.stride);
  weightGradient(pass, { rows, input: activated, tensor: places.down, gradient: stream });
  inputGradient(pass, { rows, gradient: stream, tensor: places.down, target: wide });
  kernels.activateBackward(hidden.address, hidden.stride, rows, shape.hidden, wide.address, wide.stride);
  weightGradient(pass, { rows, input: at.feedforwardInput, tensor: places.up, gradient: wide });
  inputGradient(pass, { rows, gradient: wide, tensor: places.up, target: narrow });
  normBackward(pass, {
    rows,
    input: at.middle,
    gain: places.feedforwardNorm,
    scales: at.feedforwardScales,
    gradient: narrow,
    target: stream,
  });
}

function backwardAttention(
  pass: BackwardPass,
  where: { rows: number; places: LayerPlaces; at: LayerActivations; segments: Int32Array },
): void {
  const { kernels, shape, workspace, gradients } = pass;
  const { rows, places, at, segments } = where;
  const { stream, wide, narrow } = gradients;
  weightGradient(pass, { rows, input: at.attended, tensor: places.attentionOutput, gradient: stream });
  inputGradient(pass, { rows, gradient: stream, tensor: places.attentionOutput, target: narrow });
  kernels.zeroBytes(wide.address, rows * wide.stride);
  for (let i = 0; i < segments.length; i += segmentFields) {
    const [row, length, position, prefix] = segmentAt(segments, i);
    kernels.attentionBackward(
      at.projected.address,
      at.projected.stride,
      shape.width,
      row,
      length,
      position,
      prefix,
      narrow.address,
      narrow.stride,
      wide.address,
      wide.stride,
      workspace.scratch,
    );
  }
  const { positions } = workspace;
  kernels.rotate(
    wide.address,
    wide.stride,
    rows,
    shape.width,
    positions,
    pass.rotationTables,
    queryScale,
    -1,
  );
  weightGradient(pass, { rows, input: at.attentionInput, tensor: places.projection, gradient: wide });
  inputGradient(pass, { rows, gradient: wide, tensor: places.projection, target: narrow });
  normBackward(pass, {
    rows,
    input: at.stream,
    gain: places.attentionNorm,
    scales: at.attentionScales,
    gradient: narrow,
    target: stream,
  });
}

/** dW += inputᵀ · gradient, in the panels that W lies in. */
function weightGradient(
  { kernels, gradient: run }: BackwardPass,
  product: { rows: number; input: Matrix; tensor: TensorPlace; gradient: Matrix },
): void {
  const { tensor, input, gradient } = product;
  kernels.multiplyTransposed(
    product.rows,
    tensor.rows,
    tensor.size / tensor.rows,
    input.address,
    input.stride,
    gradient.address,
    gradient.stride,
    addressOf(run, tensor),
    32,
    tensor.rows * 32,
  );
}

/** d input = gradient · Wᵀ. */
function inputGradient(
  { kernels, transposed }: BackwardPass,
  product: { rows: number; gradient: Matrix; tensor: TensorPlace; target: Matrix },
): void {
  const { tensor, gradient, target } = product;
  const columns = tensor.size / tensor.rows;
  kernels.multiply(
    product.rows,
    tensor.rows,
    columns,
    gradient.address,
    gradient.stride,
    transposed + tensor.transposedOffset * 4,
    columns * 32,
    target.address,
    target.stride,
    0,
  );
}

function normBackward(
  { kernels, shape, parameters, gradient: run }: BackwardPass,
  norm: { rows: number; input: Matrix; gain: TensorPlace; scales: number; gradient: Matrix; target: Matrix },
): void {
  kernels.normaliseBackward(
    norm.input.address,
    norm.input.stride,
    norm.rows,
    shape.width,
    addressOf(parameters, norm.gain),
    norm.scales,
    norm.gradient.address,
    norm.gradient.stride,
    norm.target.address,
    norm.target.stride,
    addressOf(run, norm.gain),
  );
}

/** Turns `workspace.logits` into the gradient of Σ slope · log-probability(target). */
export function distributionGradient(
  { kernels, workspace }: ModelPass,
  targets: { headCount: number; heads: Int32Array; tokens: Int32Array; slopes: Float64Array },
  memory: { floats: Float32Array },
): void {
  const { logits, logSums, slopes } = workspace;
  const { floats } = memory;
  floats.fill(0, slopes >> 2, (slopes >> 2) + targets.headCount);
  targets.heads.forEach((head, index) => {
    floats[(slopes >> 2) + head]! += targets.slopes[index]!;
  });
  kernels.distributionBackward(
    logits.address,
    logits.stride,
    targets.headCount,
    paddedOutputs,
    logSums,
    slopes,
  );
  targets.heads.forEach((head, index) => {
    floats[(logits.address + head * logits.stride + targets.tokens[index]! * 4) >> 2]! +=
      targets.slopes[index]!;
  });
}
