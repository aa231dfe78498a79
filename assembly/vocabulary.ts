// The distribution over the next token. Rows of logits are padded to a multiple of 8; the padding is made
// impossible (−1e30) before anything else looks at it.
import { largest } from "./softmax-row";
import { exponential, multiplyAdd, sumOfLanes } from "./vector";

/** For each row the log of Σ e^logit and the entropy. Masks the padding. */
export function distribution(
  logits: usize, stride: usize, rows: i32, vocabulary: i32, padded: i32, logSums: usize, entropies: usize,
): void {
  const bytes = <usize>padded << 2;
  for (let row = 0; row < rows; ++row) {
    for (let i = vocabulary; i < padded; ++i) store<f32>(logits + (<usize>i << 2), -1e30);
    const top = largest(logits, padded);
    const shift = f32x4.splat(top);
    let sum = f32x4.splat(0), weighted = f32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      const x = f32x4.sub(v128.load(logits + i), shift);
      const e = exponential(x);
      sum = f32x4.add(sum, e);
      weighted = multiplyAdd(e, x, weighted);
    }
    const total = sumOfLanes(sum);
    const logTotal = <f32>Math.log(<f64>total);
    store<f32>(logSums, top + logTotal);
    store<f32>(entropies, logTotal - sumOfLanes(weighted) / total);
    logits += stride;
    logSums += 4;
    entropies += 4;
  }
}

/** logits ← −slope · probability: the gradient of Σ slope·logprob(target) without the targets' own part. */
export function distributionBackward(
  logits: usize, stride: usize, rows: i32, padded: i32, logSums: usize, slopes: usize,
): void {
  for (let row = 0; row < rows; ++row) {
    const shift = v128.load32_splat(logSums), slope = f32x4.neg(v128.load32_splat(slopes));
    for (let i: usize = 0; i < <usize>padded << 2; i += 16)
      v128.store(logits + i, f32x4.mul(slope, exponential(f32x4.sub(v128.load(logits + i), shift))));
    logits += stride;
    logSums += 4;
    slopes += 4;
  }
}

/** One row: out ← e^((logit − logSum) / temperature), for drawing. */
export function temperedWeights(
  logits: usize, padded: i32, logSum: f32, inverseTemperature: f32, out: usize,
): void {
  const shift = f32x4.splat(logSum), scale = f32x4.splat(inverseTemperature);
  for (let i: usize = 0; i < <usize>padded << 2; i += 16)
    v128.store(out + i, exponential(f32x4.mul(f32x4.sub(v128.load(logits + i), shift), scale)));
}
