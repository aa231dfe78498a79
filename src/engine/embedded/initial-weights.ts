/**
 * Fresh weights from a seed. Values are uniform with the spread that keeps the stream's size constant from layer to
 * layer: 1/√inputs, 1/√(2·layers) of that for the matrices that add to the stream, and a fifth of it for the head, so
 * that a new model starts out undecided. Uniform rather than normal, because it needs no logarithm or cosine: the same
 * seed gives the same bits on every machine.
 */
import type { ModelShape } from "./model-shape.ts";
import { fromRowMajor, layOut } from "./parameter-layout.ts";
import { randomStream, uniform } from "./random.ts";

export function initialWeights(shape: ModelShape, seed: number): Float32Array {
  const layout = layOut(shape);
  const run = new Float32Array(layout.size);
  const intoStream = 1 / Math.sqrt(2 * shape.layers);
  for (const tensor of layout.tensors) {
    const values = new Float32Array(tensor.rows * tensor.columns);
    if (tensor.rows === 1) values.fill(1);
    else {
      const addsToStream = layout.layers.some(
        ({ attentionOutput, down }) => tensor === attentionOutput || tensor === down,
      );
      const factor = addsToStream ? intoStream : tensor === layout.head ? 0.2 : 1;
      const inputs = tensor === layout.embedding ? tensor.columns : tensor.rows;
      const deviation = factor / Math.sqrt(inputs);
      const reach = deviation * Math.sqrt(3);
      const stream = randomStream(seed, tensor.name, 0);
      for (let i = 0; i < values.length; i++) values[i] = (2 * uniform(stream, i) - 1) * reach;
    }
    fromRowMajor(values, run, tensor);
  }
  return run;
}
