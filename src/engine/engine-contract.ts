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
    if (fixture.has("training")) learningContract(fixture);
    refusalContract(fixture);
    abilityContract(fixture);
  });
}

function abilityContract(fixture: ContractFixture): void {
  describe("what it says of itself", () => {
    test("is what it was announced with", () => {
      const { abilities } = fixture.engine.describe();
      for (const ability of ["training", "scoring", "tokens", "deterministic"] as const)
        expect({ [ability]: abilities[ability] }).toEqual({ [ability]: fixture.has(ability) });
    });

    test.runIf(!fixture.has("training"))("leaves no doubt that it cannot train", async () => {
      const spec = { role: "code", model: fixture.model, seed: 1 };
      await expect(fixture.engine.openPolicy(spec)).rejects.toMatchObject({ code: "engine-lacks-ability" });
    });

    test.runIf(!fixture.has("scoring"))("leaves no doubt that it cannot score", async () => {
      const policy = await fixture.openFrozen();
      const sequence = { tokenIds: [1, 2], promptLength: 1 };
      await expect(policy.score([sequence])).rejects.toMatchObject({ code: "engine-lacks-ability" });
    });

    test.runIf(!fixture.has("tokens"))("leaves no doubt that it has no tokens", async () => {
      const policy = await fixture.openFrozen();
      const lacks = expect.objectContaining({ code: "engine-lacks-ability" });
      expect(() => policy.tokenizer).toThrow(lacks);
      expect(() => policy.renderPrompt([{ role: "user", content: "x" }])).toThrow(lacks);
      const tokens = { prompt: { kind: "tokens" as const, tokenIds: [1] }, samples: 1 };
      expect(() => policy.sample([tokens], sampling)).toThrow(lacks);
      expect(() => policy.sample([request("x")], { ...sampling, stopTokenIds: [1] })).toThrow(lacks);
    });
  });
}

function refusalContract(fixture: ContractFixture): void {
  describe("refuses", () => {
    test.runIf(fixture.has("training"))("bad batches, and is none the worse for it", async () => {
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

    test.runIf(fixture.has("tokens"))("prompts that leave no room for an answer", async () => {
      const policy = await fixture.openFrozen();
      const content = "a".repeat(policy.describe().contextLength!);
      await expect(collectSamples(policy, [request(content)], sampling)).rejects.toThrow(/context/);
      await expect(policy.score([recordOf(policy, [content, "b"])])).rejects.toThrow(/context/);
    });

    test("work for a policy that was disposed", async () => {
      const policy = await fixture.openFrozen();
      await policy.dispose();
      await expect((async () => collectSamples(policy, [request("x")], sampling))()).rejects.toThrow(
        /disposed/,
      );
    });
  });
}
