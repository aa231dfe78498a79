import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../package-root.ts";
import { loadConfig } from "../training/load-config.ts";
import { loadProblemSet } from "../training/problem-set.ts";
import { arithmetic } from "./arithmetic.ts";

const folder = path.join(packageRoot, "recipes");
const recipes = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
let data: string;

const problem = (id: string) => ({
  id,
  question: "Double it.",
  style: "function",
  entryPoint: "double",
  reference: "def double(x):\n    return 2 * x",
  goldTests: ["assert double(2) == 4"],
});

const pair = (id: string) => ({
  problem_id: id,
  question: "Read a number and print its double.",
  gold_code: "print(2 * int(input()))",
  buggy_code: "print(4)",
  gold_tests: { inputs: ["2\n", "3\n"], outputs: ["4\n", "6\n"] },
});

beforeAll(() => {
  data = mkdtempSync(path.join(tmpdir(), "sparring-recipes-"));
  writeFileSync(path.join(data, "train.jsonl"), JSON.stringify(problem("a")));
  writeFileSync(path.join(data, "held-out.jsonl"), JSON.stringify(problem("b")));
  for (const [file, id] of Object.entries({ "train-pairs.jsonl": "a", "held-out-pairs.jsonl": "b" }))
    writeFileSync(path.join(data, file), JSON.stringify(pair(id)));
});
afterAll(() => rmSync(data, { recursive: true }));

describe.each(recipes)("recipe %s", (name) => {
  it("is a valid configuration whose problems load and whose arithmetic can be printed", async () => {
    const kind = (await loadConfig(path.join(folder, name))).method.kind === "atgen" ? "-pairs" : "";
    const config = await loadConfig(path.join(folder, name), [
      `problems.path=${path.join(data, `train${kind}.jsonl`)}`,
      `problems.heldOutPath=${path.join(data, `held-out${kind}.jsonl`)}`,
    ]);
    expect(config.name).toBe(name.replace(".yaml", ""));
    const { training } = await loadProblemSet(config);
    expect(training.length).toBeGreaterThan(0);
    expect(arithmetic(config, training.length)).toContain("times through the");
  });
});

it.each(["1.5b", "3b", "7b"])("code-a1-%s keeps the paper's numbers", async (size) => {
  const config = await loadConfig(path.join(folder, `code-a1-${size}.yaml`));
  expect(config).toMatchObject({
    method: { alpha: 0.5, trainedCandidates: 1, replayedTests: 8, mistakeBook: true },
    learning: {
      learningRate: 1e-6,
      warmUpSteps: 10,
      schedule: "cosine",
      weightDecay: 0.1,
      gradientClip: 1,
      clipLow: 0.2,
      clipHigh: 0.28,
      dualClip: 10,
      referenceCoefficient: 0.001,
      miniBatchProblems: 128,
      zeroVarianceGroups: "keep",
    },
    sampling: { temperature: 1, codeTokens: 4096, testTokens: 4096 },
    evaluation: { every: 10, samples: 32, temperature: 0.7, topP: 0.95 },
  });
  expect(arithmetic(config, 9688)).toBe(
    [
      "9688 problems, 256 per step × 8 programs = 2048 programs per step",
      "2048 programs × 8 suites × 8 tests = up to 131072 test runs per step",
      "111 steps = 2.9 times through the problems",
    ].join("\n"),
  );
});

it.each(["3b", "7b"])("atgen-%s keeps the paper's numbers", async (size) => {
  const config = await loadConfig(path.join(folder, `atgen-${size}.yaml`));
  expect(config).toMatchObject({ problemsPerStep: 128, method: { kind: "atgen" } });
  const mode = size === "7b" ? "adaptive" : "unconditional";
  expect(config.atgen).toMatchObject({ mode, tests: 6, startStep: 50, maxTries: 30 });
  expect(config.learning).toMatchObject({ clipLow: 0.2, clipHigh: 0.2, dualClip: 3 });
});
