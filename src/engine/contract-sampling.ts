/** Part of the engine contract: sampling and scoring. */
import { describe, expect, test } from "vitest";
import { collectSamples } from "./collect-samples.ts";
import type { SamplingSettings } from "./completion.ts";
import { type ContractFixture, lesson, prompts, recordOf, request, sampling } from "./contract-fixture.ts";
import { sequenceOf } from "./token-batch.ts";

export function samplingContract(fixture: ContractFixture): void {
  describe("sampling", () => {
    test("gives every completion once, with its origin", async () => {
      const policy = await fixture.openFrozen("tests");
      const seen = new Set<string>();
      for await (const item of policy.sample(
        prompts.map((prompt) => request(prompt, 3)),
        sampling,
      )) {
        const { completion, requestIndex, sampleIndex } = item;
        expect(seen.has(`${requestIndex}/${sampleIndex}`)).toBe(false);
        seen.add(`${requestIndex}/${sampleIndex}`);
        expect(completion.role).toBe("tests");
        expect(completion.policyVersion).toBe(0);
        expect(["end", "length"]).toContain(completion.stopReason);
        if (!fixture.has("tokens")) {
          const { tokenIds, logprobs, promptTokenIds } = completion;
          expect({ tokenIds, logprobs, promptTokenIds }).toEqual({
            tokenIds: [],
            logprobs: [],
            promptTokenIds: [],
          });
        }
      }
      expect(seen.size).toBe(9);
    });

    test.runIf(fixture.has("tokens"))("gives tokens and log-probabilities", async () => {
      const policy = await fixture.openFrozen("tests");
      for await (const item of policy.sample(
        prompts.map((prompt) => request(prompt, 3)),
        sampling,
      )) {
        const { completion, requestIndex } = item;
        expect(completion.tokenIds.length).toBeGreaterThan(0);
        expect(completion.tokenIds.length).toBeLessThanOrEqual(sampling.maxTokens);
        expect(completion.logprobs).toHaveLength(completion.tokenIds.length);
        expect(completion.logprobs.every((value) => value <= 1e-6 && Number.isFinite(value))).toBe(true);
        const content = prompts[requestIndex]!;
        expect(completion.promptTokenIds).toEqual(policy.renderPrompt([{ role: "user", content }]));
        const ended = completion.tokenIds.at(-1) === policy.tokenizer.endTokenId;
        expect(completion.stopReason).toBe(ended ? "end" : "length");
        expect(completion.text).toBe(policy.tokenizer.decode(completion.tokenIds));
      }
    });

    test.runIf(fixture.has("deterministic"))(
      "is decided by seed and key, not by what else is sampled",
      async () => {
        const policy = await fixture.openFrozen();
        const together = await collectSamples(
          policy,
          prompts.map((prompt) => request(prompt, 4)),
          sampling,
        );
        const again = await collectSamples(
          policy,
          prompts.map((prompt) => request(prompt, 4)),
          sampling,
        );
        expect(again).toEqual(together);
        const [alone] = await collectSamples(policy, [request(prompts[1]!, 2)], sampling);
        expect(alone).toEqual(together[1]!.slice(0, 2));
        const otherSeed = await collectSamples(policy, [request(prompts[1]!, 2)], { ...sampling, seed: 6 });
        expect(otherSeed[0]!.map(({ text }) => text)).not.toEqual(alone!.map(({ text }) => text));
        expect(new Set(together.flat().map(({ text }) => text)).size).toBeGreaterThan(6);
      },
    );

    test.runIf(fixture.has("tokens"))(
      "temperature 0 takes the most likely token, top-p stays near it",
      async () => {
        const policy = await fixture.openFrozen();
        const [greedy] = await collectSamples(policy, [request("x", 3)], { ...sampling, temperature: 0 });
        expect(new Set(greedy!.map(({ text }) => text)).size).toBe(1);
        const [nucleus] = await collectSamples(policy, [request("x", 3)], { ...sampling, topP: 1e-6 });
        expect(nucleus!.map(({ tokenIds }) => tokenIds)).toEqual(greedy!.map(({ tokenIds }) => tokenIds));
      },
    );

    test("stops at the caller's strings", async () => {
      const policy = await fixture.openFrozen();
      // Greedy, so that engines whose seeds decide nothing say the same twice.
      const settings = { ...sampling, temperature: 0 };
      const sampleOne = async (stopStrings: readonly string[]) =>
        (await collectSamples(policy, [request("x", 1)], { ...settings, stopStrings }))[0]![0]!;
      const free = await sampleOne([]);
      const stopText = free.text.slice(2, 4);
      expect(stopText).toHaveLength(2);
      const stopped = await sampleOne([stopText]);
      // A server that swallows the string does not always say that it was there.
      expect(fixture.has("tokens") ? ["stop"] : ["stop", "end"]).toContain(stopped.stopReason);
      expect(stopped.text).toBe(free.text.slice(0, free.text.indexOf(stopText)));
    });

    test.runIf(fixture.has("tokens"))("stops at the caller's tokens", async () => {
      const policy = await fixture.openFrozen();
      const sampleOne = async (settings: Partial<SamplingSettings>) =>
        (await collectSamples(policy, [request("x", 1)], { ...sampling, ...settings }))[0]![0]!;
      const free = await sampleOne({});
      const stopToken = free.tokenIds[3]!;
      const cut = await sampleOne({ stopTokenIds: [stopToken] });
      expect(cut.stopReason).toBe("stop");
      expect(cut.tokenIds).toEqual(free.tokenIds.slice(0, free.tokenIds.indexOf(stopToken) + 1));
    });

    test("can be left early and aborted, and goes on afterwards", async () => {
      const policy = await fixture.openFrozen();
      const many = Array.from({ length: 20 }, (_, i) => request(`prompt ${i}`, 4));
      for await (const _ of policy.sample(many, sampling)) break;
      const controller = new AbortController();
      const reading = (async () => {
        for await (const _ of policy.sample(many, sampling, { signal: controller.signal }))
          controller.abort(new Error("enough"));
      })();
      await expect(reading).rejects.toThrow("enough");
      expect(await collectSamples(policy, [request("x", 2)], sampling)).toHaveLength(1);
    });
  });

  describe.runIf(fixture.has("scoring"))("scoring", () => {
    test("agrees with the sampler", async () => {
      const policy = await fixture.openFrozen();
      const completions = (
        await collectSamples(
          policy,
          prompts.map((prompt) => request(prompt, 3)),
          sampling,
        )
      ).flat();
      const scores = await policy.score(completions.map(sequenceOf));
      fixture.expectSame(
        scores,
        completions.map(({ logprobs }) => logprobs),
      );
    });

    test("does not depend on the other sequences", async () => {
      const policy = await fixture.openFrozen();
      const sequences = lesson.map((pair) => recordOf(policy, pair));
      const together = await policy.score(sequences);
      for (const [index, sequence] of sequences.entries())
        fixture.expectSame(await policy.score([sequence]), [together[index]!]);
    });
  });
}
