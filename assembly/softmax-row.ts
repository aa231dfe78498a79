// Softmax of one row of attention scores, in place. Training and sampling both use it, so that a sampled token has
// the very log-probability that scoring it again gives.
import { exponential, largestOfLanes, multiplyAdd, sumOfLanes } from "./vector";

/** `count` entries are real; those up to `limit` (a multiple of 8) become exactly 0. */
export function softmaxRow(scores: usize, count: i32, limit: i32): void {
  for (let i = count; i < limit; ++i) store<f32>(scores + (<usize>i << 2), -1e30);
  const end = scores + (<usize>limit << 2);
  let largest = v128.load(scores);
  for (let p = scores + 16; p < end; p += 16) largest = f32x4.max(largest, v128.load(p));
  const shift = f32x4.splat(largestOfLanes(largest));
  let sum = f32x4.splat(0);
  for (let p = scores; p < end; p += 16) {
    const e = exponential(f32x4.sub(v128.load(p), shift));
    v128.store(p, e);
    sum = f32x4.add(sum, e);
  }
  const scale = f32x4.splat(1 / sumOfLanes(sum));
  for (let p = scores; p < end; p += 16) v128.store(p, f32x4.mul(v128.load(p), scale));
}

/** Backward of softmax: gradient ← p ∘ (gradient − Σ p·gradient), over `limit` entries. */
export function softmaxRowBackward(probabilities: usize, gradient: usize, limit: i32): void {
  const bytes = <usize>limit << 2;
  let sum = f32x4.splat(0);
  for (let i: usize = 0; i < bytes; i += 16)
    sum = multiplyAdd(v128.load(probabilities + i), v128.load(gradient + i), sum);
  const mean = f32x4.splat(sumOfLanes(sum));
  for (let i: usize = 0; i < bytes; i += 16) {
    const difference = f32x4.sub(v128.load(gradient + i), mean);
    v128.store(gradient + i, f32x4.mul(v128.load(probabilities + i), difference));
  }
}
