/** Part of the engine contract: gradients, steps, snapshots and saved state. */
import path from "node:path";
import { describe, expect, test } from "vitest";
import { collectSamples } from "./collect-samples.ts";
import {
  type ContractFixture,
  lesson,
  mean,
  recordOf,
  request,
  sampling,
  scoreMean,
} from "./contract-fixture.ts";
import type { TrainablePolicy } from "./engine.ts";
import { clippedRatio, crossEntropy, importanceSampling } from "./objective.ts";
import { completionLength, sequenceOf, type TrainingRecord } from "./token-batch.ts";

export function learningContract(fixture: ContractFixture): void {
  describe("learning", () => {
    test("cross-entropy makes the wanted answers likely", async () => {
      const policy = await fixture.open();
      const batch = lesson.map((pair) => recordOf(policy, pair));
      const before = await policy.score(batch);
      const first = await policy.accumulate(batch, crossEntropy);
      fixture.expectSame(first.logprobs, before);
      expect(first.loss).toBeCloseTo(-0.1 * before.flat().reduce((sum, value) => sum + value, 0), 3);
      expect(first.statistics.tokens).toBe(batch.reduce((sum, record) => sum + completionLength(record), 0));
      expect((await policy.step(fixture.optimizer)).step).toBe(1);
      for (let step = 2; step <= 6; step++) {
        await policy.accumulate(batch, crossEntropy);
        await policy.step(fixture.optimizer);
      }
      const after = await scoreMean(policy, batch);
      after.forEach((value, index) => {
        expect(value).toBeGreaterThan(mean(before[index]!));
      });
    });

    test("losses are sums: coefficients scale them, and batches add up", async () => {
      const normOf = async (accumulate: (policy: TrainablePolicy) => Promise<unknown>) => {
        const policy = await fixture.open();
        await accumulate(policy);
        return (await policy.step({ ...fixture.optimizer, gradientClip: 1e9 })).gradientNorm;
      };
      const batchOf = (policy: TrainablePolicy, coefficient: number) =>
        lesson.map((pair) => recordOf(policy, pair, coefficient));
      const whole = await normOf((policy) => policy.accumulate(batchOf(policy, 0.1), crossEntropy));
      const doubled = await normOf((policy) => policy.accumulate(batchOf(policy, 0.2), crossEntropy));
      const parts = await normOf(async (policy) => {
        for (const record of batchOf(policy, 0.1)) await policy.accumulate([record], crossEntropy);
      });
      expect(doubled / whole).toBeCloseTo(2, 3);
      expect(parts / whole).toBeCloseTo(1, 3);
    });

    test.each([clippedRatio, importanceSampling])(
      "$kind follows the sign of the advantage",
      async (objective) => {
        const policy = await fixture.open();
        const completions = (await collectSamples(policy, [request("x", 2)], sampling))[0]!;
        const batch = completions.map(
          (completion, index): TrainingRecord => ({
            ...sequenceOf(completion),
            coefficients: completion.tokenIds.map(() => (index === 0 ? 0.05 : -0.05)),
            behaviourLogprobs: completion.logprobs,
          }),
        );
        const before = await scoreMean(policy, batch);
        const { statistics } = await policy.accumulate(batch, objective);
        expect(statistics.ratio).toBeCloseTo(1, 3);
        expect(statistics.behaviourDivergence).toBeCloseTo(0, 3);
        await policy.step(fixture.optimizer);
        const after = await scoreMean(policy, batch);
        expect(after[0]! - before[0]!).toBeGreaterThan(after[1]! - before[1]!);
        const later = await policy.accumulate(batch, objective);
        expect(Math.abs(later.statistics.ratio! - 1)).toBeGreaterThan(1e-4);
      },
    );

    test("gradient clipping scales what is above the bound", async () => {
      const policy = await fixture.open();
      await policy.accumulate([recordOf(policy, lesson[0], 10)], crossEntropy);
      const report = await policy.step({ ...fixture.optimizer, gradientClip: 0.5 });
      expect(report.gradientNorm).toBeGreaterThan(0.5);
      expect(report.gradientScale * report.gradientNorm).toBeCloseTo(0.5, 3);
    });

    test("a reference pulls the policy back to itself", async () => {
      if (!fixture.engine.describe().abilities.referencePenalty) return;
      const policy = await fixture.open();
      const record = recordOf(policy, lesson[1]);
      const [referenceLogprobs] = await policy.score([record]);
      for (let step = 0; step < 4; step++) {
        await policy.accumulate([record], crossEntropy);
        await policy.step(fixture.optimizer);
      }
      const distance = async () => {
        const [logprobs] = await policy.score([record]);
        return mean(logprobs!.map((value, i) => (value - referenceLogprobs![i]!) ** 2));
      };
      const [behaviourLogprobs] = await policy.score([record]);
      const far = await distance();
      for (let step = 0; step < 4; step++) {
        const pulled = {
          ...record,
          coefficients: record.coefficients.map(() => 0),
          behaviourLogprobs: behaviourLogprobs!,
          referenceLogprobs: referenceLogprobs!,
          penaltyWeights: record.coefficients.map(() => 1),
        };
        const objective = { ...clippedRatio, reference: { coefficient: 1, valueClamp: 1e4 } };
        const { statistics } = await policy.accumulate([pulled], objective);
        expect(statistics.referenceDivergence).toBeGreaterThan(0);
        await policy.step(fixture.optimizer);
      }
      expect(await distance()).toBeLessThan(far);
    });
  });

  describe("snapshots and state", () => {
    test("sampling sees steps only after publish", async () => {
      const policy = await fixture.open();
      const greedy = { ...sampling, temperature: 0 };
      const answer = async () => (await collectSamples(policy, [request("x", 1)], greedy))[0]![0]!;
      const before = await answer();
      for (let step = 0; step < 8; step++) {
        await policy.accumulate([recordOf(policy, ["x", "yes"])], crossEntropy);
        await policy.step(fixture.optimizer);
      }
      expect(await answer()).toEqual(before);
      expect(await policy.publish()).toEqual({ version: 1, step: 8 });
      const after = await answer();
      expect(after.policyVersion).toBe(1);
      expect(after.logprobs).not.toEqual(before.logprobs);
    });

    test("a saved state continues exactly", async () => {
      const policy = await fixture.open();
      const learn = async (learner: TrainablePolicy, steps: number) => {
        for (let step = 0; step < steps; step++) {
          await learner.accumulate(
            lesson.map((pair) => recordOf(learner, pair)),
            crossEntropy,
          );
          await learner.step(fixture.optimizer);
        }
      };
      await learn(policy, 3);
      await policy.publish();
      const state = path.join(fixture.folder, "state");
      await policy.saveState(state);
      await learn(policy, 3);
      const resumed = await fixture.open("code", 99);
      expect(await resumed.loadState(state)).toEqual({ version: 1, step: 3 });
      await learn(resumed, 3);
      const batch = lesson.map((pair) => recordOf(policy, pair));
      fixture.expectSame(await resumed.score(batch), await policy.score(batch));
      expect(await resumed.publish()).toEqual({ version: 2, step: 6 });
      expect((await policy.exportWeights(path.join(fixture.folder, "export"))).length).toBeGreaterThan(0);
    });

    test("two policies do not disturb each other", async () => {
      const left = await fixture.open("code");
      const right = await fixture.open("test", 2);
      const batch = [recordOf(right, lesson[0])];
      const before = await right.score(batch);
      await left.accumulate([recordOf(left, lesson[1])], crossEntropy);
      await Promise.all([left.step(fixture.optimizer), collectSamples(right, [request("x", 4)], sampling)]);
      fixture.expectSame(await right.score(batch), before);
    });
  });
}
