import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openEmbeddedEngine } from "../engine/embedded/embedded-engine.ts";
import type { Engine } from "../engine/engine.ts";
import { dialectLimits } from "../problems/arena/dialect.ts";
import {
  type PretrainPhase,
  type PretrainProgress,
  pretrainArena,
  pretrainPhases,
} from "./pretrain-arena.ts";

const shape = { layers: 1, width: 32, hidden: 64, context: 288 };
const phases: readonly PretrainPhase[] = [
  { name: "meaning", steps: 30, learningRate: 1e-2, examples: { "long-suite": 2, program: 4 } },
  { name: "habit", steps: 10, learningRate: 5e-3, examples: { program: 2, suite: 2, "black-box-suite": 2 } },
];

let engine: Engine;
let folder: string;

beforeAll(async () => {
  engine = await openEmbeddedEngine({ threads: 2, shapes: { mini: shape } });
  folder = await mkdtemp(path.join(tmpdir(), "sparring-pretrain-"));
});

afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

async function pretrain(seed: number, name: string) {
  const progress: PretrainProgress[] = [];
  const report = await pretrainArena({
    engine,
    folder: path.join(folder, name),
    seed,
    model: "mini",
    phases,
    onProgress: (each) => progress.push(each),
  });
  return { report, progress, weights: await readFile(report.files[0]!) };
}

test("the same seed gives the same weights, another seed others", async () => {
  const [first, again, other] = [await pretrain(1, "a"), await pretrain(1, "b"), await pretrain(2, "c")];
  expect(again.weights.equals(first.weights)).toBe(true);
  expect(other.weights.equals(first.weights)).toBe(false);
  expect(again.progress).toEqual(first.progress);
});

test("it learns, says how far it is, and writes weights that a policy can start from", async () => {
  const { report, progress } = await pretrain(3, "d");
  expect(progress.map(({ step }) => step)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  expect(new Set(progress.map(({ phase }) => phase))).toEqual(new Set(["meaning", "habit"]));
  expect(progress[29]!.loss).toBeLessThan(0.75 * progress[0]!.loss);
  expect(progress.at(-1)!.tokens).toBe(report.tokens);
  const policy = await engine.openFrozen({
    role: "code",
    model: { kind: "folder", path: path.dirname(report.files[0]!) },
    seed: 1,
  });
  expect(policy.describe().parameters).toBe(report.parameters);
  await policy.dispose();
});

test("it stops when asked and writes nothing", async () => {
  const controller = new AbortController();
  const stopped = pretrainArena({
    engine,
    folder: path.join(folder, "stopped"),
    seed: 1,
    model: "mini",
    phases,
    onProgress: ({ step }) => {
      if (step === 3) controller.abort();
    },
    signal: controller.signal,
  });
  await expect(stopped).rejects.toThrow(/abort/i);
  await expect(readFile(path.join(folder, "stopped", "weights.safetensors"))).rejects.toThrow();
});

test("the phases that the shipped weights come from fit the model they are for", async () => {
  const policy = await engine.openFrozen({ role: "code", model: { kind: "named", name: "small" }, seed: 1 });
  expect(policy.describe().contextLength).toBeGreaterThanOrEqual(dialectLimits.context);
  await policy.dispose();
  for (const { steps } of pretrainPhases) expect(steps).toBeGreaterThan(0);
});
