/**
 * It really learns: a new model learns by imitation to sort letters, and a half-taught one learns the rest from
 * rewards alone, with group-relative advantages and the clipped ratio.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { collectSamples } from "../collect-samples.ts";
import { trainingSampling } from "../completion.ts";
import type { Engine, TrainablePolicy } from "../engine.ts";
import { clippedRatio, crossEntropy } from "../objective.ts";
import { adamDefaults } from "../optimizer.ts";
import { sequenceOf } from "../token-batch.ts";
import { openEmbeddedEngine } from "./embedded-engine.ts";
import { randomStream, uniform } from "./random.ts";

const shapes = { sorter: { layers: 2, width: 64, hidden: 128, context: 32 } };
const letters = "abcdefgh";
/** Seconds of work; minutes where many others want the processors. */
const timeout = 300_000;
let engine: Engine;
beforeAll(async () => {
  engine = await openEmbeddedEngine({ shapes, memoryMegabytes: 256 });
});
afterAll(() => engine.close());

const sorted = (word: string) => [...word].sort().join("");
const wordsFor = (key: string, count: number): string[] => {
  const stream = randomStream(1, key, 0);
  const letter = (position: number) => letters[Math.floor(uniform(stream, position) * letters.length)]!;
  return Array.from({ length: count }, (_, word) =>
    Array.from({ length: 4 }, (_, i) => letter(word * 4 + i)).join(""),
  );
};
const requestFor = (word: string, samples: number) => ({
  prompt: { kind: "messages" as const, messages: [{ role: "user" as const, content: word }] },
  samples,
  key: word,
});

async function imitate(policy: TrainablePolicy, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    const batch = wordsFor(`lesson ${step}`, 32).map((word) => {
      const prompt = policy.renderPrompt([{ role: "user", content: word }]);
      const answer = [...policy.tokenizer.encode(sorted(word)), policy.tokenizer.endTokenId];
      return {
        tokenIds: [...prompt, ...answer],
        promptLength: prompt.length,
        coefficients: answer.map(() => 1 / (32 * 5)),
      };
    });
    await policy.accumulate(batch, crossEntropy);
    await policy.step({ ...adamDefaults, weightDecay: 0.01, learningRate: 3e-3 * (1 - step / steps) });
  }
  await policy.publish();
}

/** Share of places that hold the right letter. */
function rewardOf(word: string, text: string): number {
  const wanted = sorted(word);
  return text.length === wanted.length
    ? [...wanted].filter((letter, i) => text[i] === letter).length / wanted.length
    : 0;
}

async function meanReward(policy: TrainablePolicy): Promise<number> {
  const words = wordsFor("exam", 60);
  const settings = { ...trainingSampling, maxTokens: 8, seed: 1 };
  const answers = await collectSamples(
    policy,
    words.map((word) => requestFor(word, 4)),
    settings,
  );
  const rewards = answers.flatMap((group, i) => group.map(({ text }) => rewardOf(words[i]!, text)));
  return rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
}

test("imitation: sorts words it has not seen", { timeout }, async () => {
  const policy = await engine.openPolicy({ role: "code", model: { kind: "named", name: "sorter" }, seed: 1 });
  expect(await meanReward(policy)).toBeLessThan(0.1);
  await imitate(policy, 400);
  expect(await meanReward(policy)).toBeGreaterThan(0.9);
  await policy.dispose();
});

test("rewards: a half-taught model improves on its own samples", { timeout }, async () => {
  const policy = await engine.openPolicy({ role: "code", model: { kind: "named", name: "sorter" }, seed: 1 });
  await imitate(policy, 60);
  const before = await meanReward(policy);
  for (let step = 0; step < 40; step++) {
    const words = wordsFor(`practice ${step}`, 16);
    const groups = await collectSamples(
      policy,
      words.map((word) => requestFor(word, 8)),
      { ...trainingSampling, maxTokens: 8, seed: step },
    );
    const batch = groups.flatMap((group, i) => {
      const rewards = group.map(({ text }) => rewardOf(words[i]!, text));
      const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
      const deviation = Math.sqrt(
        rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0) / rewards.length,
      );
      return group.map((completion, sample) => {
        const advantage = (rewards[sample]! - mean) / (deviation + 1e-6);
        return {
          ...sequenceOf(completion),
          coefficients: completion.tokenIds.map(() => advantage / (16 * 8 * 5)),
          behaviourLogprobs: completion.logprobs,
        };
      });
    });
    const { statistics } = await policy.accumulate(batch, clippedRatio);
    // Samples come from the very weights that are trained, and both sides compute the same bits.
    expect(statistics.largestRatio).toBe(1);
    await policy.step({ ...adamDefaults, weightDecay: 0, learningRate: 1e-3 });
    await policy.publish();
  }
  const after = await meanReward(policy);
  expect(after).toBeGreaterThan(before + 0.1);
  await policy.dispose();
});
