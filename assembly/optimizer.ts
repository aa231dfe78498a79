// Gradient reduction and AdamW over a flat run of parameters.

/**
 * Sums `count` gradient buffers, in their order, into the first and returns the sum of squares. `buffers` lists
 * their addresses; `offset` and `bytes` choose the run (bytes a multiple of 16).
 */
export function reduceGradients(buffers: usize, count: i32, offset: usize, bytes: usize): f64 {
  const first = <usize>load<u32>(buffers) + offset;
  let low = f64x2.splat(0), high = f64x2.splat(0);
  for (let i: usize = 0; i < bytes; i += 16) {
    let sum = v128.load(first + i);
    for (let lane = 1; lane < count; ++lane)
      sum = f32x4.add(sum, v128.load(<usize>load<u32>(buffers + (<usize>lane << 2)) + offset + i));
    v128.store(first + i, sum);
    const a = f64x2.promote_low_f32x4(sum);
    const b = f64x2.promote_low_f32x4(v128.shuffle<f32>(sum, sum, 2, 3, 0, 1));
    low = f64x2.add(low, f64x2.mul(a, a));
    high = f64x2.add(high, f64x2.mul(b, b));
  }
  const total = f64x2.add(low, high);
  return f64x2.extract_lane(total, 0) + f64x2.extract_lane(total, 1);
}

/**
 * One AdamW update. `stepSize` is learningRate / (1 − β₁ᵗ), `secondScale` is 1 / √(1 − β₂ᵗ), `keep` is
 * 1 − learningRate·weightDecay, `gradientScale` comes from clipping.
 */
export function adam(
  parameters: usize, gradient: usize, mean: usize, square: usize, bytes: usize,
  beta1: f32, beta2: f32, epsilon: f32, stepSize: f32, secondScale: f32, keep: f32, gradientScale: f32,
): void {
  const b1 = f32x4.splat(beta1), c1 = f32x4.splat(1 - beta1), b2 = f32x4.splat(beta2), c2 = f32x4.splat(1 - beta2);
  const small = f32x4.splat(epsilon), step = f32x4.splat(stepSize), second = f32x4.splat(secondScale);
  const kept = f32x4.splat(keep), scale = f32x4.splat(gradientScale);
  for (let i: usize = 0; i < bytes; i += 16) {
    const g = f32x4.mul(v128.load(gradient + i), scale);
    const m = f32x4.add(f32x4.mul(b1, v128.load(mean + i)), f32x4.mul(c1, g));
    const v = f32x4.add(f32x4.mul(b2, v128.load(square + i)), f32x4.mul(c2, f32x4.mul(g, g)));
    v128.store(mean + i, m);
    v128.store(square + i, v);
    const denominator = f32x4.add(f32x4.mul(f32x4.sqrt(v), second), small);
    const update = f32x4.div(f32x4.mul(step, m), denominator);
    v128.store(parameters + i, f32x4.sub(f32x4.mul(kept, v128.load(parameters + i)), update));
  }
}
