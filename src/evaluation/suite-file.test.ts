import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Problem, TestCase } from "../problems/problem.ts";
import { parseTestStatement } from "../prompts/parse-tests.ts";
import { exactComparison } from "../values/compare.ts";
import { readSuites, suiteLine } from "./suite-file.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-suites-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(...lines: readonly string[]): string {
  const name = path.join(folder, "suites.jsonl");
  writeFileSync(name, lines.join("\n"));
  return name;
}
const asserted = (text: string): TestCase => {
  const parsed = parseTestStatement(text, "add");
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.case;
};
const add: Problem = {
  id: "add",
  question: "",
  style: "function",
  entryPoint: "add",
  reference: "",
  goldTests: [],
  difficulty: undefined,
  comparison: { booleans: "as-integers", floatTolerance: 1e-6 },
  limits: { caseCpuSeconds: 5 },
  metadata: {},
};

describe("suites", () => {
  it("come back as they were written", async () => {
    const tests = [asserted("assert add('\\n', {1: (2.5,)}) == None"), asserted("assert add(b=1, a=2) == 3")];
    const { limits: _, ...unlimited } = add;
    const script: Problem = { ...unlimited, id: "7", style: "stdio", entryPoint: undefined };
    const printing: TestCase = { style: "stdio", input: "1\n", expected: "2" };
    const suites = await readSuites(
      file(
        suiteLine(
          add,
          tests.map((testCase) => ({ testCase, votes: 2, asked: 3 })),
        ),
        suiteLine({ ...script, comparison: exactComparison }, [{ testCase: printing, votes: 1, asked: 1 }]),
      ),
    );
    const { style, entryPoint, comparison, limits } = add;
    expect(suites.get("add")).toEqual({ style, entryPoint, comparison, limits, tests });
    expect(suites.get("7")).toEqual({
      style: "stdio",
      entryPoint: undefined,
      comparison: exactComparison,
      tests: [printing],
    });
  });

  it.each([
    ['{"problem": "a", "style": "function", "tests": []}', /entryPoint/],
    ['{"problem": "a", "style": "call", "tests": []}', /'style'/],
    ['{"problem": "a", "style": "stdio"}', /'tests' is missing/],
    ['{"problem": "a", "style": "stdio", "tests": ["x"]}', /tests\[0\]/],
    ['{"problem": "a", "style": "stdio", "tests": [], "limits": {"caseCpuSeconds": -1}}', /limits/],
    ['{"problem": "a", "style": "stdio", "tests": [], "test": []}', /'test' is unknown/],
    ["[]", /JSON object/],
  ])("refuses %s with place and field", async (line, expected) => {
    await expect(
      readSuites(file('{"problem": "first", "style": "stdio", "tests": []}', line)),
    ).rejects.toMatchObject({ message: expect.stringMatching(expected) });
    await expect(
      readSuites(file('{"problem": "first", "style": "stdio", "tests": []}', line)),
    ).rejects.toThrow(/suites\.jsonl, line 2/);
  });

  it("refuses a second suite for the same problem", async () => {
    const line = '{"problem": "a", "style": "stdio", "tests": []}';
    await expect(readSuites(file(line, line))).rejects.toThrow(/already/);
  });
});
