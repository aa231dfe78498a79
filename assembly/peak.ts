// The most multiply-adds that this build can do: twelve independent chains that never touch memory. Benchmarks
// divide by it.
import { multiplyAdd, sumOfLanes } from "./vector";

/** 96 floating-point operations for each round. The sum is returned so that nothing is optimised away. */
export function multiplyAddPeak(rounds: i32): f32 {
  const a = f32x4.splat(1.0000001), b = f32x4.splat(0.999999);
  // Chains that start alike would be found to be one and the same.
  let c0 = f32x4.splat(0), c1 = f32x4.splat(1), c2 = f32x4.splat(2), c3 = f32x4.splat(3);
  let c4 = f32x4.splat(4), c5 = f32x4.splat(5), c6 = f32x4.splat(6), c7 = f32x4.splat(7);
  let c8 = f32x4.splat(8), c9 = f32x4.splat(9), c10 = f32x4.splat(10), c11 = f32x4.splat(11);
  for (let i = 0; i < rounds; ++i) {
    c0 = multiplyAdd(a, b, c0); c1 = multiplyAdd(a, b, c1); c2 = multiplyAdd(a, b, c2);
    c3 = multiplyAdd(a, b, c3); c4 = multiplyAdd(a, b, c4); c5 = multiplyAdd(a, b, c5);
    c6 = multiplyAdd(a, b, c6); c7 = multiplyAdd(a, b, c7); c8 = multiplyAdd(a, b, c8);
    c9 = multiplyAdd(a, b, c9); c10 = multiplyAdd(a, b, c10); c11 = multiplyAdd(a, b, c11);
  }
  const left = f32x4.add(f32x4.add(f32x4.add(c0, c1), f32x4.add(c2, c3)), f32x4.add(c4, c5));
  const right = f32x4.add(f32x4.add(f32x4.add(c6, c7), f32x4.add(c8, c9)), f32x4.add(c10, c11));
  return sumOfLanes(f32x4.add(left, right));
}
