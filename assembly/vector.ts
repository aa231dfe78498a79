// Small vector helpers. `ASC_FEATURE_RELAXED_SIMD` is a compile-time constant: the same sources give a build with
// fused multiply-add and one without.

/** a·b + c, fused where the build allows it. */
// @ts-ignore: decorator
@inline
export function multiplyAdd(a: v128, b: v128, c: v128): v128 {
  return ASC_FEATURE_RELAXED_SIMD ? f32x4.relaxed_madd(a, b, c) : f32x4.add(f32x4.mul(a, b), c);
}

/** Lanes are always added in the same order: (0 + 2) + (1 + 3). */
// @ts-ignore: decorator
@inline
export function sumOfLanes(a: v128): f32 {
  const b = f32x4.add(a, v128.shuffle<f32>(a, a, 2, 3, 0, 1));
  return f32x4.extract_lane(b, 0) + f32x4.extract_lane(b, 1);
}

// @ts-ignore: decorator
@inline
export function largestOfLanes(a: v128): f32 {
  const b = f32x4.pmax(a, v128.shuffle<f32>(a, a, 2, 3, 0, 1));
  const c = f32x4.pmax(b, v128.shuffle<f32>(b, b, 1, 0, 3, 2));
  return f32x4.extract_lane(c, 0);
}

// Constants of the exponential, in memory: V8 would build each of them anew, from two halves, in every round of a loop.
// prettier-ignore
const constants = memory.data<f32>([
  1.44269504, 12582912, -0.693359375, 2.12194440e-4,
  1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1, -87,
]);

// @ts-ignore: decorator
@inline
function constant(index: usize): v128 {
  return v128.load32_splat(constants + (index << 2));
}

/**
 * e^x for x ≤ 88, about 2e-7 relative. Below −87 the answer is exactly 0, so that masked scores vanish and the
 * number of masked entries cannot change a sum. x = n·ln 2 + r with |r| ≤ ln 2 / 2, then a polynomial in r. Adding
 * 1.5·2²³ rounds to the whole number n and leaves it in the lowest bits, from where it moves into the exponent.
 */
// @ts-ignore: decorator
@inline
export function exponential(x: v128): v128 {
  const shifted = f32x4.add(f32x4.mul(x, constant(0)), constant(1));
  const n = f32x4.sub(shifted, constant(1));
  let r = multiplyAdd(n, constant(2), x);
  r = multiplyAdd(n, constant(3), r);
  let p = multiplyAdd(constant(4), r, constant(5));
  p = multiplyAdd(p, r, constant(6));
  p = multiplyAdd(p, r, constant(7));
  p = multiplyAdd(p, r, constant(8));
  p = multiplyAdd(p, r, constant(9));
  p = f32x4.add(multiplyAdd(f32x4.mul(r, r), p, r), constant(10));
  const power = i32x4.add(p, i32x4.shl(shifted, 23));
  return v128.andnot(power, f32x4.lt(x, constant(11)));
}
