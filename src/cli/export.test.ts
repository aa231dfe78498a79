/** Real checkpoints, exported by the real command and opened again. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEmbeddedEngine } from "../engine/embedded/embedded-engine.ts";
import { readWeights } from "../engine/embedded/policy-files.ts";
import { ModelShelf } from "../evaluation/open-model.ts";
import { Checkpoints } from "../runs/checkpoints.ts";
import { spar } from "./run-cli.test.support.ts";

let folder: string;
let runs: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-export-"));
  runs = path.join(folder, "runs");
  const engine = await openEmbeddedEngine({ threads: 1 });
  const policyOf = (role: string, seed: number) =>
    engine.openPolicy({ role, model: { kind: "named", name: "tiny" }, seed });
  const trained = { demo: ["code", "test"], golden: ["code"], "self-play": ["code"] };
  let seed = 0;
  for (const [kind, roles] of Object.entries(trained)) {
    const checkpoints = new Checkpoints(path.join(runs, kind));
    for (const step of [0, 1]) {
      await checkpoints.write(step, {}, async (target) => {
        for (const role of roles) await (await policyOf(role, ++seed)).saveState(path.join(target, role));
      });
    }
    writeFileSync(path.join(runs, kind, "config.yaml"), `method: { kind: ${kind} }`);
    writeFileSync(path.join(runs, kind, "manifest.json"), JSON.stringify({ engine: engine.describe() }));
  }
  await engine.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const out = (name: string) => path.join(folder, name);
const exported = (run: string, ...args: string[]) => spar("export", run, "--runs", runs, ...args);
const saved = (run: string, step: number, role: string) =>
  weightsIn(path.join(runs, run, "checkpoints", `step-${step}`, role));

/** As text: thousands of numbers take their time to compare one by one. */
async function weightsIn(place: string): Promise<string> {
  return createHash("sha256")
    .update((await readWeights(place)).weights)
    .digest("hex");
}

async function opened(text: string, role: "code" | "test") {
  const shelf = new ModelShelf();
  try {
    return (await shelf.open({ text, role })).policy.describe();
  } finally {
    await shelf.close();
  }
}

describe("spar export", () => {
  it("writes both models of the newest checkpoint, which open again in their roles", async () => {
    const { code, stdout } = await exported("demo", "--out", out("both"), "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      step: 1,
      models: [
        { role: "code", folder: path.join(out("both"), "code"), optimizerSteps: 0 },
        { role: "test", folder: path.join(out("both"), "test"), optimizerSteps: 0 },
      ],
    });
    for (const role of ["code", "test"] as const) {
      expect(await weightsIn(path.join(out("both"), role))).toBe(await saved("demo", 1, role));
      expect(await opened(out("both"), role)).toMatchObject({ role });
    }
    const origin = JSON.parse(readFileSync(path.join(out("both"), "origin.json"), "utf8"));
    expect(origin).toEqual({ run: "demo", step: 1, roles: ["code", "test"] });
  });

  it("writes one model of an older checkpoint", async () => {
    expect(await exported("demo", "--role", "test", "--step", "0", "--out", out("one"))).toMatchObject({
      code: 0,
    });
    expect(await weightsIn(out("one"))).toBe(await saved("demo", 0, "test"));
  });

  it("takes the one model of self-play for either role", async () => {
    await exported("self-play", "--role", "test", "--out", out("self"));
    expect(await weightsIn(out("self"))).toBe(await saved("self-play", 1, "code"));
  });

  it("replaces only what is an export, and only when told to", async () => {
    await exported("demo", "--out", out("twice"));
    expect(await exported("demo", "--out", out("twice"))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/already exists[\s\S]*--force/),
    });
    expect(await exported("demo", "--out", out("twice"), "--force")).toMatchObject({ code: 0 });
    mkdirSync(out("precious"));
    writeFileSync(path.join(out("precious"), "thesis.txt"), "ten years");
    expect(await exported("demo", "--out", out("precious"), "--force")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is no export"),
    });
    expect(existsSync(path.join(out("precious"), "thesis.txt"))).toBe(true);
  });

  it.each([
    ["a run that does not exist", ["nowhere"], /no run with checkpoints in nowhere[\s\S]*Runs in .*: .*demo/],
    ["a step that was not kept", ["demo", "--step", "9"], /no checkpoint of step 9[\s\S]*0, 1/],
    ["a role that was not trained", ["golden", "--role", "test"], /trained no test model/],
    ["a role that does not exist", ["demo", "--role", "judge"], /Allowed choices are code, test/],
  ])("refuses %s", async (_, args, expected) => {
    const [run, ...rest] = args;
    const { code, stdout, stderr } = await exported(run!, ...rest, "--out", out("refused"));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(expected);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(existsSync(out("refused"))).toBe(false);
  });

  it("says where the weights of another engine are", async () => {
    const other = path.join(runs, "served");
    mkdirSync(path.join(other, "checkpoints", "step-1"), { recursive: true });
    writeFileSync(path.join(other, "manifest.json"), JSON.stringify({ engine: { kind: "tinker" } }));
    expect(await exported("served")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("live on the server of the 'tinker' engine"),
    });
  });
});
