import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compiledModule } from "../../package-root.ts";
import { collectSamples } from "../collect-samples.ts";
import { type SampleRequest, trainingSampling } from "../completion.ts";
import type { Engine, TrainablePolicy } from "../engine.ts";
import { clippedRatio, crossEntropy } from "../objective.ts";
import { adamDefaults } from "../optimizer.ts";
import { sequenceOf, type TrainingRecord } from "../token-batch.ts";
import { openEmbeddedEngine } from "./embedded-engine.ts";

const optimizer = { ...adamDefaults, learningRate: 2e-3 };
const named = (name: string) => ({ kind: "named", name }) as const;
const request = (content: string, samples: number): SampleRequest => ({
  prompt: { kind: "messages", messages: [{ role: "user", content }] },
  samples,
  key: content,
});
const recordOf = (
  policy: TrainablePolicy,
  prompt: string,
  answer: string,
  coefficient: number,
): TrainingRecord => {
  const promptIds = policy.renderPrompt([{ role: "user", content: prompt }]);
  const answerIds = [...policy.tokenizer.encode(answer), policy.tokenizer.endTokenId];
  return {
    tokenIds: [...promptIds, ...answerIds],
    promptLength: promptIds.length,
    coefficients: answerIds.map(() => coefficient),
  };
};

describe("opening", () => {
  test.each([
    [{ threads: 0 }, /0 threads/],
    [{ threads: 2.5 }, /2.5 threads/],
    [{ memoryMegabytes: 5000 }, /memoryMegabytes is 5000/],
    [{ shapes: { odd: { layers: 1, width: 40, hidden: 64, context: 64 } } }, /'odd': width is 40/],
  ])("refuses %j", async (options, message) => {
    await expect(openEmbeddedEngine(options)).rejects.toThrow(message);
  });

  test("uses no more threads than help, and says so", async () => {
    const engine = await openEmbeddedEngine({ threads: 100, memoryMegabytes: 16 });
    const { details } = engine.describe();
    expect(details.threads).toBe(8);
    expect(details.threadsNote).toContain("100 threads were asked for");
    await engine.close();
  });

  test("a model that does not fit into memory is refused by size", async () => {
    const engine = await openEmbeddedEngine({ threads: 1, memoryMegabytes: 16 });
    const policy = await engine.openPolicy({ role: "code", model: named("small"), seed: 1 });
    await expect(policy.accumulate([recordOf(policy, "a", "b", 1)], crossEntropy)).rejects.toThrow(
      /no room for .* of 16 MB in use/,
    );
    await engine.close();
  });

  test("unknown models and untrainable parts are refused by name", async () => {
    const engine = await openEmbeddedEngine({ threads: 1, memoryMegabytes: 16 });
    const spec = { role: "code", seed: 1 };
    await expect(engine.openPolicy({ ...spec, model: named("huge") })).rejects.toThrow(/no model 'huge'/);
    const trains = { kind: "low-rank", rank: 8, alpha: 16 } as const;
    await expect(engine.openPolicy({ ...spec, model: named("tiny"), trains })).rejects.toThrow(/low-rank/);
    await engine.close();
  });
});

describe("closing", () => {
  test("ends what is under way with an error that says so", async () => {
    const engine = await openEmbeddedEngine({ threads: 1, memoryMegabytes: 256 });
    const policy = await engine.openPolicy({ role: "code", model: named("tiny"), seed: 1 });
    const reading = collectSamples(policy, [request("x", 40)], {
      ...trainingSampling,
      maxTokens: 50,
      seed: 1,
    });
    const outcome = expect(reading).rejects.toThrow(/disposed/);
    await engine.close();
    await outcome;
    await expect(engine.openPolicy({ role: "code", model: named("tiny"), seed: 1 })).rejects.toThrow(
      /closed/,
    );
  });

  test("an engine that nobody closes does not keep the process alive", async () => {
    const script = `
      const { openEmbeddedEngine } = await import(${JSON.stringify(compiledModule("engine/embedded/embedded-engine.js").href)});
      const engine = await openEmbeddedEngine({ threads: 2, memoryMegabytes: 64 });
      const policy = await engine.openPolicy({ role: "code", model: { kind: "named", name: "tiny" }, seed: 1 });
      const [[logprob]] = await policy.score([{ tokenIds: [1, 2], promptLength: 1 }]);
      console.log(logprob < 0);`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      timeout: 30_000,
    });
    expect(stdout).toBe("true\n");
  });
});

describe("an open engine", () => {
  let engine: Engine;
  let folder: string;
  beforeAll(async () => {
    engine = await openEmbeddedEngine({ threads: 2, memoryMegabytes: 512 });
    folder = await mkdtemp(path.join(tmpdir(), "sparring-embedded-"));
  });
  afterAll(async () => {
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  });
  const open = (seed = 1) => engine.openPolicy({ role: "code", model: named("tiny"), seed });

  test("prompts at the edges of cache blocks sample what scoring confirms", async () => {
    const policy = await open();
    const requests = [29, 30, 31, 32, 45, 60].map((length) =>
      request("abcdefgh".repeat(8).slice(0, length), 3),
    );
    const settings = { ...trainingSampling, maxTokens: 64, seed: 1 };
    const completions = (await collectSamples(policy, requests, settings)).flat();
    const scores = await policy.score(completions.map(sequenceOf));
    expect(scores).toEqual(completions.map(({ logprobs }) => logprobs));
    for (const { stopReason, promptTokenIds, tokenIds } of completions)
      if (stopReason === "length") expect(promptTokenIds.length + tokenIds.length).toBe(64);
    await policy.dispose();
  });

  test("more completions than fit at once give what one at a time gives", async () => {
    const policy = await open();
    const settings = { ...trainingSampling, maxTokens: 50, seed: 9 };
    const requests = Array.from({ length: 30 }, (_, i) => request(`question ${i}`, 9));
    const together = await collectSamples(policy, requests, settings);
    for (const index of [0, 13, 29]) {
      const [alone] = await collectSamples(policy, [requests[index]!], settings);
      expect(alone).toEqual(together[index]);
    }
    await policy.dispose();
  });

  test("calls that overlap get their own results, from the snapshot they began with", async () => {
    const policy = await open();
    const settings = { ...trainingSampling, maxTokens: 50, seed: 2 };
    const expected = await collectSamples(policy, [request("early", 8)], settings);
    const early = collectSamples(policy, [request("early", 8)], settings);
    await policy.accumulate([recordOf(policy, "early", "late", 0.1)], crossEntropy);
    await policy.step(optimizer);
    await policy.publish();
    const late = collectSamples(policy, [request("early", 8)], settings);
    expect(await early).toEqual(expected);
    expect((await late)[0]![0]!.policyVersion).toBe(1);
    expect((await late)[0]!.map(({ logprobs }) => logprobs)).not.toEqual(
      expected[0]!.map(({ logprobs }) => logprobs),
    );
    await policy.dispose();
  });

  test("control tokens never come out of the model and cannot be trained as answers", async () => {
    const policy = await open();
    const settings = { ...trainingSampling, maxTokens: 60, seed: 3 };
    const completions = (await collectSamples(policy, [request("x", 64)], settings)).flat();
    expect(Math.max(...completions.flatMap(({ tokenIds }) => tokenIds))).toBeLessThan(97);
    const record = { ...recordOf(policy, "x", "\t", 1) };
    await expect(policy.accumulate([record], crossEntropy)).rejects.toThrow(/cannot produce the token 99/);
    await policy.dispose();
  });

  test("a loss that is not finite stops the step by name and keeps the last good state", async () => {
    const policy = await open();
    const good = recordOf(policy, "ask", "answer", 0.1);
    const learn = async () => {
      await policy.accumulate([good], crossEntropy);
      return policy.step(optimizer);
    };
    await learn();
    const before = await policy.score([good]);
    await policy.accumulate([good], crossEntropy);
    await expect(policy.accumulate([recordOf(policy, "ask", "answer", 1e308)], crossEntropy)).rejects.toThrow(
      /'code' diverged in step 2: the loss is not finite/,
    );
    await expect(policy.step(optimizer)).rejects.toThrow(/no gradient for step 2/);
    await policy.accumulate([recordOf(policy, "ask", "answer", 1e40)], crossEntropy);
    await expect(policy.step(optimizer)).rejects.toThrow(/diverged in step 2: the gradient is not finite/);
    expect(await policy.score([good])).toEqual(before);
    // Nothing of the failed steps is left: the next one is the one that would have come.
    const report = await learn();
    const twin = await open();
    for (let step = 0; step < 2; step++) {
      await twin.accumulate([good], crossEntropy);
      if (step === 0) await twin.step(optimizer);
    }
    expect(await twin.step(optimizer)).toEqual(report);
    await Promise.all([policy.dispose(), twin.dispose()]);
  });

  test("the main thread stays free while the engine works", async () => {
    const policy = await open();
    const batch = Array.from({ length: 64 }, (_, i) => recordOf(policy, `${i}`, "a".repeat(55), 0.01));
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await policy.accumulate(batch, crossEntropy);
    await policy.accumulate(batch, crossEntropy);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
    await policy.dispose();
  });

  test("memory is given back: publishing and reopening for ever costs nothing", async () => {
    const usedMegabytes = () => engine.describe().details.memoryUsedMegabytes;
    const cycle = async () => {
      const policy = await open();
      await collectSamples(policy, [request("x", 4)], { ...trainingSampling, maxTokens: 5, seed: 1 });
      for (let i = 0; i < 5; i++) {
        await policy.accumulate([recordOf(policy, "a", "b", 0.1)], crossEntropy);
        await policy.step(optimizer);
        await policy.publish();
      }
      await policy.dispose();
    };
    await cycle();
    const used = usedMegabytes();
    for (let i = 0; i < 4; i++) await cycle();
    expect(usedMegabytes()).toBe(used);
  });

  test("disposing ends sampling that is under way", async () => {
    const policy = await open();
    const requests = Array.from({ length: 40 }, (_, i) => request(`${i}`, 8));
    const reading = collectSamples(policy, requests, { ...trainingSampling, maxTokens: 60, seed: 1 });
    const outcome = expect(reading).rejects.toThrow(/disposed while it was sampling/);
    await policy.dispose();
    await outcome;
  });

  test("exported weights open as a new policy with a fresh optimizer", async () => {
    const policy = await open();
    const record = recordOf(policy, "a", "b", 0.1);
    await policy.accumulate([record], crossEntropy);
    await policy.step(optimizer);
    const weights = path.join(folder, "weights");
    expect(await policy.exportWeights(weights)).toEqual([path.join(weights, "weights.safetensors")]);
    const copy = await engine.openFrozen({ role: "test", model: { kind: "folder", path: weights }, seed: 0 });
    expect(await copy.score([record])).toEqual(await policy.score([record]));
    expect(copy.describe().snapshot).toEqual({ version: 0, step: 0 });
    await expect(policy.loadState(weights)).rejects.toThrow(/optimizer.safetensors is missing/);
    await Promise.all([policy.dispose(), copy.dispose()]);
  });

  test("state of another shape is refused", async () => {
    const policy = await open();
    const other = await engine.openPolicy({ role: "test", model: named("small"), seed: 1 });
    const state = path.join(folder, "other");
    await other.saveState(state);
    await expect(policy.loadState(state)).rejects.toThrow(/"width":128.*"width":64/);
    await Promise.all([policy.dispose(), other.dispose()]);
  });

  test("statistics tell clipped tokens", async () => {
    const policy = await open();
    const record = recordOf(policy, "a", "bcd", 1);
    const [logprobs] = await policy.score([record]);
    const shifts = [0, -0.5, 0.1, -3];
    const behaviourLogprobs = logprobs!.map((value, i) => value + shifts[i]!);
    const batch = [{ ...record, coefficients: [1, 1, 1, -1], behaviourLogprobs }];
    const { statistics } = await policy.accumulate(batch, clippedRatio);
    expect(statistics.clippedFraction).toBe(0.25);
    expect(statistics.dualClippedFraction).toBe(0.25);
    expect(statistics.largestRatio).toBeCloseTo(Math.exp(3), 3);
    expect(statistics.behaviourDivergence).toBeCloseTo(-3.4 / 4, 5);
    await policy.dispose();
  });
});
