import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SparringError } from "../../errors.ts";
import { initialWeights } from "./initial-weights.ts";
import type { ModelShape } from "./model-shape.ts";
import { layOut } from "./parameter-layout.ts";
import { type PolicyState, readState, readWeights, writeState } from "./policy-files.ts";
import { readTensorFile, type StoredTensor, writeTensorFile } from "./safetensors.ts";

const shape: ModelShape = { layers: 2, width: 32, hidden: 64, context: 32 };
const weights = initialWeights(shape, 1);
const state: PolicyState = {
  shape,
  weights,
  step: 7,
  version: 3,
  optimizer: { mean: initialWeights(shape, 2), square: initialWeights(shape, 3).map(Math.abs) },
};
let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sparring-files-"));
  file = path.join(folder, "weights.safetensors");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a state comes back bit by bit", async () => {
  await writeState(folder, state);
  expect(await readState(folder)).toEqual(state);
  const { weights: alone, step } = await readWeights(folder);
  expect({ alone, step }).toEqual({ alone: weights, step: 7 });
});

test("the file is plain safetensors: length, JSON header, values in row-major order", async () => {
  await writeState(folder, state);
  const bytes = await readFile(file);
  const headerLength = Number(bytes.readBigUInt64LE(0));
  expect(headerLength % 8).toBe(0);
  const header = JSON.parse(bytes.toString("utf8", 8, 8 + headerLength));
  expect(header.__metadata__).toMatchObject({
    format: "sparring-embedded-policy",
    formatVersion: "1",
    step: "7",
  });
  expect(header["layers.1.feedforward.up"]).toMatchObject({ dtype: "F32", shape: [32, 64] });
  expect(header.norm.shape).toEqual([32]);
  const [start, end] = header.head.data_offsets;
  expect(end - start).toBe(32 * 97 * 4);
  // Row 1, column 9 of the head lies in panel 1, row 1, lane 1.
  const { offset } = layOut(shape).head;
  expect(bytes.readFloatLE(8 + headerLength + start + (97 + 9) * 4)).toBe(weights[offset + (32 + 1) * 8 + 1]);
});

describe("a bad file is refused by name", () => {
  const expectRefusal = async (message: RegExp) => {
    const error = await readState(folder).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(SparringError);
    expect((error as SparringError).message).toMatch(message);
    expect((error as SparringError).message).toContain(folder);
  };
  const rewrite = async (
    change: (file: { tensors: Map<string, StoredTensor>; metadata: Record<string, string> }) => void,
  ) => {
    const { tensors, metadata } = await readTensorFile(file);
    const copy = { tensors: new Map(tensors), metadata: { ...metadata } };
    change(copy);
    await writeTensorFile(file, copy);
  };
  beforeEach(() => writeState(folder, state));

  test("missing", async () => {
    await rm(file);
    await expectRefusal(/weights.safetensors: cannot be read/);
  });

  test("cut off in the values", async () => {
    await truncate(file, (await readFile(file)).length - 10);
    await expectRefusal(/tensor 'norm' ends at byte \d+ of \d+: the file is truncated/);
  });

  test("cut off in the header", async () => {
    await truncate(file, 100);
    await expectRefusal(/header claims \d+ bytes, the file has 100/);
  });

  test("empty", async () => {
    await truncate(file, 0);
    await expectRefusal(/has 0 bytes/);
  });

  test("not JSON", async () => {
    await writeFile(file, Buffer.concat([Buffer.from([8, 0, 0, 0, 0, 0, 0, 0]), Buffer.from("garbage!")]));
    await expectRefusal(/header is not JSON/);
  });

  test("of another version", async () => {
    await rewrite(({ metadata }) => {
      metadata.formatVersion = "2";
    });
    await expectRefusal(/formatVersion is 2; this version reads 1/);
  });

  test("of another alphabet", async () => {
    await rewrite(({ metadata }) => {
      metadata.alphabet = "bytes";
    });
    await expectRefusal(/alphabet is bytes/);
  });

  test("of something else", async () => {
    await rewrite(({ metadata }) => {
      metadata.format = "pt";
    });
    await expectRefusal(/not a policy of the embedded engine/);
  });

  test("with an impossible shape", async () => {
    await rewrite(({ metadata }) => {
      metadata.shape = JSON.stringify({ ...shape, width: 33 });
    });
    await expectRefusal(/width is 33/);
  });

  test("with a tensor of the wrong shape", async () => {
    await rewrite(({ tensors }) => {
      tensors.set("head", { shape: [32, 96], values: new Float32Array(32 * 96) });
    });
    await expectRefusal(/tensor 'head' has the shape \[32, 96\]; \[32, 97\] is expected/);
  });

  test("without a tensor", async () => {
    await rewrite(({ tensors }) => tensors.delete("layers.0.attention.projection"));
    await expectRefusal(/tensor 'layers.0.attention.projection' is missing/);
  });

  test("with values that are not numbers", async () => {
    await rewrite(({ tensors }) => {
      tensors.get("embedding")!.values[5] = Number.NaN;
    });
    await expectRefusal(/tensor 'embedding' holds NaN at 5/);
  });

  test("from another moment than its neighbour", async () => {
    const optimizer = await readFile(path.join(folder, "optimizer.safetensors"));
    await writeState(folder, { ...state, step: 8 });
    await writeFile(path.join(folder, "optimizer.safetensors"), optimizer);
    await expectRefusal(/weights are of step 8, the optimizer's state is of step 7/);
  });

  test("any damage to any byte of the header is an error of ours or a correct read, never a crash", async () => {
    const bytes = await readFile(file);
    const headerLength = Number(bytes.readBigUInt64LE(0));
    await fc.assert(
      fc.asyncProperty(fc.nat(8 + headerLength - 1), fc.nat(255), async (at, value) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = value;
        await writeFile(file, damaged);
        await readWeights(folder).catch((error: unknown) => expect(error).toBeInstanceOf(SparringError));
      }),
      { numRuns: 60 },
    );
  });
});
