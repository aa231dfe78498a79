import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { trainingConfigSchema } from "./config.ts";
import { checkConfig, checkResumedConfig, loadConfig } from "./load-config.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-config-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = (text: string) => {
  const target = path.join(folder, "recipe.yaml");
  writeFileSync(target, text);
  return target;
};
const refusal = async (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => `${error.message} | ${error.hint}`,
  );

describe("loadConfig", () => {
  it("fills in defaults and lets settings win over the file", async () => {
    const config = await loadConfig(file("steps: 7\nmethod:\n  alpha: 0.25\n"), [
      "method.alpha=0.75",
      "name=mine",
    ]);
    expect(config).toMatchObject({ steps: 7, name: "mine", method: { alpha: 0.75, candidates: 8 } });
  });

  it.each([
    ["learningg:\n  clipLow: 0.1\n", [], "there is no 'learningg' | Did you mean 'learning'?"],
    ["method:\n  aplha: 0.5\n", [], "there is no 'method.aplha' | Did you mean 'method.alpha'?"],
    ["method:\n  alpha: 1.5\n", [], "'method.alpha' is wrong"],
    ["method:\n  candidates: 1\n", [], "'method.candidates' is wrong"],
    ["steps: many\n", [], "'steps' is wrong"],
    ["steps: [1\n", [], "recipe.yaml, line"],
    ["steps: 1\n", ["alpha"], "it must have the form key=value"],
    ["steps: 1\n", ["nonsense=1"], "the command line: there is no 'nonsense'"],
    ["steps: 1\n", ["method.alpha=2"], "the command line: 'method.alpha' is wrong"],
    ["method:\n  alpha: 2\n", ["steps=3"], "recipe.yaml: 'method.alpha' is wrong"],
  ])("refuses %j %j with the key named", async (text, settings, expected) => {
    expect(await refusal(loadConfig(file(text), settings))).toContain(expected);
  });

  it("says when there is no such file", async () => {
    expect(await refusal(loadConfig(path.join(folder, "absent.yaml")))).toContain("there is no such file");
    expect(await refusal(loadConfig(folder))).toContain("it is a folder");
  });
});

describe("checkResumedConfig", () => {
  const base = trainingConfigSchema.parse({});
  it("lets safe fields change", () => {
    expect(() =>
      checkResumedConfig(base, checkConfig({ steps: 500, sandbox: { workers: 1 } }, "x")),
    ).not.toThrow();
  });
  it("names the field that would make it another run", () => {
    expect(() => checkResumedConfig(base, checkConfig({ method: { alpha: 0.9 } }, "x"))).toThrow(
      /'method.alpha'/,
    );
  });
});
