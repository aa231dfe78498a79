// Causal attention over one segment of rows, head by head, and its backward. A segment is a run of consecutive rows
// at consecutive positions. Segments that share a prompt attend to the prompt's rows first and to their own rows
// then, so a prompt is computed once for all completions that follow it:
//
//   keys of a segment = `position` rows from `prefix` on, then its own `length` rows from `row` on
//   out_i = Σ_j softmax_j(q_i·k_j) v_j   over keys j ≤ position + i
//
// Rows of `projected` hold [q | k | v], `width` values each, q already rotated and scaled. Heads are 32 wide.
// Probabilities are computed again in the backward pass: storing them would cost more memory than all the rest.
import { multiply, multiplyTransposed } from "./matmul";
import { packRows, packTransposed } from "./panels";
import { softmaxRow, softmaxRowBackward } from "./softmax-row";

// @ts-ignore: decorator
@inline
export const headSize: i32 = 32;
// @ts-ignore: decorator
@inline
const headBytes: usize = 128;

// @ts-ignore: decorator
@inline
function roundUp8(count: i32): i32 {
  return (count + 7) & ~7;
}

/** A row of scores is padded by a cache line, so that rows do not fall on each other in the cache. */
// @ts-ignore: decorator
@inline
function scoreStrideFor(keys: i32): usize {
  return (<usize>roundUp8(keys) << 2) + 64;
}

/** Bytes that `attentionForward` needs at `scratch` for segments of at most `keys` keys. */
export function attentionForwardScratch(keys: i32): usize {
  return 2 * headBytes * <usize>roundUp8(keys) + 4 * scoreStrideFor(keys) + 4 * headBytes;
}

/** The same for `attentionBackward`. */
export function attentionBackwardScratch(keys: i32, length: i32): usize {
  const rows = <usize>((length + 3) & ~3);
  return 5 * headBytes * <usize>roundUp8(keys) + 2 * rows * scoreStrideFor(keys) + 4 * headBytes;
}

export function attentionForward(
  projected: usize, stride: usize, width: i32, row: i32, length: i32, position: i32, prefix: i32,
  out: usize, outStride: usize, scratch: usize,
): void {
  const keys = position + length;
  const keys8 = roundUp8(keys);
  const keyPanels = scratch;
  const valuePanels = keyPanels + headBytes * <usize>keys8;
  const scores = valuePanels + headBytes * <usize>keys8;
  const scoreStride = scoreStrideFor(keys);
  const result = scores + 4 * scoreStride;
  const own = projected + <usize>row * stride;
  const shared = projected + <usize>prefix * stride;
  const widthBytes = <usize>width << 2;

  for (let head: usize = 0; head < widthBytes; head += headBytes) {
    const keyOffset = widthBytes + head;
    const valueOffset = 2 * widthBytes + head;
    packTransposed(shared + keyOffset, position, own + keyOffset, keys, stride, headSize, keyPanels);
    packRows(shared + valueOffset, position, own + valueOffset, keys, keys8, stride, headSize, valuePanels);
    for (let first = 0; first < length; first += 4) {
      const limit = min(keys8, roundUp8(position + first + 4));
      const query = own + head + <usize>first * stride;
      multiply(4, limit, headSize, query, stride, keyPanels, headBytes << 3, scores, scoreStride, 0);
      for (let i = 0; i < 4; ++i)
        softmaxRow(scores + <usize>i * scoreStride, min(position + first + i + 1, limit), limit);
      multiply(4, headSize, limit, scores, scoreStride, valuePanels, <usize>keys8 << 5, result, headBytes, 0);
      const rows = min(4, length - first);
      for (let i = 0; i < rows; ++i)
        copyHead(out + <usize>(row + first + i) * outStride + head, result + <usize>i * headBytes);
    }
  }
}

/**
 * Adds the gradients of keys and values to the rows they came from and writes those of the queries. `gradient` has
 * the layout of `projected`; its key and value parts must be zero before the first segment of a pass.
 */
export function attentionBackward(
  projected: usize, stride: usize, width: i32, row: i32, length: i32, position: i32, prefix: i32,
  outGradient: usize, outStride: usize, gradient: usize, gradientStride: usize, scratch: usize,
): void {
  const keys = position + length;
  const keys8 = roundUp8(keys);
  const panelBytes = headBytes * <usize>keys8;
  const keyPanels = scratch;
  const valuePanels = keyPanels + panelBytes;
  const keyRowPanels = valuePanels + panelBytes;
  const keyGradient = keyRowPanels + panelBytes;
  const valueGradient = keyGradient + panelBytes;
  const result = valueGradient + panelBytes;
  const probabilities = result + 4 * headBytes;
  const scoreStride = scoreStrideFor(keys);
  const rows4 = (length + 3) & ~3;
  const scoreGradient = probabilities + <usize>rows4 * scoreStride;
  const own = projected + <usize>row * stride;
  const shared = projected + <usize>prefix * stride;
  const ownGradient = gradient + <usize>row * gradientStride;
  const sharedGradient = gradient + <usize>prefix * gradientStride;
  const outOwn = outGradient + <usize>row * outStride;
  const widthBytes = <usize>width << 2;

  for (let head: usize = 0; head < widthBytes; head += headBytes) {
    const keyOffset = widthBytes + head;
    const valueOffset = 2 * widthBytes + head;
    packTransposed(shared + keyOffset, position, own + keyOffset, keys, stride, headSize, keyPanels);
    packTransposed(shared + valueOffset, position, own + valueOffset, keys, stride, headSize, valuePanels);
    packRows(shared + keyOffset, position, own + keyOffset, keys, keys8, stride, headSize, keyRowPanels);
    memory.fill(keyGradient, 0, 2 * panelBytes);

    for (let first = 0; first < length; first += 4) {
      const limit = min(keys8, roundUp8(position + first + 4));
      const query = own + head + <usize>first * stride;
      const p = probabilities + <usize>first * scoreStride;
      const s = scoreGradient + <usize>first * scoreStride;
      multiply(4, limit, headSize, query, stride, keyPanels, headBytes << 3, p, scoreStride, 0);
      multiply(
        4, limit, headSize, outOwn + <usize>first * outStride + head, outStride,
        valuePanels, headBytes << 3, s, scoreStride, 0,
      );
      const rows = min(4, length - first);
      for (let i = 0; i < rows; ++i) {
        const offset = <usize>i * scoreStride;
        softmaxRow(p + offset, position + first + i + 1, limit);
        softmaxRowBackward(p + offset, s + offset, limit);
      }
      multiply(4, headSize, limit, s, scoreStride, keyRowPanels, <usize>keys8 << 5, result, headBytes, 0);
      for (let i = 0; i < rows; ++i)
        copyHead(ownGradient + <usize>(first + i) * gradientStride + head, result + <usize>i * headBytes);
    }
    // A key is seen by every row from its own position on; keys of the prefix are seen by all rows.
    for (let key = 0; key < keys; key += 4) {
      const from = max(0, key - position);
      const offset = <usize>from * scoreStride + (<usize>key << 2);
      const target = <usize>key * headBytes;
      multiplyTransposed(
        length - from, 4, headSize, probabilities + offset, scoreStride,
        outOwn + <usize>from * outStride + head, outStride, valueGradient + target, headBytes, 32,
      );
      multiplyTransposed(
        length - from, 4, headSize, scoreGradient + offset, scoreStride,
        own + head + <usize>from * stride, stride, keyGradient + target, headBytes, 32,
      );
    }
    for (let key = 0; key < keys; ++key) {
      const target = key < position
        ? sharedGradient + <usize>key * gradientStride
        : ownGradient + <usize>(key - position) * gradientStride;
      const source = <usize>key * headBytes;
      addHead(target + keyOffset, keyGradient + source);
      addHead(target + valueOffset, valueGradient + source);
    }
  }
}

// @ts-ignore: decorator
@inline
function copyHead(target: usize, source: usize): void {
  for (let i: usize = 0; i < headBytes; i += 16) v128.store(target + i, v128.load(source + i));
}

// @ts-ignore: decorator
@inline
function addHead(target: usize, source: usize): void {
  for (let i: usize = 0; i < headBytes; i += 16)
    v128.store(target + i, f32x4.add(v128.load(target + i), v128.load(source + i)));
}
