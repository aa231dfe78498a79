// The most multiply-adds that this build can do: twelve independent chains that never touch memory. Benchmarks
// divide by it.
import { multiplyAdd, sumOfLanes } from "./vector";

/**
 * 96 floating-point operations for each round. The factors come from memory, because constants would be built anew
 * for each use, and multiply the chain itself, because a product of the two would be taken once for all; the sum is
 * returned so that nothing is optimised away.
 */
export function multiplyAddPeak(rounds: i32, factors: usize): f32 {
  const a = v128.load(factors), b = v128.load(factors, 16);
  // Chains that start alike would be found to be one and the same.
  let c0 = f32x4.splat(0), c1 = f32x4.splat(1), c2 = f32x4.splat(2), c3 = f32x4.splat(3);
  let c4 = f32x4.splat(4), c5 = f32x4.splat(5), c6 = f32x4.splat(6), c7 = f32x4.splat(7);
  let c8 = f32x4.splat(8), c9 = f32x4.splat(9), c10 = f32x4.splat(10), c11 = f32x4.splat(11);
  for (let i = 0; i < rounds; ++i) {
    c0 = multiplyAdd(c0, a, b); c1 = multiplyAdd(c1, a, b); c2 = multiplyAdd(c2, a, b);
    c3 = multiplyAdd(c3, a, b); c4 = multiplyAdd(c4, a, b); c5 = multiplyAdd(c5, a, b);
    c6 = multiplyAdd(c6, a, b); c7 = multiplyAdd(c7, a, b); c8 = multiplyAdd(c8, a, b);
    c9 = multiplyAdd(c9, a, b); c10 = multiplyAdd(c10, a, b); c11 = multiplyAdd(c11, a, b);
  }
  const left = f32x4.add(f32x4.add(f32x4.add(c0, c1), f32x4.add(c2, c3)), f32x4.add(c4, c5));
  const right = f32x4.add(f32x4.add(f32x4.add(c6, c7), f32x4.add(c8, c9)), f32x4.add(c10, c11));
  return sumOfLanes(f32x4.add(left, right));
}
