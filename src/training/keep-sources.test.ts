import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { trainingConfigSchema } from "./config.ts";
import { keepSources } from "./keep-sources.ts";

let folder: string;
let bank: string;
let model: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sources-"));
  bank = path.join(folder, "bank.jsonl");
  model = path.join(folder, "model");
  mkdirSync(model);
  writeFileSync(bank, "programs");
  writeFileSync(path.join(model, "weights.safetensors"), "weights");
});
afterEach(() => rmSync(folder, { recursive: true }));

const problems = { source: "arena" };
const kinds = () => [
  {
    name: "a bank",
    file: bank,
    config: {
      ...{ problems, method: { kind: "atgen" } },
      atgen: { adversary: { kind: "bank", bankPath: bank } },
    },
  },
  {
    name: "the code model of ATGEN",
    file: path.join(model, "weights.safetensors"),
    config: { problems, method: { kind: "atgen" }, engine: { kind: "embedded", code: { folder: model } } },
  },
  {
    name: "the generator that a code model learns from",
    file: path.join(model, "weights.safetensors"),
    config: {
      ...{ problems, method: { kind: "golden", testSource: "generated" } },
      engine: { kind: "embedded", test: { folder: model } },
    },
  },
  {
    name: "the role of Code-A1 that does not learn",
    file: path.join(model, "weights.safetensors"),
    config: {
      ...{ problems, method: { kind: "code-a1", train: "test" } },
      engine: { kind: "embedded", code: { folder: model } },
    },
  },
];

describe("keepSources", () => {
  it("lets a run go on with what it was started with, and refuses anything else", async () => {
    for (const { name, file, config } of kinds()) {
      const run = mkdtempSync(path.join(folder, "run-"));
      const parsed = trainingConfigSchema.parse({ name: "run", ...config });
      await keepSources(run, parsed);
      await expect(keepSources(run, parsed), name).resolves.toBeUndefined();
      writeFileSync(file, "others");
      await expect(keepSources(run, parsed), name).rejects.toThrow("is not what this run was started with");
      rmSync(file);
      if (file === bank) await expect(keepSources(run, parsed)).rejects.toThrow("cannot be read");
      writeFileSync(file, "weights");
    }
  });

  it("does not care for what the run does not use", async () => {
    const run = mkdtempSync(path.join(folder, "run-"));
    const engine = { kind: "embedded", code: { folder: "nowhere" } };
    const atgen = { adversary: { kind: "mutation" } };
    const config = trainingConfigSchema.parse({
      ...{ name: "run", problems, method: { kind: "atgen" }, engine, atgen },
    });
    await expect(keepSources(run, config)).resolves.toBeUndefined();
  });

  it("says so when its own record is damaged", async () => {
    writeFileSync(path.join(folder, "sources.json"), "{");
    const atgen = { adversary: { kind: "bank", bankPath: bank } };
    const config = trainingConfigSchema.parse({ name: "run", problems, method: { kind: "atgen" }, atgen });
    await expect(keepSources(folder, config)).rejects.toThrow("sources.json cannot be read");
  });
});
