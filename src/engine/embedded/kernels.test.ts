/** Every operation against double precision, and every gradient against finite differences of it, in both builds. */
import { beforeAll, describe, expect, test } from "vitest";
import { kernelVariants } from "./kernels.ts";
import { rotationTables } from "./rotation-tables.ts";
import { expectClose, numbers, numericGradient, rowsOf } from "./testing/comparison.ts";
import { openWorkbench, toPanels, type Workbench } from "./testing/kernel-workbench.ts";
import { multiplyRows, normaliseReference, rotateReference } from "./testing/reference-model.ts";

describe.each(kernelVariants)("%s kernels", (variant) => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await openWorkbench(variant);
  });

  test.each([
    [4, 8, 1],
    [5, 16, 7],
    [13, 24, 96],
    [1, 8, 3],
  ])("matrix product of %i rows, %i columns, %i inner", (rows, columns, inner) => {
    const a = numbers(rows * inner, "a");
    const b = numbers(inner * columns, "b");
    const before = numbers(rows * columns, "before");
    const product = multiplyRows(rowsOf(a, inner), rowsOf(b, columns)).flat();
    const left = bench.matrix(rows, inner, a);
    const right = bench.place(toPanels(b, inner, columns));
    const out = bench.matrix(rows, columns, before);
    const run = (accumulate: number) =>
      bench.kernels.multiply(
        ...([rows, columns, inner, left.address, left.stride, right, inner * 32] as const),
        ...([out.address, out.stride, accumulate] as const),
      );
    run(1);
    expectClose(
      bench.readMatrix(out, rows, columns),
      product.map((value, i) => value + before[i]!),
    );
    run(0);
    expectClose(bench.readMatrix(out, rows, columns), product);
  });

  test("a row of a product does not depend on the rows around it", () => {
    const [columns, inner] = [24, 50];
    const a = numbers(9 * inner, "rows");
    const panels = bench.place(toPanels(numbers(inner * columns, "b"), inner, columns));
    const productOf = (rows: readonly number[]) => {
      const left = bench.matrix(
        rows.length,
        inner,
        rows.flatMap((row) => a.slice(row * inner, (row + 1) * inner)),
      );
      const out = bench.matrix(rows.length, columns);
      bench.kernels.multiply(
        ...([rows.length, columns, inner, left.address, left.stride, panels, inner * 32] as const),
        ...([out.address, out.stride, 0] as const),
      );
      return rowsOf(bench.readMatrix(out, rows.length, columns), columns);
    };
    const together = productOf([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    for (let row = 0; row < 9; row++) expect(productOf([row])[0]).toEqual(together[row]);
    expect(productOf([7, 3])).toEqual([together[7], together[3]]);
  });

  test.each([3, 48, 101])("gradients of a matrix product over %i rows", (rows) => {
    const [inner, columns] = [12, 16];
    const x = numbers(rows * inner, "x");
    const w = numbers(inner * columns, "w");
    const upstream = numbers(rows * columns, "upstream");
    const gradient = bench.matrix(rows, columns, upstream);

    const input = bench.matrix(rows, inner, x);
    const before = numbers(inner * columns, "before");
    const weightGradient = bench.place(toPanels(before, inner, columns));
    bench.kernels.multiplyTransposed(
      ...([rows, inner, columns, input.address, input.stride, gradient.address, gradient.stride] as const),
      ...([weightGradient, 32, inner * 32] as const),
    );
    const byWeight = numericGradient(w, upstream, (at) =>
      multiplyRows(rowsOf(x, inner), rowsOf(at, columns)).flat(),
    );
    const expected = toPanels(
      byWeight.map((value, i) => value + before[i]!),
      inner,
      columns,
    );
    expectClose(bench.read(weightGradient, inner * columns), expected);

    // inner must be a multiple of 8 for the transposed panels; take 16 columns back to 8 of the inputs.
    const wide = numbers(16 * 16, "wide");
    const panels = bench.place(toPanels(wide, 16, 16));
    const transposed = bench.place(new Array<number>(256).fill(0));
    bench.kernels.transposePanels(panels, 16, 16, transposed);
    const inputGradient = bench.matrix(rows, 16);
    bench.kernels.multiply(
      ...([rows, 16, 16, gradient.address, gradient.stride, transposed, 16 * 32] as const),
      ...([inputGradient.address, inputGradient.stride, 0] as const),
    );
    const firstRow = numericGradient(numbers(16, "x0"), upstream.slice(0, 16), (at) =>
      multiplyRows([at], rowsOf(wide, 16)).flat(),
    );
    expectClose(bench.readMatrix(inputGradient, 1, 16), firstRow);
  });

  test("transposing panels of a matrix that is not square", () => {
    const [rows, columns] = [32, 24];
    const values = numbers(rows * columns, "values");
    const source = bench.place(toPanels(values, rows, columns));
    const target = bench.place(new Array<number>(rows * columns).fill(0));
    bench.kernels.transposePanels(source, rows, columns, target);
    const transposed = Array.from(
      { length: rows * columns },
      (_, i) => values[(i % rows) * columns + Math.floor(i / rows)]!,
    );
    expect(bench.read(target, rows * columns)).toEqual(toPanels(transposed, columns, rows));
  });

  test("norm and its gradients", () => {
    const [rows, width] = [3, 32];
    const x = numbers(rows * width, "x", 3);
    const gain = numbers(width, "gain", 2);
    const upstream = numbers(rows * width, "upstream");
    const input = bench.matrix(rows, width, x);
    const output = bench.matrix(rows, width);
    const gainAt = bench.place(gain);
    const scales = bench.place(new Array<number>(rows).fill(0));
    bench.kernels.normalise(
      ...([input.address, input.stride, rows, width, gainAt, output.address, output.stride, scales] as const),
    );
    expectClose(bench.readMatrix(output, rows, width), normaliseReference(rowsOf(x, width), gain).flat());

    const gradient = bench.matrix(rows, width, upstream);
    const before = numbers(rows * width, "before");
    const inputGradient = bench.matrix(rows, width, before);
    const gainGradient = bench.place(new Array<number>(width).fill(0));
    bench.kernels.normaliseBackward(
      ...([
        input.address,
        input.stride,
        rows,
        width,
        gainAt,
        scales,
        gradient.address,
        gradient.stride,
      ] as const),
      ...([inputGradient.address, inputGradient.stride, gainGradient] as const),
    );
    const byInput = numericGradient(x, upstream, (at) => normaliseReference(rowsOf(at, width), gain).flat());
    expectClose(
      bench.readMatrix(inputGradient, rows, width),
      byInput.map((value, i) => value + before[i]!),
    );
    const byGain = numericGradient(gain, upstream, (at) => normaliseReference(rowsOf(x, width), at).flat());
    expectClose(bench.read(gainGradient, width), byGain);
  });

  test("rotation and its gradient", () => {
    const width = 64;
    const positions = [0, 5, 61];
    const x = numbers(positions.length * 3 * width, "x");
    const scale = Math.fround(0.25);
    const reference = (at: number[]) =>
      rowsOf(at, 3 * width).flatMap((row, i) => [
        ...rotateReference(row.slice(0, width), positions[i]!).map((value) => value * scale),
        ...rotateReference(row.slice(width, 2 * width), positions[i]!),
        ...row.slice(2 * width),
      ]);
    const tables = bench.place(rotationTables(64));
    const at = bench.placeIntegers(positions);
    const run = (values: number[], direction: number) => {
      const rows = bench.matrix(positions.length, 3 * width, values);
      bench.kernels.rotate(rows.address, rows.stride, positions.length, width, at, tables, scale, direction);
      return bench.readMatrix(rows, positions.length, 3 * width);
    };
    expectClose(run(x, 1), reference(x));
    const upstream = numbers(x.length, "upstream");
    expectClose(run(upstream, -1), numericGradient(x, upstream, reference));
  });

  test("activation and its gradient", () => {
    const [rows, width] = [3, 32];
    const x = numbers(rows * width, "x", 2);
    const square = (at: number[]) => at.map((value) => Math.max(value, 0) ** 2);
    const input = bench.matrix(rows, width, x);
    const output = bench.matrix(rows, width);
    bench.kernels.activate(input.address, input.stride, rows, width, output.address, output.stride);
    expectClose(bench.readMatrix(output, rows, width), square(x));
    const upstream = numbers(x.length, "upstream");
    const gradient = bench.matrix(rows, width, upstream);
    bench.kernels.activateBackward(
      input.address,
      input.stride,
      rows,
      width,
      gradient.address,
      gradient.stride,
    );
    expectClose(bench.readMatrix(gradient, rows, width), numericGradient(x, upstream, square));
  });

  test("embedding rows are gathered, and their gradients added up", () => {
    const width = 32;
    const table = numbers(5 * width, "table");
    const tableAt = bench.place(table);
    const ids = [3, 0, 3];
    const idsAt = bench.placeIntegers(ids);
    const out = bench.matrix(3, width);
    bench.kernels.gatherRows(tableAt, width * 4, idsAt, 3, width, out.address, out.stride);
    const gather = (at: number[]) => ids.flatMap((id) => at.slice(id * width, (id + 1) * width));
    expect(bench.readMatrix(out, 3, width)).toEqual(gather(table));
    const upstream = numbers(3 * width, "upstream");
    const gradient = bench.matrix(3, width, upstream);
    const tableGradient = bench.place(new Array<number>(5 * width).fill(0));
    bench.kernels.scatterAddRows(
      gradient.address,
      gradient.stride,
      idsAt,
      3,
      width,
      tableGradient,
      width * 4,
    );
    expectClose(bench.read(tableGradient, 5 * width), numericGradient(table, upstream, gather));
  });

  test("distribution, entropy and the gradient of log-probabilities", () => {
    const [vocabulary, padded] = [13, 16];
    const logits = numbers(2 * padded, "logits", 6);
    const at = bench.matrix(2, padded, logits);
    const logSums = bench.place([0, 0]);
    const entropies = bench.place([0, 0]);
    const logprobs = (row: readonly number[]) => {
      const logSum = Math.log(row.reduce((sum, logit) => sum + Math.exp(logit), 0));
      return row.map((logit) => logit - logSum);
    };
    bench.kernels.distribution(at.address, at.stride, 2, vocabulary, padded, logSums, entropies);
    const real = rowsOf(logits, padded).map((row) => row.slice(0, vocabulary));
    expectClose(
      bench.read(logSums, 2),
      real.map((row) => row[0]! - logprobs(row)[0]!),
      1e-6,
    );
    expectClose(
      bench.read(entropies, 2),
      real.map((row) => -logprobs(row).reduce((sum, logprob) => sum + logprob * Math.exp(logprob), 0)),
    );
    const weights = bench.place(new Array<number>(padded).fill(9));
    bench.kernels.temperedWeights(at.address, padded, bench.read(logSums, 1)[0]!, 2, weights);
    expectClose(
      bench.read(weights, vocabulary),
      logprobs(real[0]!).map((logprob) => Math.exp(2 * logprob)),
    );
    expect(bench.read(weights + vocabulary * 4, 3)).toEqual([0, 0, 0]);

    const slopes = bench.place([2, -0.5]);
    bench.kernels.distributionBackward(at.address, at.stride, 2, padded, logSums, slopes);
    // The targets' own part is the caller's: compare the sum over a whole row of targets' slopes without it.
    const gradient = rowsOf(bench.readMatrix(at, 2, padded), padded);
    [2, -0.5].forEach((slope, row) => {
      const target = 4;
      const byLogit = numericGradient(real[row]!, [slope], (x) => [logprobs(x)[target]!]);
      byLogit[target]! -= slope;
      expectClose(gradient[row]!.slice(0, vocabulary), byLogit);
      expect(gradient[row]!.slice(vocabulary).map(Math.abs)).toEqual([0, 0, 0]);
    });
  });

  test("the exponential is accurate over its whole range and vanishes below it", () => {
    const x = Array.from({ length: 4000 }, (_, i) => Math.fround(-90 + i * 0.0225));
    const at = bench.place(x);
    const out = bench.place(x);
    bench.kernels.temperedWeights(at, x.length, 0, 1, out);
    bench.read(out, x.length).forEach((value, i) => {
      if (x[i]! < -87) expect(value).toBe(0);
      else expect(Math.abs(value / Math.exp(x[i]!) - 1)).toBeLessThan(3e-7);
    });
  });

  test("gradients are summed in order, with their squares", () => {
    const count = 20;
    const buffers = ["a", "b", "c"].map((key) => numbers(count, key));
    const addresses = buffers.map((values) => bench.place(values));
    const list = bench.placeIntegers(addresses);
    const squares = bench.kernels.reduceGradients(list, 3, 16, 32);
    const sums = buffers[0]!.map((value, i) =>
      Math.fround(Math.fround(value + buffers[1]![i]!) + buffers[2]![i]!),
    );
    const expected = buffers[0]!.map((value, i) => (i >= 4 && i < 12 ? sums[i]! : value));
    expect(bench.read(addresses[0]!, count)).toEqual(expected);
    expect(squares).toBeCloseTo(
      sums.slice(4, 12).reduce((sum, value) => sum + value * value, 0),
      12,
    );
  });

  test("AdamW follows its formula over several steps", () => {
    const count = 8;
    const settings = { learningRate: 0.01, beta1: 0.9, beta2: 0.99, epsilon: 1e-8, weightDecay: 0.1 };
    const weights = numbers(count, "weights");
    const [parameters, mean, square] = [
      bench.place(weights),
      bench.place(new Array(count).fill(0)),
      bench.place(new Array(count).fill(0)),
    ];
    const expected = [...weights];
    const m = new Array<number>(count).fill(0);
    const v = new Array<number>(count).fill(0);
    for (let step = 1; step <= 5; step++) {
      const gradient = numbers(count, `gradient ${step}`);
      const scale = 0.5;
      const correction1 = 1 - settings.beta1 ** step;
      const correction2 = 1 - settings.beta2 ** step;
      bench.kernels.adam(
        ...([
          parameters,
          bench.place(gradient),
          mean,
          square,
          count * 4,
          settings.beta1,
          settings.beta2,
        ] as const),
        ...([settings.epsilon, settings.learningRate / correction1, 1 / Math.sqrt(correction2)] as const),
        ...([1 - settings.learningRate * settings.weightDecay, scale] as const),
      );
      for (let i = 0; i < count; i++) {
        const g = gradient[i]! * scale;
        m[i] = settings.beta1 * m[i]! + (1 - settings.beta1) * g;
        v[i] = settings.beta2 * v[i]! + (1 - settings.beta2) * g * g;
        const update = m[i]! / correction1 / (Math.sqrt(v[i]! / correction2) + settings.epsilon);
        expected[i]! -= settings.learningRate * (update + settings.weightDecay * expected[i]!);
      }
      expectClose(bench.read(parameters, count), expected);
    }
  });
});
