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
  const b = f32x4.max(a, v128.shuffle<f32>(a, a, 2, 3, 0, 1));
  return max<f32>(f32x4.extract_lane(b, 0), f32x4.extract_lane(b, 1));
}

/**
 * e^x for x ≤ 88, about 1e-7 relative. Below −87 the answer is exactly 0, so that masked scores vanish and the
 * number of masked entries cannot change a sum. x = n·ln 2 + r with |r| ≤ ln 2 / 2, then a polynomial in r.
 */
// @ts-ignore: decorator
@inline
export function exponential(x: v128): v128 {
  const n = f32x4.nearest(f32x4.mul(x, f32x4.splat(1.44269504)));
  let r = multiplyAdd(n, f32x4.splat(-0.693359375), x);
  r = multiplyAdd(n, f32x4.splat(2.12194440e-4), r);
  let p = f32x4.splat(1.9875691500e-4);
  p = multiplyAdd(p, r, f32x4.splat(1.3981999507e-3));
  p = multiplyAdd(p, r, f32x4.splat(8.3334519073e-3));
  p = multiplyAdd(p, r, f32x4.splat(4.1665795894e-2));
  p = multiplyAdd(p, r, f32x4.splat(1.6666665459e-1));
  p = multiplyAdd(p, r, f32x4.splat(5.0000001201e-1));
  p = f32x4.add(multiplyAdd(f32x4.mul(r, r), p, r), f32x4.splat(1));
  const scale = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  return v128.andnot(f32x4.mul(p, scale), f32x4.lt(x, f32x4.splat(-87)));
}
