import { describe, expect, it } from "vitest";
import { loadConfig } from "../training/load-config.ts";
import { planFor } from "./compare-plans.ts";
import { plannedRuns } from "./compare-runs.ts";
import { recipeFile } from "./recipes.ts";

async function planned(recipe: string, settings: readonly string[], generatorSteps?: number) {
  const plan = await planFor(await loadConfig(recipeFile(recipe), settings), { settings, generatorSteps });
  return { plan, runs: plannedRuns(plan, { seeds: 1, firstSeed: 4, runs: "runs" }) };
}

describe("the generator of code-rl-with-tests", () => {
  it("is the run that `compare demo-atgen` makes", async () => {
    const { runs } = await planned("code-rl-with-tests", ["steps=40"]);
    const adaptive = (await planned("demo-atgen", [])).runs.find(({ arm }) => arm === "adaptive")!;
    expect(runs[0]).toMatchObject({ folder: adaptive.folder, config: { steps: 100, seed: 4 } });
    expect(JSON.stringify(runs[0]!.config)).toBe(JSON.stringify(adaptive.config));
    expect(runs.slice(1).map(({ config }) => config.steps)).toEqual([40, 40, 40]);
  });

  it("runs on the same machine, with steps of its own", async () => {
    const machine = [
      "sandbox.workers=1",
      "sandbox.demand=limits",
      "engine.threads=1",
      "evaluation.problems=3",
    ];
    const { plan, runs } = await planned("code-rl-with-tests", machine, 7);
    expect(runs[0]!.folder).toContain("demo-atgen-adaptive-seed-4-steps-7");
    expect(runs[0]!.config).toMatchObject({
      engine: { threads: 1 },
      sandbox: { workers: 1, demand: "limits" },
      evaluation: { problems: 200 },
    });
    expect(runs[1]!.config.engine.test).toEqual({
      folder: expect.stringContaining("steps-7/checkpoints/step-7/test"),
    });
    expect(plan.notes).toEqual([expect.stringMatching(/recipe demo-atgen with 7 steps of its own/)]);
  });

  it("is not there elsewhere", async () => {
    await expect(planned("demo", [], 7)).rejects.toThrow(/--generator-steps/);
  });
});
