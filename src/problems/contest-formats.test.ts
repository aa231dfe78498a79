/** Records in the form of APPS and of ATGEN's Codeforces files; the problems are our own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { otherReferences, referencesOf, withReference } from "./other-references.ts";
import type { Problem } from "./problem.ts";
import { parseProblems, readProblemSet, readProblems } from "./read-problem.ts";
import { assertText } from "./test-text.ts";

const read = (...records: object[]): Problem[] =>
  parseProblems(records.map((record) => JSON.stringify(record)).join("\n"), "set.jsonl");
const testsOf = ({ goldTests, entryPoint }: Problem) =>
  goldTests.map((test) =>
    test.style === "function" ? assertText(test, entryPoint!) : [test.input, test.expected],
  );

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-contests-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function place(name: string, content: string): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const stdio = {
  problem_id: 7,
  question: "Print the sum of two numbers.",
  solutions: JSON.stringify([
    "print sum(map(int, raw_input().split()))",
    "print(sum(map(int, input().split())))",
  ]),
  input_output: JSON.stringify({ inputs: ["1 2\n", ["3", "4"]], outputs: ["3\n", ["7"]] }),
  difficulty: "interview",
  url: "https://example.org/7",
  starter_code: "",
};
const called = {
  ...stdio,
  problem_id: 8,
  solutions: JSON.stringify(["class Solution:\n    def add(self, a, b):\n        return a + b\n"]),
  input_output:
    '{"fn_name": "add", "inputs": [[1, 12345678901234567890], [0.5, 1.0]], "outputs": [12345678901234567891, 1.5]}',
  starter_code: "class Solution:\n    def add(self, a: int, b: int) -> int:\n",
};

describe("APPS records", () => {
  it("become problems that read input; the first program of today's Python is the reference", () => {
    const [problem] = read(stdio);
    expect(problem).toEqual({
      id: "APPS/7",
      question: stdio.question,
      style: "stdio",
      entryPoint: undefined,
      reference: "print(sum(map(int, input().split())))",
      goldTests: [
        { style: "stdio", input: "1 2\n", expected: "3\n" },
        { style: "stdio", input: "3\n4", expected: "7" },
      ],
      difficulty: "interview",
      comparison: { booleans: "as-integers", floatTolerance: 1e-6 },
      metadata: { source: "apps", url: "https://example.org/7" },
    });
  });

  it("become functions where the tests name one, with every digit", () => {
    const [problem] = read(called);
    expect(problem).toMatchObject({ id: "APPS/8", style: "function", entryPoint: "Solution().add" });
    expect(problem!.question).toBe(
      "Print the sum of two numbers.\n\nStart from this:\nclass Solution:\n    def add(self, a: int, b: int) -> int:",
    );
    expect(testsOf(problem!)).toEqual([
      "assert Solution().add(1, 12345678901234567890) == 12345678901234567891",
      "assert Solution().add(0.5, 1.0) == 1.5",
    ]);
  });

  it("take answers out of lists of their own", () => {
    const input_output = { fn_name: "add", inputs: [[{ "1": [2] }], [[3]]], outputs: [[[4]], [[5, 6]]] };
    const [problem] = read({ ...called, solutions: ["def add(a): pass"], input_output });
    expect(testsOf(problem!)).toEqual(["assert add({1: [2]}) == [4]", "assert add([3]) == [5, 6]"]);
  });

  it("keep a few other programs, to be compared with the reference", () => {
    const programs = Array.from({ length: 9 }, (_, index) => `print(${index})`);
    const [problem] = read({ ...stdio, solutions: ["", "print 1", ...programs, "print(0)"] });
    expect(problem!.reference).toBe("print(0)");
    expect(otherReferences(problem!)).toEqual(["print(1)", "print(2)", "print(3)", "print(4)"]);
    const changed = withReference(problem!, "print(2)");
    expect(changed.reference).toBe("print(2)");
    expect(otherReferences(changed)).toEqual(["print(0)", "print(1)", "print(3)", "print(4)"]);
    expect(referencesOf(["print 1"])).toBeUndefined();
    expect(otherReferences({ metadata: { otherReferences: "none" } })).toEqual([]);
  });

  it.each([
    ["no program", { solutions: "[]" }, "none of the programs in 'solutions' is a Python 3 program"],
    ["empty programs", { solutions: "" }, "none of the programs in 'solutions' is a Python 3 program"],
    ["programs of no list", { solutions: '{"a": 1}' }, "the field 'solutions' is no list of programs"],
    ["no tests", { input_output: "" }, "the field 'input_output' is empty"],
    ["broken tests", { input_output: '{"inputs": ["1"' }, "the field 'input_output' is not valid JSON"],
    ["half a test", { input_output: { inputs: ["1"], outputs: [] } }, "has 1 inputs and 0 outputs"],
    [
      "a number for a text",
      { input_output: { inputs: [1], outputs: ["1"] } },
      "'input_output.inputs[0]' is not a text",
    ],
    ["no question", { question: "" }, "the field 'question' of a APPS record"],
  ])("with %s are refused", (_, changes, reason) => {
    expect(() => read(stdio, { ...stdio, problem_id: 9, ...changes })).toThrow(reason);
  });

  it("are read from their folders", async () => {
    place("apps/0001/question.txt", "Print twice the number.\n");
    place("apps/0001/solutions.json", JSON.stringify(["print(2 * int(input()))"]));
    place("apps/0001/input_output.json", JSON.stringify({ inputs: ["1"], outputs: ["2"] }));
    place(
      "apps/0001/metadata.json",
      JSON.stringify({ difficulty: "introductory", url: "https://example.org/1" }),
    );
    place("apps/0000/question.txt", "Double it.\n");
    place("apps/0000/solutions.json", JSON.stringify(["def double(x):\n    return 2 * x"]));
    place("apps/0000/input_output.json", JSON.stringify({ fn_name: "double", inputs: [[1]], outputs: [2] }));
    place("apps/0000/starter_code.py", "def double(x):\n");
    place("apps/0000/metadata.json", "{");
    place("apps/0002/question.txt", "No solution.");
    const set = await readProblemSet(path.join(folder, "apps"));
    expect(set.records.map(({ row, problem, format }) => [row, problem.id, format, problem.style])).toEqual([
      [1, "APPS/0", "APPS", "function"],
      [2, "APPS/1", "APPS", "stdio"],
    ]);
    expect(set.records[1]!.problem).toMatchObject({
      difficulty: "introductory",
      metadata: { url: "https://example.org/1" },
    });
    expect(set.refused.map(({ row, error }) => [row, error.message])).toEqual([
      [3, `${path.join(folder, "apps", "0002")}: none of the programs in 'solutions' is a Python 3 program`],
    ]);
    expect(await readProblems(path.join(folder, "apps"), { limit: 1 })).toHaveLength(1);
    expect((await readProblems(path.join(folder, "apps", "0001")))[0]!.id).toBe("APPS/1");
  });
});

const codeforces = {
  name: "Doubling",
  index: "A",
  description: "Double it.",
  full_description: "Double it.\nThe input has one number.",
  train_in_outs: { inputs: ["1\n"], outputs: ["2\n"] },
  test_in_outs: { inputs: ["1", "5"], outputs: ["wrong", "10"] },
  code: "print(2 * int(input()))\r\n",
  rating: "1200",
};

describe("Codeforces records", () => {
  it("become problems; of a sample that comes twice, the statement's answer counts", () => {
    expect(read(codeforces)[0]).toEqual({
      id: "Codeforces/A Doubling",
      question: codeforces.full_description,
      style: "stdio",
      entryPoint: undefined,
      reference: codeforces.code,
      goldTests: [
        { style: "stdio", input: "1\n", expected: "2\n" },
        { style: "stdio", input: "5", expected: "10" },
      ],
      difficulty: "1200",
      comparison: { booleans: "as-integers", floatTolerance: 1e-6 },
      metadata: { source: "codeforces", name: "Doubling" },
    });
  });

  it("are named by the files that they are in", async () => {
    place("codeforces/31/A.json", JSON.stringify(codeforces));
    place("codeforces/9/B.json", JSON.stringify({ ...codeforces, index: "B", rating: 1500 }));
    const problems = await readProblems(path.join(folder, "codeforces"));
    expect(problems.map(({ id, difficulty }) => [id, difficulty])).toEqual([
      ["Codeforces/31/A", "1200"],
      ["Codeforces/9/B", "1500"],
    ]);
  });

  it("may lack samples or description, but not both programs and statement", () => {
    const { train_in_outs: _, full_description: __, ...less } = codeforces;
    expect(read(less)[0]).toMatchObject({
      question: "Double it.",
      goldTests: [{ input: "1" }, { input: "5" }],
    });
    expect(() => read({ ...less, description: "" })).toThrow(
      "'full_description' and 'description' are both empty",
    );
    expect(() => read({ ...codeforces, code: "print 1" })).toThrow(
      "the field 'code' holds no Python 3 program",
    );
    expect(() => read({ ...codeforces, name: null, index: null })).toThrow(
      "has no 'problem_id' and no 'name'",
    );
    expect(() => read({ ...codeforces, test_in_outs: { inputs: [1], outputs: [""] } })).toThrow(
      "'test_in_outs.inputs[0]' is not a text",
    );
  });
});
