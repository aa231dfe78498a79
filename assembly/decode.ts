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

/** One row: `count` cached positions, its own included. `scratch` holds count rounded up to 32 scores. */
export function attentionDecode(
  query: usize, width: i32, count: i32, blocks: usize, layerOffset: usize, out: usize, scratch: usize,
): void {
  const widthBytes = <usize>width << 2;
  for (let head: usize = 0; head < widthBytes; head += 128) {
    const offset = layerOffset + (head << 5);
    for (let first = 0; first < count; first += 32)
      scoreBlock(
        query + head,
        load<u32>(blocks + (<usize>(first >> 5) << 2)) + offset,
        scratch + (<usize>first << 2),
      );
    softmaxRow(scratch, count, (count + 31) & ~31);
    sumValues(scratch, count, blocks, offset + (widthBytes << 5), out + head);
  }
}

// @ts-ignore: decorator
@inline
function scoreBlock(query: usize, keys: usize, scores: usize): void {
  let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0);
  let s4 = f32x4.splat(0), s5 = f32x4.splat(0), s6 = f32x4.splat(0), s7 = f32x4.splat(0);
  const end = query + 128;
  while (query < end) {
    const q = v128.load32_splat(query);
    s0 = multiplyAdd(q, v128.load(keys), s0); s1 = multiplyAdd(q, v128.load(keys, 16), s1);
    s2 = multiplyAdd(q, v128.load(keys, 1024), s2); s3 = multiplyAdd(q, v128.load(keys, 1040), s3);
    s4 = multiplyAdd(q, v128.load(keys, 2048), s4); s5 = multiplyAdd(q, v128.load(keys, 2064), s5);
    s6 = multiplyAdd(q, v128.load(keys, 3072), s6); s7 = multiplyAdd(q, v128.load(keys, 3088), s7);
    query += 4;
    keys += 32;
  }
  v128.store(scores, s0); v128.store(scores, s1, 16); v128.store(scores, s2, 32); v128.store(scores, s3, 48);
  v128.store(scores, s4, 64); v128.store(scores, s5, 80); v128.store(scores, s6, 96); v128.store(scores, s7, 112);
}

// @ts-ignore: decorator
@inline
function sumValues(probabilities: usize, count: i32, blocks: usize, offset: usize, out: usize): void {
  let o0 = f32x4.splat(0), o1 = f32x4.splat(0), o2 = f32x4.splat(0), o3 = f32x4.splat(0);
  let o4 = f32x4.splat(0), o5 = f32x4.splat(0), o6 = f32x4.splat(0), o7 = f32x4.splat(0);
  for (let first = 0; first < count; first += 32) {
    let value = load<u32>(blocks + (<usize>(first >> 5) << 2)) + offset;
    const end = value + (<usize>min(32, count - first) << 7);
    while (value < end) {
      const p = v128.load32_splat(probabilities);
      o0 = multiplyAdd(p, v128.load(value), o0); o1 = multiplyAdd(p, v128.load(value, 16), o1);
      o2 = multiplyAdd(p, v128.load(value, 32), o2); o3 = multiplyAdd(p, v128.load(value, 48), o3);
      o4 = multiplyAdd(p, v128.load(value, 64), o4); o5 = multiplyAdd(p, v128.load(value, 80), o5);
      o6 = multiplyAdd(p, v128.load(value, 96), o6); o7 = multiplyAdd(p, v128.load(value, 112), o7);
      probabilities += 4;
      value += 128;
    }
  }
  v128.store(out, o0); v128.store(out, o1, 16); v128.store(out, o2, 32); v128.store(out, o3, 48);
  v128.store(out, o4, 64); v128.store(out, o5, 80); v128.store(out, o6, 96); v128.store(out, o7, 112);
}
