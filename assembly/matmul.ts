// Matrix products. Two shapes cover the whole model, forward and backward:
//
//   multiply               C (+)= A·B     A row by row, B in panels of 8 columns: [columns / 8][inner][8]
//   multiplyTransposed     C  += Aᵀ·B     A and B row by row, C wherever the strides say
//
// The register block is 4 rows × 8 columns and the inner loop is NOT unrolled: V8's scheduler gathers the steps of
// an unrolled loop by accumulator, which lengthens the dependency chains and spills registers. One step of a 4 × 8
// block measured 93 % of the multiply-add peak, a 6 × 8 block unrolled by 4 measured 79 %.
//
// Every element of C is one chain over the inner index in ascending order, whatever the number of rows: that is
// what makes a row's result independent of the rows around it. Rows are taken four at a time, so buffers must have
// room for a multiple of 4 rows. Pointers and strides are in bytes, counts in elements. Strides that are a large power
// of two make the rows of a block fight for the same cache lines; callers pad them.
import { multiplyAdd } from "./vector";

// @ts-ignore: decorator
@inline
const accumulateBlock: i32 = 48;

/** `panelStride`: bytes from one panel of B to the next. `accumulate`: 0 overwrites C, 1 adds to it. */
export function multiply(
  rows: i32, columns: i32, inner: i32,
  a: usize, aStride: usize, panels: usize, panelStride: usize, c: usize, cStride: usize, accumulate: i32,
): void {
  for (let column = 0; column < columns; column += 8) {
    let aBlock = a;
    let cBlock = c + (<usize>column << 2);
    for (let row = 0; row < rows; row += 4) {
      multiplyBlock(inner, aBlock, aStride, panels, cBlock, cStride, accumulate);
      aBlock += aStride << 2;
      cBlock += cStride << 2;
    }
    panels += panelStride;
  }
}

// @ts-ignore: decorator
@inline
function multiplyBlock(
  inner: i32, a0: usize, aStride: usize, b: usize, c: usize, cStride: usize, accumulate: i32,
): void {
  let a1 = a0 + aStride, a2 = a1 + aStride, a3 = a2 + aStride;
  let c00 = f32x4.splat(0), c01 = f32x4.splat(0), c10 = f32x4.splat(0), c11 = f32x4.splat(0);
  let c20 = f32x4.splat(0), c21 = f32x4.splat(0), c30 = f32x4.splat(0), c31 = f32x4.splat(0);
  const end = b + (<usize>inner << 5);
  while (b < end) {
    const b0 = v128.load(b), b1 = v128.load(b, 16);
    let s = v128.load32_splat(a0);
    c00 = multiplyAdd(s, b0, c00); c01 = multiplyAdd(s, b1, c01);
    s = v128.load32_splat(a1);
    c10 = multiplyAdd(s, b0, c10); c11 = multiplyAdd(s, b1, c11);
    s = v128.load32_splat(a2);
    c20 = multiplyAdd(s, b0, c20); c21 = multiplyAdd(s, b1, c21);
    s = v128.load32_splat(a3);
    c30 = multiplyAdd(s, b0, c30); c31 = multiplyAdd(s, b1, c31);
    b += 32; a0 += 4; a1 += 4; a2 += 4; a3 += 4;
  }
  if (accumulate) {
    addTo(c, c00, c01); c += cStride;
    addTo(c, c10, c11); c += cStride;
    addTo(c, c20, c21); c += cStride;
    addTo(c, c30, c31);
  } else {
    v128.store(c, c00); v128.store(c, c01, 16); c += cStride;
    v128.store(c, c10); v128.store(c, c11, 16); c += cStride;
    v128.store(c, c20); v128.store(c, c21, 16); c += cStride;
    v128.store(c, c30); v128.store(c, c31, 16);
  }
}

/**
 * C[i][j] += Σ_r A[r][i]·B[r][j] for i < columnsA, j < columnsB (multiples of 4 and 8). C's tile of 4 rows starts at
 * c + i·cRowStride + (j / 8)·cPanelStride, so C may be row-major or in panels. The sum runs over r in blocks, so
 * that the lines of A and B that a block touches stay in the first-level cache.
 */
export function multiplyTransposed(
  rows: i32, columnsA: i32, columnsB: i32,
  a: usize, aStride: usize, b: usize, bStride: usize, c: usize, cRowStride: usize, cPanelStride: usize,
): void {
  for (let row = 0; row < rows; row += accumulateBlock) {
    const count = min(accumulateBlock, rows - row);
    let cPanel = c;
    for (let j = 0; j < columnsB; j += 8) {
      let cTile = cPanel;
      for (let i = 0; i < columnsA; i += 4) {
        transposedBlock(count, a + (<usize>i << 2), aStride, b + (<usize>j << 2), bStride, cTile, cRowStride);
        cTile += cRowStride << 2;
      }
      cPanel += cPanelStride;
    }
    a += aStride * <usize>count;
    b += bStride * <usize>count;
  }
}

// @ts-ignore: decorator
@inline
function transposedBlock(
  count: i32, a: usize, aStride: usize, b: usize, bStride: usize, c: usize, cStride: usize,
): void {
  let c00 = f32x4.splat(0), c01 = f32x4.splat(0), c10 = f32x4.splat(0), c11 = f32x4.splat(0);
  let c20 = f32x4.splat(0), c21 = f32x4.splat(0), c30 = f32x4.splat(0), c31 = f32x4.splat(0);
  for (let left = count; left > 0; --left) {
    const b0 = v128.load(b), b1 = v128.load(b, 16);
    let s = v128.load32_splat(a);
    c00 = multiplyAdd(s, b0, c00); c01 = multiplyAdd(s, b1, c01);
    s = v128.load32_splat(a, 4);
    c10 = multiplyAdd(s, b0, c10); c11 = multiplyAdd(s, b1, c11);
    s = v128.load32_splat(a, 8);
    c20 = multiplyAdd(s, b0, c20); c21 = multiplyAdd(s, b1, c21);
    s = v128.load32_splat(a, 12);
    c30 = multiplyAdd(s, b0, c30); c31 = multiplyAdd(s, b1, c31);
    a += aStride; b += bStride;
  }
  addTo(c, c00, c01); c += cStride;
  addTo(c, c10, c11); c += cStride;
  addTo(c, c20, c21); c += cStride;
  addTo(c, c30, c31);
}

// @ts-ignore: decorator
@inline
function addTo(c: usize, low: v128, high: v128): void {
  v128.store(c, f32x4.add(v128.load(c), low));
  v128.store(c, f32x4.add(v128.load(c, 16), high), 16);
}
