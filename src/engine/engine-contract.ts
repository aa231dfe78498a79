/**
 * What every adapter of the engine port must do, as tests. An adapter's own test file calls `engineContract` with a
 * way to open it; abilities that the adapter does not claim are not tested.
 */
import { describe, expect, test } from "vitest";
import { collectSamples } from "./collect-samples.ts";
import {
  type ContractFixture,
  contractFixture,
  type EngineContractOptions,
  lesson,
  recordOf,
  request,
  sampling,
} from "./contract-fixture.ts";
import { learningContract } from "./contract-learning.ts";
import { samplingContract } from "./contract-sampling.ts";
import { clippedRatio, crossEntropy } from "./objective.ts";

export function engineContract(name: string, options: EngineContractOptions): void {
  describe(`${name} keeps the engine contract`, () => {
    const fixture = contractFixture(options);
    samplingContract(fixture);
    learningContract(fixture);
    refusalContract(fixture);
  });
}

function refusalContract(fixture: ContractFixture): void {
  describe("refuses", () => {
    test("bad batches, and is none the worse for it", async () => {
      const policy = await fixture.open();
      const good = recordOf(policy, lesson[0]);
      const before = await policy.score([good]);
      await expect(policy.accumulate([], crossEntropy)).rejects.toThrow(/empty/);
      await expect(policy.score([])).rejects.toThrow(/empty/);
      for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
        const poisoned = { ...good, coefficients: good.coefficients.map(() => value) };
        await expect(policy.accumulate([poisoned], crossEntropy)).rejects.toThrow(/coefficients is/);
      }
      await expect(policy.accumulate([good], clippedRatio)).rejects.toThrow(/behaviourLogprobs/);
      await expect(policy.step(fixture.optimizer)).rejects.toThrow(/no gradient/);
      await expect(policy.step({ ...fixture.optimizer, learningRate: Number.NaN })).rejects.toThrow(
        /learningRate/,
      );
      fixture.expectSame(await policy.score([good]), before);
    });

    test("prompts that leave no room for an answer", async () => {
      const policy = await fixture.open();
      const content = "a".repeat(policy.describe().contextLength);
      await expect(collectSamples(policy, [request(content)], sampling)).rejects.toThrow(/context/);
      await expect(policy.score([recordOf(policy, [content, "b"])])).rejects.toThrow(/context/);
    });

    test("work for a policy that was disposed", async () => {
      const policy = await fixture.open();
      await policy.dispose();
      await expect((async () => collectSamples(policy, [request("x")], sampling))()).rejects.toThrow(
        /disposed/,
      );
    });
  });
}
