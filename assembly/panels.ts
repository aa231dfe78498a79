// Copies between row-major matrices and the panels that matrix products read.

/**
 * Rows become the columns of panels: [rows / 8][width][8]. Rows come from two places, `split` of them from `first`,
 * the others from `second`; the last panel is filled up with zeros. Width is a multiple of 4.
 */
export function packTransposed(
  first: usize, split: i32, second: usize, rows: i32, stride: usize, width: i32, panels: usize,
): void {
  for (let row = 0; row < rows; row += 4) {
    const r0 = rowAt(first, split, second, row, stride);
    const r1 = row + 1 < rows ? rowAt(first, split, second, row + 1, stride) : 0;
    const r2 = row + 2 < rows ? rowAt(first, split, second, row + 2, stride) : 0;
    const r3 = row + 3 < rows ? rowAt(first, split, second, row + 3, stride) : 0;
    let out = panels + ((<usize>(row >> 3) * <usize>width) << 5) + (<usize>(row & 4) << 2);
    for (let i: usize = 0; i < <usize>width << 2; i += 16) {
      const a = v128.load(r0 + i);
      const b = r1 ? v128.load(r1 + i) : f32x4.splat(0);
      const c = r2 ? v128.load(r2 + i) : f32x4.splat(0);
      const d = r3 ? v128.load(r3 + i) : f32x4.splat(0);
      const ab0 = v128.shuffle<f32>(a, b, 0, 4, 1, 5), ab1 = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
      const cd0 = v128.shuffle<f32>(c, d, 0, 4, 1, 5), cd1 = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
      v128.store(out, v128.shuffle<f32>(ab0, cd0, 0, 1, 4, 5));
      v128.store(out, v128.shuffle<f32>(ab0, cd0, 2, 3, 6, 7), 32);
      v128.store(out, v128.shuffle<f32>(ab1, cd1, 0, 1, 4, 5), 64);
      v128.store(out, v128.shuffle<f32>(ab1, cd1, 2, 3, 6, 7), 96);
      out += 128;
    }
  }
  // The second half of the last panel, where not even one row reached it.
  if (((rows - 1) & 7) < 4) {
    let out = panels + ((<usize>((rows - 1) >> 3) * <usize>width) << 5) + 16;
    for (let i = 0; i < width; ++i, out += 32) v128.store(out, f32x4.splat(0));
  }
}

/**
 * Rows stay rows of panels: [width / 8][roundedRows][8], filled up with zero rows to `roundedRows`.
 */
export function packRows(
  first: usize, split: i32, second: usize, rows: i32, roundedRows: i32, stride: usize, width: i32, panels: usize,
): void {
  const panelBytes = <usize>roundedRows << 5;
  for (let row = 0; row < roundedRows; ++row) {
    let out = panels + (<usize>row << 5);
    if (row < rows) {
      let source = rowAt(first, split, second, row, stride);
      for (let i = 0; i < width; i += 8) {
        v128.store(out, v128.load(source));
        v128.store(out, v128.load(source, 16), 16);
        source += 32;
        out += panelBytes;
      }
    } else {
      for (let i = 0; i < width; i += 8) {
        v128.store(out, f32x4.splat(0));
        v128.store(out, f32x4.splat(0), 16);
        out += panelBytes;
      }
    }
  }
}

// @ts-ignore: decorator
@inline
function rowAt(first: usize, split: i32, second: usize, row: i32, stride: usize): usize {
  return row < split ? first + <usize>row * stride : second + <usize>(row - split) * stride;
}

/** Panels of a matrix [rows × columns] become panels of its transpose: [columns/8][rows][8] → [rows/8][columns][8]. */
export function transposePanels(source: usize, rows: i32, columns: i32, target: usize): void {
  for (let column = 0; column < columns; ++column) {
    let from = source + ((<usize>(column >> 3) * <usize>rows) << 5) + (<usize>(column & 7) << 2);
    let to = target + (<usize>column << 5);
    for (let row = 0; row < rows; row += 8) {
      for (let lane: usize = 0; lane < 32; lane += 4) {
        store<f32>(to + lane, load<f32>(from));
        from += 32;
      }
      to += <usize>columns << 5;
    }
  }
}
