import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TrainingConfig } from "../training/config.ts";
import { keepConfig } from "../training/keep-config.ts";
import { checkConfig } from "../training/load-config.ts";
import { checkRuns, type PlannedRun, plannedRuns, runOne } from "./compare-runs.ts";

let runs: string;
beforeEach(() => {
  runs = mkdtempSync(path.join(tmpdir(), "sparring-compare-"));
});
afterEach(() => rmSync(runs, { recursive: true }));

const settings = (atgen: object): TrainingConfig =>
  checkConfig(
    {
      name: "tiny",
      method: { kind: "atgen" },
      problems: { limit: 2 },
      evaluation: { problems: 1 },
      engine: { threads: 1 },
      atgen: { pairsPerProblem: 1, ...atgen },
    },
    "test",
  );

const bank = (bankPath: string) => ({ adversary: { kind: "bank", bankPath } });

function plan(...configs: readonly TrainingConfig[]): PlannedRun[] {
  const arms = configs.map((config, index) => ({
    key: `arm-${index}`,
    config: (seed: number) => ({ ...config, seed }),
  }));
  return plannedRuns({ arms }, { seeds: 1, firstSeed: 1, runs });
}

/** As a run leaves its folder that was killed, before its first checkpoint or after it. */
function killed({ folder, config }: PlannedRun, { saved }: { saved: boolean }): void {
  mkdirSync(path.join(folder, "checkpoints", "step-0"), { recursive: true });
  keepConfig(folder, config);
  if (saved) writeFileSync(path.join(folder, "checkpoints", "step-0", "complete.json"), "{}");
}

describe("a run that fails before its first step", () => {
  it("leaves no folder that keeps the corrected command from running", async () => {
    const [run] = plan(settings(bank("absent.jsonl")));
    await expect(runOne(run!, {})).rejects.toThrow(/absent\.jsonl/);
    expect(existsSync(run!.folder)).toBe(false);
  });

  it("is begun anew with other settings where it was killed", async () => {
    const [before] = plan(settings(bank("other.jsonl")));
    killed(before!, { saved: false });
    const [run] = plan(settings(bank("absent.jsonl")));
    await expect(runOne(run!, {})).rejects.toThrow(/absent\.jsonl/);
  });
});

describe("a run with other settings", () => {
  it("is kept, with a hint that a user of compare can follow", async () => {
    const [before] = plan(settings({ tests: 4 }));
    killed(before!, { saved: true });
    const [run] = plan(settings({ tests: 6 }));
    const refusal = {
      code: "config-changed",
      message: expect.stringMatching(/tiny-arm-0-seed-1.*'atgen\.tests'/),
      hint: expect.stringMatching(/^(?!.*--name).*--runs.*remove .*tiny-arm-0-seed-1/),
    };
    await expect(runOne(run!, {})).rejects.toMatchObject(refusal);
    await expect(checkRuns([run!])).rejects.toMatchObject(refusal);
    expect(existsSync(path.join(run!.folder, "config.yaml"))).toBe(true);
  });
});

describe("checkRuns", () => {
  it("finds what is wrong with the last arm before the first one has run", async () => {
    await expect(checkRuns(plan(settings({ mode: "none" }), settings(bank("absent.jsonl"))))).rejects.toThrow(
      /absent\.jsonl/,
    );
    expect(readdirSync(runs)).toEqual([]);
  });
});
