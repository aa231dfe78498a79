/** Real gradients on real executed programs: a short run from the shipped weights makes the policies better. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { packageRoot } from "../package-root.ts";
import { loadConfig } from "./load-config.ts";
import { train } from "./train.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-learns-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(recipe: string, ...more: string[]) {
  const config = await loadConfig(path.join(packageRoot, "recipes", `${recipe}.yaml`), [
    "steps=20",
    "learning.schedule=constant",
    "learning.warmUpSteps=0",
    "evaluation.every=0",
    "evaluation.problems=100",
    "rolloutsEvery=0",
    ...more,
  ]);
  return train({ config, folder });
}

it("Code-A1 raises pass@1 and the share of valid tests on held-out problems", async () => {
  const { before, after } = await run("demo", "problemsPerStep=12");
  expect(after!.passAt1).toBeGreaterThan(before.passAt1! + 0.05);
  expect(after!.validTests).toBeGreaterThan(before.validTests! + 0.05);
}, 600_000);

it("the Golden-Tests baseline raises pass@1 on held-out problems", async () => {
  const { before, after } = await run("demo-golden", "problemsPerStep=12");
  expect(after!.passAt1).toBeGreaterThan(before.passAt1! + 0.05);
}, 600_000);

it("ATGEN raises the share of right tests, and the adversary finds harder programs", async () => {
  const { before, after } = await run(
    "demo-atgen",
    "atgen.startStep=15",
    "atgen.maxTries=5",
    "rolloutsEvery=20",
  );
  expect(after!.attack!.ioAccuracy).toBeGreaterThan(before.attack!.ioAccuracy! + 0.05);
  expect(after!.attack!.hardPairs).toEqual(before.attack!.hardPairs);
  expect(readFileSync(path.join(folder, "adversary", "pool.jsonl"), "utf8")).toContain('"replaced"');
  const [recorded] = readFileSync(path.join(folder, "rollouts", "step-20.jsonl"), "utf8").split("\n");
  expect(JSON.parse(recorded!).tests).toHaveLength(6);
}, 600_000);

it("code is rewarded by generated suites, which the run keeps, and measured on gold tests", async () => {
  const { after } = await run("code-rl-with-tests", "steps=3", "problemsPerStep=12");
  expect(after!.passAt1).toBeGreaterThan(0);
  const suites = readFileSync(path.join(folder, "suites", "journal.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  expect(suites).toHaveLength(3 * 12);
  const metrics = readFileSync(path.join(folder, "metrics.jsonl"), "utf8").trimEnd().split("\n");
  const rewards = metrics.flatMap((line) => JSON.parse(line)["code/reward/mean"] ?? []);
  expect(rewards).toHaveLength(3);
  for (const reward of rewards) {
    expect(reward).toBeGreaterThan(0);
    expect(reward).toBeLessThan(1);
  }
}, 600_000);
