/** The same bits, whatever the number of threads, and after a stop and a resume. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collectSamples } from "../collect-samples.ts";
import { trainingSampling } from "../completion.ts";
import type { TrainablePolicy } from "../engine.ts";
import { clippedRatio, crossEntropy } from "../objective.ts";
import { adamDefaults } from "../optimizer.ts";
import { sequenceOf } from "../token-batch.ts";
import { openEmbeddedEngine } from "./embedded-engine.ts";
import { kernelVariants } from "./kernels.ts";
import { numbers } from "./testing/comparison.ts";

const shapes = { subject: { layers: 2, width: 64, hidden: 96, context: 96 } };
const optimizer = { ...adamDefaults, learningRate: 2e-3 };
/** Seconds of work; minutes where many others want the processors. */
const timeout = 300_000;

/** One step of reinforcement on sampled texts and one of imitation, on enough rows to fill several shards. */
async function trainingStep(policy: TrainablePolicy, step: number): Promise<void> {
  const requests = Array.from({ length: 8 }, (_, i) => ({
    prompt: {
      kind: "messages" as const,
      messages: [{ role: "user" as const, content: `problem ${i * (step + 3)}` }],
    },
    samples: 4,
  }));
  const completions = (
    await collectSamples(policy, requests, { ...trainingSampling, maxTokens: 45, seed: step })
  ).flat();
  const batch = completions.map((completion, index) => ({
    ...sequenceOf(completion),
    coefficients: numbers(completion.tokenIds.length, `${step} ${index}`, 0.01),
    behaviourLogprobs: completion.logprobs,
    referenceLogprobs: completion.logprobs.map((value) => value - 0.1),
    penaltyWeights: completion.logprobs.map(() => 0.001),
  }));
  await policy.accumulate(batch, { ...clippedRatio, reference: { coefficient: 0.1, valueClamp: 10 } });
  await policy.accumulate(batch.slice(0, 5), crossEntropy);
  await policy.step(optimizer);
  await policy.publish();
}

describe.each(kernelVariants)("%s kernels", (kernels) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sparring-determinism-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const openPolicy = async (threads: number) => {
    const engine = await openEmbeddedEngine({ threads, kernels, shapes, memoryMegabytes: 256 });
    const policy = await engine.openPolicy({
      role: "code",
      model: { kind: "named", name: "subject" },
      seed: 4,
    });
    return { engine, policy };
  };
  const bytesOf = async (name: string) =>
    Promise.all(
      ["weights", "optimizer"].map((file) => readFile(path.join(folder, name, `${file}.safetensors`))),
    );

  const run = async (name: string, threads: number, steps: readonly number[], from?: string) => {
    const { engine, policy } = await openPolicy(threads);
    if (from !== undefined) await policy.loadState(path.join(folder, from));
    for (const step of steps) await trainingStep(policy, step);
    await policy.saveState(path.join(folder, name));
    await engine.close();
    return bytesOf(name);
  };

  test("1, 2 and 4 threads end with the same weights and optimizer", { timeout }, async () => {
    const one = await run("one", 1, [0, 1]);
    for (const threads of [2, 4]) {
      const other = await run(`${threads} threads`, threads, [0, 1]);
      expect(other.map((bytes, i) => bytes.equals(one[i]!))).toEqual([true, true]);
    }
  });

  test("a run that stops, saves and resumes ends where an uninterrupted one does", { timeout }, async () => {
    const whole = await run("whole", 2, [0, 1, 2]);
    await run("half", 2, [0]);
    const resumed = await run("resumed", 1, [1, 2], "half");
    expect(resumed.map((bytes, i) => bytes.equals(whole[i]!))).toEqual([true, true]);
    const different = await run("different", 2, [0, 1, 3]);
    expect(different[0]!.equals(whole[0]!)).toBe(false);
  });
});
