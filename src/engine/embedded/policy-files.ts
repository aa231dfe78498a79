/**
 * A policy in a folder: `weights.safetensors`, and beside it `optimizer.safetensors` where there is anything to
 * continue. Both say in their metadata what they are, for which shape and alphabet, and after how many steps.
 */
import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { SparringError } from "../../errors.ts";
import { checkShape, type ModelShape } from "./model-shape.ts";
import { fromRowMajor, layOut, type ParameterLayout, toRowMajor } from "./parameter-layout.ts";
import { readTensorFile, type StoredTensor, type TensorFile, writeTensorFile } from "./safetensors.ts";
import { alphabetName } from "./tokenizer.ts";

const format = "sparring-embedded-policy";
const formatVersion = "1";
const weightsName = "weights.safetensors";
const optimizerName = "optimizer.safetensors";

export interface PolicyState {
  readonly shape: ModelShape;
  readonly weights: Float32Array;
  readonly step: number;
  readonly version: number;
  /** Missing where no step was ever taken. */
  readonly optimizer?: { readonly mean: Float32Array; readonly square: Float32Array };
}

export async function writeWeights(folder: string, state: PolicyState): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, weightsName);
  const layout = layOut(state.shape);
  await writeTensorFile(file, { tensors: tensorsOf(layout, "", state.weights), metadata: metadataOf(state) });
  return file;
}

export async function writeState(folder: string, state: PolicyState): Promise<void> {
  await writeWeights(folder, state);
  if (state.optimizer === undefined) return;
  const layout = layOut(state.shape);
  const tensors = new Map([
    ...tensorsOf(layout, "mean.", state.optimizer.mean),
    ...tensorsOf(layout, "square.", state.optimizer.square),
  ]);
  await writeTensorFile(path.join(folder, optimizerName), { tensors, metadata: metadataOf(state) });
}

/** Weights alone: what a new policy starts from. */
export async function readWeights(folder: string): Promise<PolicyState> {
  const file = path.join(folder, weightsName);
  const stored = await readTensorFile(file);
  const shape = shapeIn(file, stored);
  const weights = assemble(file, { stored, layout: layOut(shape), prefix: "" });
  return {
    shape,
    weights,
    step: countIn(file, stored, "step"),
    version: countIn(file, stored, "policyVersion"),
  };
}

export async function readState(folder: string): Promise<PolicyState> {
  const state = await readWeights(folder);
  if (state.step === 0) return state;
  const file = path.join(folder, optimizerName);
  if ((await stat(file).catch(() => undefined)) === undefined) {
    throw new SparringError({
      code: "engine-state-incomplete",
      message: `${folder}: the weights have ${state.step} steps behind them, but ${optimizerName} is missing.`,
      hint: "This folder holds exported weights. Open a new policy from it instead of continuing.",
    });
  }
  const stored = await readTensorFile(file);
  const shape = shapeIn(file, stored);
  const step = countIn(file, stored, "step");
  if (JSON.stringify(shape) !== JSON.stringify(state.shape) || step !== state.step) {
    throw new SparringError({
      code: "engine-state-mixed",
      message: `${folder}: weights are of step ${state.step}, the optimizer's state is of step ${step}.`,
      hint: "The two files were not saved together; take another checkpoint.",
    });
  }
  const layout = layOut(shape);
  return {
    ...state,
    optimizer: {
      mean: assemble(file, { stored, layout, prefix: "mean." }),
      square: assemble(file, { stored, layout, prefix: "square." }),
    },
  };
}

function metadataOf(state: PolicyState): Record<string, string> {
  return {
    format,
    formatVersion,
    alphabet: alphabetName,
    shape: JSON.stringify(state.shape),
    step: String(state.step),
    policyVersion: String(state.version),
  };
}

function tensorsOf(layout: ParameterLayout, prefix: string, run: Float32Array): Map<string, StoredTensor> {
  return new Map(
    layout.tensors.map((tensor) => [
      prefix + tensor.name,
      {
        shape: tensor.rows === 1 ? [tensor.columns] : [tensor.rows, tensor.columns],
        values: toRowMajor(run, tensor),
      },
    ]),
  );
}

function shapeIn(file: string, { metadata }: TensorFile): ModelShape {
  if (metadata.format !== format) {
    throw new SparringError({
      code: "engine-file-foreign",
      message: `${file}: not a policy of the embedded engine.`,
    });
  }
  const expected: Record<string, string> = { formatVersion, alphabet: alphabetName };
  for (const [name, value] of Object.entries(expected)) {
    if (metadata[name] !== value) {
      throw new SparringError({
        code: "engine-file-version",
        message: `${file}: its ${name} is ${metadata[name] ?? "missing"}; this version reads ${value}.`,
        hint: "Use the version of sparring that wrote it.",
      });
    }
  }
  let parsed: Partial<ModelShape> | null = null;
  try {
    parsed = JSON.parse(metadata.shape ?? "null");
  } catch {
    // Reported as missing sizes below.
  }
  const { layers = 0, width = 0, hidden = 0, context = 0 } = parsed ?? {};
  const shape = { layers, width, hidden, context };
  checkShape(shape, file);
  return shape;
}

function countIn(file: string, { metadata }: TensorFile, name: string): number {
  const value = Number(metadata[name]);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new SparringError({
    code: "engine-file-damaged",
    message: `${file}: its ${name} is ${metadata[name]}.`,
  });
}

function assemble(
  file: string,
  { stored, layout, prefix }: { stored: TensorFile; layout: ParameterLayout; prefix: string },
): Float32Array {
  const run = new Float32Array(layout.size);
  for (const tensor of layout.tensors) {
    const name = prefix + tensor.name;
    const expected = tensor.rows === 1 ? [tensor.columns] : [tensor.rows, tensor.columns];
    const found = stored.tensors.get(name);
    const refuse = (message: string): never => {
      throw new SparringError({
        code: "engine-tensor-invalid",
        message: `${file}: tensor '${name}' ${message}.`,
      });
    };
    if (found === undefined) return refuse("is missing");
    if (found.shape.join() !== expected.join())
      refuse(`has the shape [${found.shape.join(", ")}]; [${expected.join(", ")}] is expected`);
    const bad = found.values.findIndex((value) => !Number.isFinite(value));
    if (bad >= 0) refuse(`holds ${found.values[bad]} at ${bad}`);
    fromRowMajor(found.values, run, tensor);
  }
  return run;
}
