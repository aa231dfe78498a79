import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { arenaPairs } from "../problems/arena/attack-pairs.ts";
import type { AttackPair } from "../problems/attack-pair.ts";
import { writePairs } from "../problems/write-pairs.ts";
import { arenaDialect, chatDialect } from "../prompts/dialect.ts";
import { checkConfig } from "./load-config.ts";
import { loadProblemSet } from "./problem-set.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "pairs-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const pairs = arenaPairs({ split: "train", limit: 4, perProblem: 1 });
const foreign = pairs.map((pair): AttackPair => ({ ...pair, problem: { ...pair.problem, metadata: {} } }));

async function loaded(name: string, written: readonly AttackPair[], engine: object) {
  const file = path.join(folder, name);
  await writePairs(file, written);
  const config = checkConfig(
    { problems: { source: "file", path: file }, method: { kind: "atgen" }, engine },
    "test",
  );
  return loadProblemSet(config);
}

describe("pairs of a file", () => {
  it("are put in the arena's shorthand for tiny models if they are the arena's", async () => {
    const { dialect, pairs: found } = await loaded("arena.jsonl", pairs, { kind: "embedded" });
    expect(dialect).toBe(arenaDialect);
    expect(found.training.map(({ buggy }) => buggy)).toEqual(pairs.map(({ buggy }) => buggy));
  });

  it("are put in plain words for other models, and other problems always", async () => {
    expect((await loaded("served.jsonl", pairs, { kind: "tinker" })).dialect).toBe(chatDialect);
    expect((await loaded("foreign.jsonl", foreign, { kind: "embedded" })).dialect).toBe(chatDialect);
  });
});
