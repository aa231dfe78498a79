/** `spar compare` as a person meets it: real processes, a real signal. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { smallRun, spar, startSpar } from "./run-cli.test.support.ts";

const patience = 240_000;
let runs: string;
beforeAll(() => {
  runs = mkdtempSync(path.join(tmpdir(), "sparring-compare-cli-"));
});
afterAll(() => rmSync(runs, { recursive: true }));

describe("spar compare", () => {
  it("refuses a seed for all runs", async () => {
    const { code, stderr } = await spar("compare", "demo", "--runs", runs, "--set", "seed=4");
    expect(stderr).toMatch(/--set seed=4[\s\S]*--first-seed/);
    expect(code).toBe(2);
  });

  it("finds a missing file before the first arm runs, and leaves nothing behind", async () => {
    const bank = ["atgen.adversary.kind=bank", `atgen.adversary.bankPath=${path.join(runs, "absent.jsonl")}`];
    const sets = bank.flatMap((setting) => ["--set", setting]);
    const { code, stderr } = await spar("compare", "demo-atgen", "--runs", runs, ...sets);
    expect(stderr).toMatch(/absent\.jsonl/);
    expect(stderr).not.toMatch(/run 1 of/);
    expect(code).toBe(2);
    expect(readdirSync(runs)).toEqual([]);
  });

  it("says at Ctrl-C what is kept, and goes on from there", { timeout: patience }, async () => {
    const args = ["compare", "league", "--runs", runs, "--seeds", "1", "--steps", "1", ...smallRun];
    const { child, finished, saying } = startSpar(args);
    await saying(/^run 1 of 2/m);
    child.kill("SIGINT");
    const { code, stderr } = await finished;
    expect(stderr).toMatch(/finished runs and checkpoints are kept: the same command goes on/);
    expect(code).toBe(130);
    const again = await spar(...args);
    expect(again.stdout).toMatch(/^1 step, 1 seed, measured on 4 held-out problems/);
    expect(existsSync(path.join(runs, "compare"))).toBe(true);
  });
});
