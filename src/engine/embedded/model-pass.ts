/**
 * Forward and backward of the transformer over rows of tokens, as calls of coarse kernels. Rows belong to segments
 * (see `row-batch.ts`); only attention looks from one row to another.
 *
 *   stream ← embedding[token]
 *   per layer:  stream += attention(norm(stream)) · W_out;   stream += max(norm(stream) · W_up, 0)² · W_down
 *   logits = norm(stream) · W_head
 *
 * The order of operations inside a row does not depend on the other rows. That is a promise: sampling, scoring and
 * training compute the same bits for the same sequence.
 */
import type { Kernels } from "./kernels.ts";
import { headSize, type ModelShape } from "./model-shape.ts";
import {
  type LayerPlaces,
  type ParameterLayout,
  paddedOutputs,
  type TensorPlace,
} from "./parameter-layout.ts";
import { segmentFields } from "./row-batch.ts";
import { outputCount } from "./tokenizer.ts";
import type { LayerActivations, Matrix, Workspace } from "./workspace.ts";

export interface ModelPass {
  readonly kernels: Kernels;
  readonly shape: ModelShape;
  readonly layout: ParameterLayout;
  readonly workspace: Workspace;
  /** Addresses of the runs of values that `layout` describes. */
  readonly parameters: number;
  readonly rotationTables: number;
}

export const queryScale = Math.fround(1 / Math.sqrt(headSize));

export function addressOf(base: number, tensor: TensorPlace): number {
  return base + tensor.offset * 4;
}

/** `target` (+)= `source` · weights. */
function applyMatrix(
  { kernels, parameters }: Pick<ModelPass, "kernels" | "parameters">,
  product: { rows: number; source: Matrix; tensor: TensorPlace; target: Matrix; mode: "set" | "add" },
): void {
  const { source, tensor, target } = product;
  const columns = tensor.size / tensor.rows;
  kernels.multiply(
    product.rows,
    columns,
    tensor.rows,
    source.address,
    source.stride,
    addressOf(parameters, tensor),
    tensor.rows * 32,
    target.address,
    target.stride,
    product.mode === "add" ? 1 : 0,
  );
}

/** What happens between the projection to q, k, v and the output matrix of a layer's attention. */
export type Attend = (layer: number, at: LayerActivations) => void;

/** From tokens and positions in the workspace to the stream that leaves the last layer. */
export function forwardRows(pass: ModelPass, rows: number, attend: Attend): void {
  const { kernels, shape, layout, workspace, parameters } = pass;
  const first = workspace.layers[0]!.stream;
  const { embedding } = layout;
  kernels.gatherRows(
    addressOf(parameters, embedding),
    embedding.columns * 4,
    workspace.tokens,
    rows,
    shape.width,
    first.address,
    first.stride,
  );
  layout.layers.forEach((places, layer) => {
    const at = workspace.layers[layer]!;
    const { stream, attentionInput, projected, attended, middle } = at;
    normaliseRows(pass, {
      rows,
      input: stream,
      gain: places.attentionNorm,
      output: attentionInput,
      scales: at.attentionScales,
    });
    applyMatrix(pass, {
      rows,
      source: attentionInput,
      tensor: places.projection,
      target: projected,
      mode: "set",
    });
    kernels.rotate(
      projected.address,
      projected.stride,
      rows,
      shape.width,
      workspace.positions,
      pass.rotationTables,
      queryScale,
      1,
    );
    attend(layer, at);
    copyRows(pass, { rows, from: stream, to: middle });
    applyMatrix(pass, {
      rows,
      source: attended,
      tensor: places.attentionOutput,
      target: middle,
      mode: "add",
    });
    feedforward(pass, { rows, places, at });
  });
}

/** Attention inside segments: rows that are all present, as in training, scoring and reading a prompt. */
export function attendSegments({ kernels, shape, workspace }: ModelPass, segments: Int32Array): Attend {
  return (_, { projected, attended }) => {
    for (let i = 0; i < segments.length; i += segmentFields) {
      const [row, length, position, prefix] = segmentAt(segments, i);
      kernels.attentionForward(
        projected.address,
        projected.stride,
        shape.width,
        row,
        length,
        position,
        prefix,
        attended.address,
        attended.stride,
        workspace.scratch,
      );
    }
  };
}

/** The feed-forward half of a layer: from `middle` to `output`. */
function feedforward(
  pass: ModelPass,
  { rows, places, at }: { rows: number; places: LayerPlaces; at: LayerActivations },
): void {
  const { kernels, shape, workspace } = pass;
  normaliseRows(pass, {
    rows,
    input: at.middle,
    gain: places.feedforwardNorm,
    output: at.feedforwardInput,
    scales: at.feedforwardScales,
  });
  applyMatrix(pass, { rows, source: at.feedforwardInput, tensor: places.up, target: at.hidden, mode: "set" });
  const { activated } = workspace;
  kernels.activate(
    at.hidden.address,
    at.hidden.stride,
    rows,
    shape.hidden,
    activated.address,
    activated.stride,
  );
  copyRows(pass, { rows, from: at.middle, to: at.output });
  applyMatrix(pass, { rows, source: activated, tensor: places.down, target: at.output, mode: "add" });
}

/** Logits and their statistics for the rows listed in `workspace.headRows`. */
export function forwardHead(pass: ModelPass, count: number): void {
  const { kernels, shape, layout, workspace } = pass;
  const { headStream, headInput, logits } = workspace;
  const last = workspace.layers.at(-1)!.output;
  kernels.gatherRows(
    last.address,
    last.stride,
    workspace.headRows,
    count,
    shape.width,
    headStream.address,
    headStream.stride,
  );
  normaliseRows(pass, {
    rows: count,
    input: headStream,
    gain: layout.norm,
    output: headInput,
    scales: workspace.headScales,
  });
  applyMatrix(pass, { rows: count, source: headInput, tensor: layout.head, target: logits, mode: "set" });
  kernels.distribution(
    logits.address,
    logits.stride,
    count,
    outputCount,
    paddedOutputs,
    workspace.logSums,
    workspace.entropies,
  );
}

function normaliseRows(
  { kernels, shape, parameters }: ModelPass,
  norm: { rows: number; input: Matrix; gain: TensorPlace; output: Matrix; scales: number },
): void {
  kernels.normalise(
    norm.input.address,
    norm.input.stride,
    norm.rows,
    shape.width,
    addressOf(parameters, norm.gain),
    norm.output.address,
    norm.output.stride,
    norm.scales,
  );
}

export function segmentAt(segments: Int32Array, index: number): [number, number, number, number] {
  return [segments[index]!, segments[index + 1]!, segments[index + 2]!, segments[index + 3]!];
}

function copyRows(
  { kernels }: ModelPass,
  { rows, from, to }: { rows: number; from: Matrix; to: Matrix },
): void {
  if (from.address !== to.address) kernels.copyBytes(to.address, from.address, rows * from.stride);
}
