// Attention of one new row over cached keys and values. The cache is made of blocks of 32 positions, so that
// completions of one prompt share its blocks and memory is handed out in equal pieces. For each layer a block holds
//
//   keys    [head][4 panels][32 dimensions][8 positions]     what the score product reads
//   values  [head][32 positions][32 dimensions]
//
// Sums run in the same order as in `attention.ts`.
import { headSize } from "./attention";
import { softmaxRow } from "./softmax-row";
import { multiplyAdd } from "./vector";

// @ts-ignore: decorator
@inline
const headBlockBytes: usize = 4096;

/** Stores keys and values of `count` rows at positions from `position` on. `blocks` lists block addresses. */
export function cacheRows(
  projected: usize, stride: usize, width: i32, count: i32, position: i32, blocks: usize, layerOffset: usize,
): void {
  const widthBytes = <usize>width << 2;
  for (let i = 0; i < count; ++i) {
    const at = position + i;
    const block = load<u32>(blocks + (<usize>(at >> 5) << 2)) + layerOffset;
    const slot = at & 31;
    let keyOut = block + (<usize>(slot >> 3) << 10) + (<usize>(slot & 7) << 2);
    let valueOut = block + (widthBytes << 5) + (<usize>slot << 7);
    let key = projected + <usize>i * stride + widthBytes;
    for (let head = 0; head < width; head += headSize) {
      for (let d: usize = 0; d < 32; ++d) store<f32>(keyOut + (d << 5), load<f32>(key + (d << 2)));
      memory.copy(valueOut, key + widthBytes, 128);
      key += 128;
      keyOut += headBlockBytes;
      valueOut += headBlockBytes;
    }
  }
}

/**
 * One row: `count` cached positions, its own included. The cache is read block by block, all heads of a block after
 * each other, because that is how it lies in memory. `scratch` holds a score for each head and position, positions
 * rounded up to 32.
 */
export function attentionDecode(
  query: usize, width: i32, count: i32, blocks: usize, layerOffset: usize, out: usize, scratch: usize,
): void {
  const widthBytes = <usize>width << 2;
  const limit = (count + 31) & ~31;
  const scoreStride = <usize>limit << 2;
  for (let first = 0; first < count; first += 32) {
    const keys = load<u32>(blocks + (<usize>(first >> 5) << 2)) + layerOffset;
    let scores = scratch + (<usize>first << 2);
    for (let head: usize = 0; head < widthBytes; head += 128, scores += scoreStride)
      scoreBlock(query + head, keys + (head << 5), scores);
  }
  let scores = scratch;
  for (let head = 0; head < width; head += headSize, scores += scoreStride) softmaxRow(scores, count, limit);
  memory.fill(out, 0, widthBytes);
  for (let first = 0; first < count; first += 32) {
    const values = load<u32>(blocks + (<usize>(first >> 5) << 2)) + layerOffset + (widthBytes << 5);
    const positions = min(32, count - first);
    let probabilities = scratch + (<usize>first << 2);
    for (let head: usize = 0; head < widthBytes; head += 128, probabilities += scoreStride)
      addValues(probabilities, positions, values + (head << 5), out + head);
  }
}

/** Two panels (16 positions) at a time: with four, loads and sums would not fit into the registers. */
// @ts-ignore: decorator
@inline
function scoreBlock(query: usize, keys: usize, scores: usize): void {
  for (let half = 0; half < 2; ++half) {
    let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0);
    let q = query;
    const end = query + 128;
    let key = keys;
    while (q < end) {
      const value = v128.load32_splat(q);
      s0 = multiplyAdd(value, v128.load(key), s0); s1 = multiplyAdd(value, v128.load(key, 16), s1);
      s2 = multiplyAdd(value, v128.load(key, 1024), s2); s3 = multiplyAdd(value, v128.load(key, 1040), s3);
      q += 4;
      key += 32;
    }
    v128.store(scores, s0); v128.store(scores, s1, 16); v128.store(scores, s2, 32); v128.store(scores, s3, 48);
    keys += 2048;
    scores += 64;
  }
}

/** out += Σ probability·value over the positions of a block; half a head at a time, for the same reason. */
// @ts-ignore: decorator
@inline
function addValues(probabilities: usize, positions: i32, values: usize, out: usize): void {
  const end = probabilities + (<usize>positions << 2);
  for (let half = 0; half < 2; ++half) {
    let o0 = v128.load(out), o1 = v128.load(out, 16), o2 = v128.load(out, 32), o3 = v128.load(out, 48);
    let p = probabilities;
    let value = values;
    while (p < end) {
      const weight = v128.load32_splat(p);
      o0 = multiplyAdd(weight, v128.load(value), o0); o1 = multiplyAdd(weight, v128.load(value, 16), o1);
      o2 = multiplyAdd(weight, v128.load(value, 32), o2); o3 = multiplyAdd(weight, v128.load(value, 48), o3);
      p += 4;
      value += 128;
    }
    v128.store(out, o0); v128.store(out, o1, 16); v128.store(out, o2, 32); v128.store(out, o3, 48);
    values += 64;
    out += 64;
  }
}
