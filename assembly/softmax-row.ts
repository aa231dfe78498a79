// Softmax of one row of attention scores, in place. Training and sampling both use it, so that a sampled token has
// the very log-probability that scoring it again gives.
//
// One function for each pass: V8 moves what is computed between two loops into the second loop, where it is computed
// again in every round; only a parameter stays put.
import { exponential, largestOfLanes, multiplyAdd, sumOfLanes } from "./vector";

/** `count` entries are real; those up to `limit` (a multiple of 8) become exactly 0. */
export function softmaxRow(scores: usize, count: i32, limit: i32): void {
  for (let i = count; i < limit; ++i) store<f32>(scores + (<usize>i << 2), -1e30);
  const sum = exponentials(scores, limit, largest(scores, limit));
  scale(scores, limit, 1 / sum);
}

export function largest(values: usize, count: i32): f32 {
  const end = values + (<usize>count << 2);
  let best = v128.load(values), other = v128.load(values, 16);
  for (let p = values + 32; p < end; p += 32) {
    best = f32x4.pmax(best, v128.load(p));
    other = f32x4.pmax(other, v128.load(p, 16));
  }
  return largestOfLanes(f32x4.pmax(best, other));
}

/** values ← e^(values − shift); returns the sum, lane by lane in ascending order. */
export function exponentials(values: usize, count: i32, shift: f32): f32 {
  const end = values + (<usize>count << 2);
  let sum = f32x4.splat(0);
  for (let p = values; p < end; p += 16) {
    const e = exponential(f32x4.sub(v128.load(p), f32x4.splat(shift)));
    v128.store(p, e);
    sum = f32x4.add(sum, e);
  }
  return sumOfLanes(sum);
}

export function scale(values: usize, count: i32, factor: f32): void {
  const end = values + (<usize>count << 2);
  for (let p = values; p < end; p += 32) {
    v128.store(p, f32x4.mul(v128.load(p), f32x4.splat(factor)));
    v128.store(p, f32x4.mul(v128.load(p, 16), f32x4.splat(factor)), 16);
  }
}

/** Backward of softmax: gradient ← p ∘ (gradient − Σ p·gradient), over `limit` entries. */
export function softmaxRowBackward(probabilities: usize, gradient: usize, limit: i32): void {
  const bytes = <usize>limit << 2;
  let sum = f32x4.splat(0), other = f32x4.splat(0);
  for (let i: usize = 0; i < bytes; i += 32) {
    sum = multiplyAdd(v128.load(probabilities + i), v128.load(gradient + i), sum);
    other = multiplyAdd(v128.load(probabilities + i, 16), v128.load(gradient + i, 16), other);
  }
  subtractAndScale(probabilities, gradient, bytes, sumOfLanes(f32x4.add(sum, other)));
}

export function subtractAndScale(factors: usize, values: usize, bytes: usize, mean: f32): void {
  for (let i: usize = 0; i < bytes; i += 16) {
    const difference = f32x4.sub(v128.load(values + i), f32x4.splat(mean));
    v128.store(values + i, f32x4.mul(v128.load(factors + i), difference));
  }
}
