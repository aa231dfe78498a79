/** Attention against double precision and finite differences, with a shared prompt, in both builds. */
import { beforeAll, describe, expect, test } from "vitest";
import { kernelVariants } from "./kernels.ts";
import { expectClose, numbers, rowsOf } from "./testing/comparison.ts";
import { openWorkbench, type Workbench } from "./testing/kernel-workbench.ts";
import { attentionReference, type Rows } from "./testing/reference-model.ts";

describe.each(kernelVariants)("%s kernels", (variant) => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await openWorkbench(variant);
  });

  // Two completions, of 6 and 3 tokens, after a shared prompt of 5: prompt rows 0–4, then 5–10 and 11–13.
  const width = 64;
  const segments = [
    [0, 5, 0, 0],
    [5, 6, 5, 0],
    [11, 3, 5, 0],
  ] as const;
  const rows = 14;
  const x = numbers(rows * 3 * width, "projected");
  const sequences = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    [0, 1, 2, 3, 4, 11, 12, 13],
  ];
  const reference = (values: number[]): number[] => {
    const all = rowsOf(values, 3 * width);
    const out: Rows = [];
    for (const sequence of sequences) {
      const part = (index: number) =>
        sequence.map((row) => all[row]!.slice(index * width, (index + 1) * width));
      attentionReference(part(0), part(1), part(2)).forEach((row, i) => {
        out[sequence[i]!] = row;
      });
    }
    return out.flat();
  };

  test("forward", () => {
    const projected = bench.matrix(rows, 3 * width, x);
    const out = bench.matrix(rows, width);
    const scratch = bench.memory.allocate(bench.kernels.attentionForwardScratch(11), "scratch").address;
    for (const [row, length, position, prefix] of segments)
      bench.kernels.attentionForward(
        ...([projected.address, projected.stride, width, row, length, position, prefix] as const),
        ...([out.address, out.stride, scratch] as const),
      );
    expectClose(bench.readMatrix(out, rows, width), reference(x));
  });

  test("backward", () => {
    const projected = bench.matrix(rows, 3 * width, x);
    const upstream = numbers(rows * width, "upstream");
    const outGradient = bench.matrix(rows, width, upstream);
    const gradient = bench.matrix(rows, 3 * width);
    const scratch = bench.memory.allocate(bench.kernels.attentionBackwardScratch(11, 11), "scratch").address;
    for (const [row, length, position, prefix] of segments)
      bench.kernels.attentionBackward(
        ...([projected.address, projected.stride, width, row, length, position, prefix] as const),
        ...([outGradient.address, outGradient.stride, gradient.address, gradient.stride, scratch] as const),
      );
    const actual = bench.readMatrix(gradient, rows, 3 * width);
    // All 2,688 entries would take long; every 7th still meets each row, head and part.
    const chosen = x.map((_, i) => i).filter((i) => i % 7 === 0);
    const expected = chosen.map((i) => {
      const moved = (by: number) =>
        reference(x.map((value, j) => (j === i ? value + by : value))).reduce(
          (sum, value, j) => sum + value * upstream[j]!,
          0,
        );
      return (moved(1e-5) - moved(-1e-5)) / 2e-5;
    });
    expectClose(
      chosen.map((i) => actual[i]!),
      expected,
      5e-5,
    );
  });

  test("one row over the cache gives the same bits as the whole segment", () => {
    const count = 70;
    const projected = bench.matrix(count, 3 * width, numbers(count * 3 * width, "cached", 2));
    const whole = bench.matrix(count, width);
    const scratch = bench.memory.allocate(bench.kernels.attentionForwardScratch(count), "scratch").address;
    bench.kernels.attentionForward(
      ...([
        projected.address,
        projected.stride,
        width,
        0,
        count,
        0,
        0,
        whole.address,
        whole.stride,
        scratch,
      ] as const),
    );
    const blockBytes = 32 * width * 2 * 4;
    const blocks = bench.placeIntegers(
      [2, 0, 1].map((i) => i * blockBytes + bench.memory.allocate(3 * blockBytes, "cache").address),
    );
    bench.kernels.cacheRows(projected.address, projected.stride, width, 40, 0, blocks, 0);
    const out = bench.place(new Array<number>(width).fill(0));
    for (let row = 40; row < count; row++) {
      const at = projected.address + row * projected.stride;
      bench.kernels.cacheRows(at, projected.stride, width, 1, row, blocks, 0);
      bench.kernels.attentionDecode(at, width, row + 1, blocks, 0, out, scratch);
      expect(bench.read(out, width)).toEqual(bench.read(whole.address + row * whole.stride, width));
    }
  });
});
