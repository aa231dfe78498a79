/** Suites made by the shipped models for real problems. */
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEmbeddedEngine } from "../engine/embedded/embedded-engine.ts";
import type { Engine, FrozenPolicy } from "../engine/engine.ts";
import { packageRoot } from "../package-root.ts";
import { arenaProblems } from "../problems/arena/arena.ts";
import { questionKey } from "../problems/case-codec.ts";
import { arenaDialect } from "../prompts/dialect.ts";
import { generateSuite } from "./generated-suite.ts";
import type { Writer } from "./sample-writers.ts";

let engine: Engine;
let writer: Writer;
beforeAll(async () => {
  engine = await openEmbeddedEngine({ threads: 1 });
  const model = { kind: "folder" as const, path: path.join(packageRoot, "models", "arena") };
  const policy: FrozenPolicy = await engine.openFrozen({ role: "test", model, seed: 0 });
  writer = { policy, dialect: arenaDialect, sampling: { temperature: 1, topP: 1, maxTokens: 96 } };
});
afterAll(() => engine.close());

const [problem] = arenaProblems({ split: "held-out", limit: 1 });
const suite = (seed: number, most = 100) =>
  generateSuite({
    coder: writer,
    tester: writer,
    problem: problem!,
    seed,
    programs: 3,
    testsPerProgram: 4,
    most,
  });

describe("generateSuite", () => {
  it("pools what the tester wrote for each distinct program, most votes first", async () => {
    const { tests, programs, replies, unreadable } = await suite(1);
    expect(programs.length).toBeGreaterThan(0);
    expect(new Set(programs).size).toBe(programs.length);
    expect(replies).toBe(programs.length * 4);
    expect(tests.reduce((sum, { asked }) => sum + asked, 0)).toBe(replies - unreadable.length);
    expect(tests.length).toBeGreaterThan(0);
    expect(new Set(tests.map(({ testCase }) => questionKey(testCase))).size).toBe(tests.length);
    const votes = tests.map((test) => test.votes);
    expect(votes).toEqual([...votes].sort((left, right) => right - left));
  });

  it("gives the same suite for the same seed, and keeps the strongest tests under a cap", async () => {
    const [once, again, short] = await Promise.all([suite(2), suite(2), suite(2, 2)]);
    expect(again).toEqual(once);
    expect(short.tests).toEqual(once.tests.slice(0, 2));
  });
});
