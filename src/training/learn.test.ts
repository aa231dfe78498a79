/** A real policy takes the optimizer steps of one training step. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { openEmbeddedEngine } from "../engine/embedded/embedded-engine.ts";
import type { Engine, TrainablePolicy } from "../engine/engine.ts";
import type { AdvantagedCompletion } from "../learning/training-records.ts";
import { trainingConfigSchema } from "./config.ts";
import { learn } from "./learn.ts";

let engine: Engine;
let policy: TrainablePolicy;
beforeAll(async () => {
  engine = await openEmbeddedEngine({ threads: 1 });
  policy = await engine.openPolicy({ role: "code", model: { kind: "named", name: "tiny" }, seed: 1 });
});
afterAll(() => engine.close());

const config = trainingConfigSchema.parse({
  steps: 111,
  learning: { learningRate: 0.001, warmUpSteps: 10, miniBatchProblems: 1 },
});
const sequence = { tokenIds: [1, 2, 3, 4], promptLength: 2 };

async function question(advantage: number): Promise<AdvantagedCompletion[]> {
  const [logprobs] = await policy.score([sequence]);
  const completion = {
    text: "",
    tokenIds: [3, 4],
    logprobs: logprobs!,
    promptTokenIds: [1, 2],
    stopReason: "end" as const,
    role: "code",
    policyVersion: 0,
  };
  return [{ completion, advantage }];
}

it("all optimizer steps of a training step have its rate: 0 in the first, half the peak in the sixth", async () => {
  const before = await policy.score([sequence]);
  const groups = [await question(1), await question(1)];
  const learner = { policy, reference: undefined };
  const first = await learn(learner, groups, { config, step: 0 });
  expect(first).toMatchObject({ optimizerSteps: 2, learningRate: 0, tokens: 4 });
  expect(await policy.score([sequence])).toEqual(before);
  const sixth = await learn(learner, groups, { config, step: 5 });
  expect(sixth).toMatchObject({ optimizerSteps: 2, learningRate: 0.0005 });
  expect((await policy.score([sequence]))[0]![0]).toBeGreaterThan(before[0]![0]!);
});

it("learns nothing from nothing", async () => {
  expect(await learn({ policy, reference: undefined }, [[], []], { config, step: 5 })).toBeUndefined();
});
