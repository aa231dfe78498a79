// What lies between the matrix products: normalisation, rotation by position, activation, embedding. Loops that need
// the result of another loop are functions of their own, for the reason given in `softmax-row.ts`.
import { multiplyAdd, sumOfLanes } from "./vector";

/** y = gain ∘ x · s with s = 1 / √(mean x² + 1e-5), s kept for the backward pass. */
export function normalise(
  x: usize, xStride: usize, rows: i32, width: i32, gain: usize, y: usize, yStride: usize, scales: usize,
): void {
  for (let row = 0; row < rows; ++row) {
    const scale: f32 = 1 / sqrt<f32>(sumOfSquares(x, width) / <f32>width + 1e-5);
    store<f32>(scales, scale);
    scaleByGain(x, width, gain, y, scale);
    x += xStride;
    y += yStride;
    scales += 4;
  }
}

export function sumOfSquares(x: usize, width: i32): f32 {
  let sum = f32x4.splat(0), other = f32x4.splat(0);
  const end = x + (<usize>width << 2);
  for (; x < end; x += 32) {
    const low = v128.load(x), high = v128.load(x, 16);
    sum = multiplyAdd(low, low, sum);
    other = multiplyAdd(high, high, other);
  }
  return sumOfLanes(f32x4.add(sum, other));
}

export function scaleByGain(x: usize, width: i32, gain: usize, y: usize, scale: f32): void {
  for (let i: usize = 0; i < <usize>width << 2; i += 16)
    v128.store(y + i, f32x4.mul(f32x4.mul(v128.load(x + i), f32x4.splat(scale)), v128.load(gain + i)));
}

/** With x̂ = x·s: dx += s·(g∘dy − x̂·mean(g∘dy∘x̂)),  dgain += Σ dy∘x̂. */
export function normaliseBackward(
  x: usize, xStride: usize, rows: i32, width: i32, gain: usize, scales: usize,
  yGradient: usize, yStride: usize, xGradient: usize, xGradientStride: usize, gainGradient: usize,
): void {
  for (let row = 0; row < rows; ++row) {
    const scale = load<f32>(scales);
    const sum = addGainGradient(x, width, gain, scale, yGradient, gainGradient);
    addInputGradient(x, width, gain, scale, yGradient, xGradient, -sum / <f32>width);
    x += xStride;
    yGradient += yStride;
    xGradient += xGradientStride;
    scales += 4;
  }
}

/** Returns Σ g∘dy∘x̂. */
export function addGainGradient(
  x: usize, width: i32, gain: usize, scale: f32, yGradient: usize, gainGradient: usize,
): f32 {
  let sum = f32x4.splat(0);
  for (let i: usize = 0; i < <usize>width << 2; i += 16) {
    const unit = f32x4.mul(v128.load(x + i), f32x4.splat(scale));
    const product = f32x4.mul(v128.load(yGradient + i), unit);
    v128.store(gainGradient + i, f32x4.add(v128.load(gainGradient + i), product));
    sum = multiplyAdd(product, v128.load(gain + i), sum);
  }
  return sumOfLanes(sum);
}

export function addInputGradient(
  x: usize, width: i32, gain: usize, scale: f32, yGradient: usize, xGradient: usize, mean: f32,
): void {
  for (let i: usize = 0; i < <usize>width << 2; i += 16) {
    const unit = f32x4.mul(v128.load(x + i), f32x4.splat(scale));
    const scaled = f32x4.mul(v128.load(yGradient + i), v128.load(gain + i));
    const change = multiplyAdd(unit, f32x4.splat(mean), scaled);
    v128.store(xGradient + i, multiplyAdd(f32x4.splat(scale), change, v128.load(xGradient + i)));
  }
}

/**
 * Turns each pair (i, i + 16) of every head of q and k by an angle that grows with the row's position, and scales q.
 * `tables`: for each position 16 cosines, then 16 sines. `direction` −1 turns back, for gradients.
 */
export function rotate(
  projected: usize, stride: usize, rows: i32, width: i32, positions: usize, tables: usize,
  queryScale: f32, direction: f32,
): void {
  const widthBytes = <usize>width << 2;
  const turn = f32x4.splat(direction);
  for (let row = 0; row < rows; ++row) {
    const table = tables + (<usize>load<u32>(positions + (<usize>row << 2)) << 7);
    for (let part: usize = 0; part < 2 * widthBytes; part += 128) {
      const scale = f32x4.splat(part < widthBytes ? queryScale : 1);
      const at = projected + part;
      for (let i: usize = 0; i < 64; i += 16) {
        const cosine = f32x4.mul(v128.load(table + i), scale);
        const sine = f32x4.mul(f32x4.mul(v128.load(table + i, 64), turn), scale);
        const low = v128.load(at + i), high = v128.load(at + i, 64);
        v128.store(at + i, f32x4.sub(f32x4.mul(low, cosine), f32x4.mul(high, sine)));
        v128.store(at + i, multiplyAdd(low, sine, f32x4.mul(high, cosine)), 64);
      }
    }
    projected += stride;
  }
}

/** y = max(x, 0)². */
export function activate(x: usize, xStride: usize, rows: i32, width: i32, y: usize, yStride: usize): void {
  const zero = f32x4.splat(0);
  for (let row = 0; row < rows; ++row) {
    for (let i: usize = 0; i < <usize>width << 2; i += 16) {
      const positive = f32x4.pmax(v128.load(x + i), zero);
      v128.store(y + i, f32x4.mul(positive, positive));
    }
    x += xStride;
    y += yStride;
  }
}

/** gradient ← gradient · 2·max(x, 0), in place. */
export function activateBackward(
  x: usize, xStride: usize, rows: i32, width: i32, gradient: usize, gradientStride: usize,
): void {
  const zero = f32x4.splat(0);
  for (let row = 0; row < rows; ++row) {
    for (let i: usize = 0; i < <usize>width << 2; i += 16) {
      const positive = f32x4.pmax(v128.load(x + i), zero);
      v128.store(gradient + i, f32x4.mul(v128.load(gradient + i), f32x4.add(positive, positive)));
    }
    x += xStride;
    gradient += gradientStride;
  }
}

/** out[i] = table[ids[i]]: the embedding of tokens, or a choice of rows. */
export function gatherRows(
  table: usize, tableStride: usize, ids: usize, count: i32, width: i32, out: usize, outStride: usize,
): void {
  for (let i = 0; i < count; ++i) {
    const id = <usize>load<u32>(ids + (<usize>i << 2));
    memory.copy(out + <usize>i * outStride, table + id * tableStride, <usize>width << 2);
  }
}

/** table[ids[i]] += rows[i], in the order of i. */
export function scatterAddRows(
  rows: usize, rowStride: usize, ids: usize, count: i32, width: i32, table: usize, tableStride: usize,
): void {
  for (let i = 0; i < count; ++i) {
    const target = table + <usize>load<u32>(ids + (<usize>i << 2)) * tableStride;
    const source = rows + <usize>i * rowStride;
    for (let j: usize = 0; j < <usize>width << 2; j += 16)
      v128.store(target + j, f32x4.add(v128.load(target + j), v128.load(source + j)));
  }
}
