import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Problem } from "../../problems/problem.ts";
import { exactComparison } from "../../values/compare.ts";
import { ownedBy, readCandidates, readWrittenTests } from "./recorded-samples.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-recorded-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const add: Problem = {
  id: "add",
  question: "def add(a, b):\n",
  style: "function",
  entryPoint: "add",
  reference: "",
  goldTests: [],
  difficulty: undefined,
  comparison: exactComparison,
  metadata: {},
};
const problems = new Map<string, Problem>([
  ["add", add],
  ["7", { ...add, id: "7", style: "stdio", entryPoint: undefined }],
  ["HumanEval/0", { ...add, id: "HumanEval/0", metadata: { source: "humaneval" } }],
]);
function file(...lines: readonly unknown[]): string {
  const name = path.join(folder, "lines.jsonl");
  writeFileSync(name, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return name;
}
const candidates = async (...lines: readonly unknown[]) => readCandidates(file(...lines), problems);
const tests = async (...lines: readonly unknown[]) => readWrittenTests(file(...lines), problems);

describe("readCandidates", () => {
  it("takes each of the usual fields, in order", async () => {
    const { byProblem, leftOut } = await candidates(
      { problem: "add", code: "one" },
      { task_id: "add", solution: "two" },
      { problem: 7, code: "seven" },
      { task_id: "add", completion: "three" },
    );
    expect(leftOut).toEqual([]);
    expect(byProblem.get("add")).toEqual([
      { source: "one", line: 0 },
      { source: "two", line: 1 },
      { source: "three", line: 2 },
    ]);
    expect(byProblem.get("7")).toEqual([{ source: "seven", line: 0 }]);
  });

  it("lets a completion of HumanEval go on where the prompt ends, unless it begins anew", async () => {
    const anew = "def add(a, b):\n    return a + b";
    const { byProblem } = await candidates(
      { task_id: "HumanEval/0", completion: "    return a + b\n" },
      { task_id: "HumanEval/0", completion: anew },
      { task_id: "HumanEval/0", completion: `Sure:\n\`\`\`python\n${anew}\n\`\`\`` },
      { task_id: "HumanEval/0", completion: "    return helper(a)\n\ndef helper(a):\n    return a\n" },
    );
    expect(byProblem.get("HumanEval/0")!.map(({ source }) => source.trim())).toEqual([
      "def add(a, b):\n    return a + b",
      anew,
      anew,
      "def add(a, b):\n    return helper(a)\n\ndef helper(a):\n    return a",
    ]);
  });

  it("names what it leaves out, and keeps the count of lines", async () => {
    const { byProblem, leftOut } = await candidates(
      { problem: "add" },
      { problem: "subtract", code: "" },
      { problem: "add", code: 5 },
      [],
      { code: "x" },
      { problem: "add", code: "last" },
    );
    expect(byProblem.get("add")).toEqual([{ source: "last", line: 2 }]);
    expect(leftOut.map(({ where, reason }) => `${where.split(", ")[1]}: ${reason}`)).toEqual([
      "line 1: the program is missing: a text in 'code', 'solution' or 'completion'",
      "line 2: no problem of the set has the id 'subtract'",
      "line 3: the field 'code' must be a text",
      "line 4: a line must be a JSON object",
      "line 5: the field 'problem' (or 'task_id') is missing",
    ]);
  });

  it("refuses a file of which nothing can be used", async () => {
    await expect(candidates({ problem: "subtract", code: "" })).rejects.toMatchObject({
      code: "samples-unusable",
      message: expect.stringContaining("subtract"),
    });
    await expect(readCandidates(path.join(folder, "absent"), problems)).rejects.toThrow(/absent/);
  });
});

describe("readWrittenTests", () => {
  it("reads both kinds of tests, with or without a candidate", async () => {
    const { byProblem, leftOut } = await tests(
      { problem: "add", tests: ["assert add(1, 2) == 3"], candidate: 2 },
      { problem: "add", tests: ["assert add(1, 1) == 2"] },
      { task_id: "7", tests: [{ input: "1", output: "2" }] },
    );
    expect(leftOut).toEqual([]);
    expect(byProblem.get("add")!.map(({ candidate }) => candidate)).toEqual([2, null]);
    expect(byProblem.get("7")).toMatchObject([{ candidate: null, testCase: { input: "1", expected: "2" } }]);
  });

  it("leaves out single tests and whole lines", async () => {
    const { byProblem, leftOut } = await tests(
      { problem: "add", tests: ["assert add(1, 2) == 3", "assert other(1)", { input: "1", output: "2" }] },
      { problem: "add", tests: "assert add(1, 2) == 3" },
      { problem: "add", tests: [], candidate: -1 },
    );
    expect(byProblem.get("add")).toHaveLength(1);
    expect(leftOut.map(({ where }) => where.replace(/^.*?, /, ""))).toEqual([
      "line 1, tests[1]",
      "line 1, tests[2]",
      "line 2",
      "line 3",
    ]);
    expect(leftOut[0]!.reason).toMatch(/^the test "assert other\(1\)" cannot be used/);
  });
});

describe("ownedBy", () => {
  it("gives tests to the candidate of their line, and drops those of lines that are gone", async () => {
    const recorded = await candidates({ problem: "add" }, { problem: "add", code: "b" });
    const written = await tests(
      { problem: "add", tests: ["assert add(0, 0) == 0"], candidate: 0 },
      { problem: "add", tests: ["assert add(1, 1) == 2"], candidate: 1 },
      { problem: "add", tests: ["assert add(2, 2) == 4"] },
    );
    const { tests: owned, orphans } = ownedBy(recorded.byProblem.get("add")!, written.byProblem.get("add")!);
    expect(owned.map(({ candidate }) => candidate)).toEqual([0, null]);
    expect(orphans).toBe(1);
  });
});
