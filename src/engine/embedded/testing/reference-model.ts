/**
 * The model once more, in plain double precision and without any cleverness: the oracle that kernels are compared
 * with and that finite differences are taken of.
 */
import { headSize, type ModelShape } from "../model-shape.ts";
import { layOut, type TensorPlace, toRowMajor } from "../parameter-layout.ts";

export type Rows = number[][];

export function multiplyRows(a: Rows, b: Rows): Rows {
  return a.map((row) =>
    b[0]!.map((_, column) => row.reduce((sum, value, i) => sum + value * b[i]![column]!, 0)),
  );
}

export function normaliseReference(rows: Rows, gain: readonly number[]): Rows {
  return rows.map((row) => {
    const scale = 1 / Math.sqrt(row.reduce((sum, value) => sum + value * value, 0) / row.length + 1e-5);
    return row.map((value, i) => value * scale * gain[i]!);
  });
}

/** Turns pairs (i, i + 16) of each head by position / 10000^(i / 16). */
export function rotateReference(row: readonly number[], position: number): number[] {
  const half = headSize / 2;
  return row.map((value, index) => {
    const within = index % headSize;
    const angle = position / 10000 ** ((within % half) / half);
    const partner = within < half ? -row[index + half]! : row[index - half]!;
    return value * Math.cos(angle) + partner * Math.sin(angle);
  });
}

/** Causal attention of one sequence; q, k and v as they are (rotated and scaled before, if at all). */
export function attentionReference(q: Rows, k: Rows, v: Rows): Rows {
  return q.map((query, i) => {
    const out = new Array<number>(query.length).fill(0);
    for (let head = 0; head < query.length; head += headSize) {
      const scores = k.slice(0, i + 1).map((key) => {
        let sum = 0;
        for (let d = head; d < head + headSize; d++) sum += query[d]! * key[d]!;
        return sum;
      });
      const weights = softmaxReference(scores);
      for (let j = 0; j <= i; j++)
        for (let d = head; d < head + headSize; d++) out[d]! += weights[j]! * v[j]![d]!;
    }
    return out;
  });
}

export function softmaxReference(scores: readonly number[]): number[] {
  const largest = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - largest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** Values by tensor name, row-major, in double precision. */
export type ReferenceParameters = Map<string, number[]>;

export function referenceParameters(shape: ModelShape, run: Float32Array): ReferenceParameters {
  return new Map(layOut(shape).tensors.map((tensor) => [tensor.name, Array.from(toRowMajor(run, tensor))]));
}

/** Log-probabilities of all next tokens at each position of a sequence. */
export function referenceLogprobs(
  shape: ModelShape,
  parameters: ReferenceParameters,
  tokenIds: readonly number[],
): Rows {
  const layout = layOut(shape);
  const matrix = (tensor: TensorPlace): Rows => {
    const values = parameters.get(tensor.name)!;
    return Array.from({ length: tensor.rows }, (_, row) =>
      values.slice(row * tensor.columns, (row + 1) * tensor.columns),
    );
  };
  const { width } = shape;
  const embedding = matrix(layout.embedding);
  let stream = tokenIds.map((id) => [...embedding[id]!]);
  const add = (more: Rows) => {
    stream = stream.map((row, i) => row.map((value, j) => value + more[i]![j]!));
  };
  for (const places of layout.layers) {
    const projected = multiplyRows(
      normaliseReference(stream, parameters.get(places.attentionNorm.name)!),
      matrix(places.projection),
    );
    const part = (index: number) => projected.map((row) => row.slice(index * width, (index + 1) * width));
    const q = part(0).map((row, i) => rotateReference(row, i).map((value) => value / Math.sqrt(headSize)));
    const k = part(1).map((row, i) => rotateReference(row, i));
    add(multiplyRows(attentionReference(q, k, part(2)), matrix(places.attentionOutput)));
    const hidden = multiplyRows(
      normaliseReference(stream, parameters.get(places.feedforwardNorm.name)!),
      matrix(places.up),
    );
    add(
      multiplyRows(
        hidden.map((row) => row.map((value) => Math.max(value, 0) ** 2)),
        matrix(places.down),
      ),
    );
  }
  const logits = multiplyRows(
    normaliseReference(stream, parameters.get(layout.norm.name)!),
    matrix(layout.head),
  );
  return logits.map((row) => {
    const largest = Math.max(...row);
    const logSum = largest + Math.log(row.reduce((sum, logit) => sum + Math.exp(logit - largest), 0));
    return row.map((logit) => logit - logSum);
  });
}
