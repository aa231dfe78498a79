/**
 * Where each tensor of a model lies in one flat run of float32 values. Matrices are kept in the panels that the
 * products read ([columns / 8][rows][8]), so the optimizer updates the very memory that the next forward pass uses.
 * What decays comes first, the gains of the norms last. Files hold plain row-major tensors; `toRowMajor` and
 * `fromRowMajor` convert.
 */
import type { ModelShape } from "./model-shape.ts";
import { outputCount, vocabularySize } from "./tokenizer.ts";

export interface TensorPlace {
  readonly name: string;
  /** As stored in files. A vector has one row. */
  readonly rows: number;
  readonly columns: number;
  readonly layout: "rows" | "panels";
  /** First value, counted in floats from the start of the run. */
  readonly offset: number;
  /** Floats in the run: columns rounded up to 8. */
  readonly size: number;
  /** First value of the transposed copy, in floats; only matrices in panels have one. */
  readonly transposedOffset: number;
}

export interface LayerPlaces {
  readonly attentionNorm: TensorPlace;
  readonly projection: TensorPlace;
  readonly attentionOutput: TensorPlace;
  readonly feedforwardNorm: TensorPlace;
  readonly up: TensorPlace;
  readonly down: TensorPlace;
}

export interface ParameterLayout {
  readonly tensors: readonly TensorPlace[];
  readonly embedding: TensorPlace;
  readonly layers: readonly LayerPlaces[];
  readonly norm: TensorPlace;
  readonly head: TensorPlace;
  /** Floats of the whole run. */
  readonly size: number;
  /** Floats that weight decay applies to: everything but the gains. */
  readonly decayedSize: number;
  readonly transposedSize: number;
  /** Trainable values, padding not counted. */
  readonly parameterCount: number;
}

export const paddedOutputs = roundUp(outputCount, 8);

export function layOut(shape: ModelShape): ParameterLayout {
  const { width, hidden } = shape;
  const tensors: TensorPlace[] = [];
  let offset = 0;
  let transposedOffset = 0;
  const place = (name: string, rows: number, columns: number, layout: TensorPlace["layout"]): TensorPlace => {
    const size = rows * roundUp(columns, 8);
    const tensor = { name, rows, columns, layout, offset, size, transposedOffset };
    offset += roundUp(size, 16);
    if (layout === "panels") transposedOffset += size;
    tensors.push(tensor);
    return tensor;
  };
  const embedding = place("embedding", vocabularySize, width, "rows");
  const matrices = Array.from({ length: shape.layers }, (_, layer) => ({
    projection: place(`layers.${layer}.attention.projection`, width, 3 * width, "panels"),
    attentionOutput: place(`layers.${layer}.attention.output`, width, width, "panels"),
    up: place(`layers.${layer}.feedforward.up`, width, hidden, "panels"),
    down: place(`layers.${layer}.feedforward.down`, hidden, width, "panels"),
  }));
  const head = place("head", width, outputCount, "panels");
  const decayedSize = offset;
  const layers = matrices.map((matrix, layer) => ({
    ...matrix,
    attentionNorm: place(`layers.${layer}.attention.norm`, 1, width, "rows"),
    feedforwardNorm: place(`layers.${layer}.feedforward.norm`, 1, width, "rows"),
  }));
  const norm = place("norm", 1, width, "rows");
  return {
    tensors,
    embedding,
    layers,
    norm,
    head,
    size: offset,
    decayedSize,
    transposedSize: transposedOffset,
    parameterCount: tensors.reduce((sum, tensor) => sum + tensor.rows * tensor.columns, 0),
  };
}

/** The tensor's values in row-major order, without padding. */
export function toRowMajor(run: Float32Array, tensor: TensorPlace): Float32Array {
  const values = new Float32Array(tensor.rows * tensor.columns);
  forEachValue(tensor, (index, at) => {
    values[index] = run[at]!;
  });
  return values;
}

export function fromRowMajor(values: Float32Array, run: Float32Array, tensor: TensorPlace): void {
  forEachValue(tensor, (index, at) => {
    run[at] = values[index]!;
  });
}

function forEachValue(tensor: TensorPlace, visit: (index: number, at: number) => void): void {
  const { rows, columns, layout, offset } = tensor;
  for (let row = 0, index = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, index++) {
      const within = layout === "rows" ? index : ((column >> 3) * rows + row) * 8 + (column & 7);
      visit(index, offset + within);
    }
  }
}

export function roundUp(value: number, unit: number): number {
  return Math.ceil(value / unit) * unit;
}
