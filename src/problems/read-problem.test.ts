import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SparringError } from "../errors.ts";
import { parseProblems, parseTestList, readOneProblem, readProblems, readTests } from "./read-problem.ts";

const add = {
  id: "add",
  question: "Add two numbers.",
  style: "function",
  entryPoint: "add",
  reference: "def add(a, b): return a + b",
  goldTests: ["assert add(1, 2) == 3", "assert add(-1, 1) == 0"],
};
const echo = {
  id: "echo",
  question: "Repeat the input.",
  style: "stdio",
  reference: "print(input())",
  goldTests: [{ input: "x\n", output: "x\n" }],
};

/** What a user sees of the error that reading this text throws. */
function complaint(read: () => unknown): { message: string; hint: string | undefined } {
  try {
    read();
  } catch (error) {
    if (error instanceof SparringError) return { message: error.message, hint: error.hint };
    throw error;
  }
  throw new Error("nothing was thrown");
}

const problemComplaint = (value: unknown) =>
  complaint(() => parseProblems(typeof value === "string" ? value : JSON.stringify(value), "p.json"));

describe("parseProblems", () => {
  it("reads one object, a list, or one object per line", () => {
    for (const text of [
      JSON.stringify([add, echo]),
      JSON.stringify([add, echo], null, 2),
      `${JSON.stringify(add)}\n\n${JSON.stringify(echo)}\r\n`,
    ]) {
      expect(parseProblems(text, "p").map((problem) => problem.id)).toEqual(["add", "echo"]);
    }
    expect(parseProblems(JSON.stringify(add, null, 2), "p")).toHaveLength(1);
  });

  it("gives the problem with its tests as values and exact comparison", () => {
    const [problem] = parseProblems(JSON.stringify(add), "p");
    const int = (value: bigint) => ({ type: "int", value });
    expect(problem).toEqual({
      ...add,
      goldTests: [
        { style: "function", call: { args: [int(1n), int(2n)], keywords: {} }, expected: int(3n) },
        { style: "function", call: { args: [int(-1n), int(1n)], keywords: {} }, expected: int(0n) },
      ],
      difficulty: undefined,
      comparison: { booleans: "distinct", floatTolerance: 0 },
      metadata: {},
    });
  });

  it("keeps what is optional", () => {
    const [problem] = parseProblems(
      JSON.stringify({
        ...echo,
        id: 7,
        entryPoint: null,
        difficulty: "hard",
        metadata: { source: "own" },
        comparison: { floatTolerance: 0.001 },
        limits: { caseCpuSeconds: 5 },
      }),
      "p",
    );
    expect(problem).toMatchObject({
      id: "7",
      entryPoint: undefined,
      difficulty: "hard",
      metadata: { source: "own" },
      comparison: { booleans: "distinct", floatTolerance: 0.001 },
      goldTests: [{ style: "stdio", input: "x\n", expected: "x\n" }],
    });
    expect(problem!.limits).toEqual({ caseCpuSeconds: 5 });
  });

  it.each<[string, unknown, string, string]>([
    [
      "a missing field",
      { ...add, question: undefined },
      "p.json: the field 'question' is missing",
      "Add 'question'",
    ],
    [
      "a field of the wrong type",
      { ...add, reference: 5 },
      "p.json: the field 'reference' is wrong",
      "'reference': a program",
    ],
    ["an empty question", { ...add, question: "" }, "p.json: the field 'question' is wrong", "'question':"],
    ["a wrong style", { ...add, style: "call" }, "p.json: the field 'style' is wrong", "'style':"],
    [
      "no entry point",
      { ...add, entryPoint: undefined },
      "p.json: a function problem needs the field 'entryPoint'",
      "such as 'add'",
    ],
    [
      "an empty entry point",
      { ...add, entryPoint: "" },
      "p.json: a function problem needs the field 'entryPoint'",
      "such as 'add'",
    ],
    [
      "an impossible entry point",
      { ...add, entryPoint: "a b" },
      "p.json: the entryPoint 'a b' is not a name",
      "Solution().add",
    ],
    [
      "a misspelt field",
      { ...add, goldTests: undefined, gold_tests: [] },
      "p.json: the field 'gold_tests' is unknown",
      "Did you mean 'goldTests'?",
    ],
    ["a stranger", { ...add, solution: "x" }, "p.json: the field 'solution' is unknown", "'metadata'"],
    [
      "a misspelt rule",
      { ...add, comparison: { float_tolerance: 1 } },
      "p.json: the field 'comparison.float_tolerance' is unknown",
      "'comparison.floatTolerance'",
    ],
    [
      "a negative tolerance",
      { ...add, comparison: { floatTolerance: -1 } },
      "p.json: the field 'comparison.floatTolerance' is wrong",
      "'comparison.floatTolerance':",
    ],
    [
      "an unknown limit",
      { ...add, limits: { cpu: 1 } },
      "p.json: the field 'limits.cpu' is unknown",
      "'caseCpuSeconds'",
    ],
    [
      "a limit out of range",
      { ...add, limits: { caseCpuSeconds: -1 } },
      "p.json: the field 'limits.caseCpuSeconds' is wrong",
      "'limits.caseCpuSeconds':",
    ],
    [
      "tests that are no list",
      { ...add, goldTests: "assert" },
      "p.json: the field 'goldTests' is wrong",
      "'goldTests':",
    ],
    [
      "a test that does not parse",
      { ...add, goldTests: ["assert add(1, 2) == 3", "assert add(x) == 3"] },
      'p.json: goldTests[1]: the test "assert add(x) == 3" cannot be used: in the arguments: `x` has no known literal value',
      "one call of add",
    ],
    [
      "a test of something else",
      { ...add, goldTests: ["assert sub(1) == 3"] },
      'p.json: goldTests[0]: the test "assert sub(1) == 3" cannot be used: neither side is a call of `add`',
      "one call of add",
    ],
    [
      "a pair for a function",
      { ...add, goldTests: [{ input: "1", output: "2" }] },
      "p.json: goldTests[0]: a test of a function problem is a text, not an object",
      "stdio",
    ],
    [
      "an assert for stdio",
      { ...echo, goldTests: ["assert f(1) == 2"] },
      "p.json: goldTests[0]: a test of a stdio problem is an object, not a text",
      '"input"',
    ],
    [
      "half a pair",
      { ...echo, goldTests: [{ input: "1" }] },
      "p.json: goldTests[0]: the field 'output' of a test must be a text",
      '"output"',
    ],
    [
      "a number as input",
      { ...echo, goldTests: [{ input: 1, output: "1" }] },
      "p.json: goldTests[0]: the field 'input' of a test must be a text",
      '"input"',
    ],
    [
      "an unknown field of a pair",
      { ...echo, goldTests: [{ input: "1", output: "1", expected: "1" }] },
      "p.json: goldTests[0]: the field 'expected' of a test is unknown",
      '"input"',
    ],
    [
      "the second of a list",
      [add, { ...echo, id: undefined }],
      "p.json, item 2: the field 'id' is missing",
      "Add 'id'",
    ],
    [
      "the same id twice",
      [add, echo, add],
      "p.json, item 3: the id 'add' was used before (p.json, item 1)",
      "an id of its own",
    ],
    ["a number", 5, "p.json: a problem must be a JSON object", "'id'"],
    ["an empty list", [], "p.json: holds no problem", "Add"],
    ["an empty file", " \n", "p.json is empty", "JSON"],
  ])("says what is wrong with %s", (_, value, message, hint) => {
    const said = problemComplaint(value);
    expect(said.message).toContain(message);
    expect(said.hint).toContain(hint);
  });

  it.each<[string, string]>([
    ['{"id": "a",\n "question" "b"}', "p.json, line 2: this is not valid JSON"],
    [`[${JSON.stringify(add)},\n${JSON.stringify(echo)},\n]`, "p.json, line 3: this is not valid JSON"],
    [`${JSON.stringify(add)}\n{"id": }\n`, "p.json, line 2: this is not valid JSON"],
    ["def add(a, b): pass", "p.json, line 1: this is not valid JSON"],
    ['{"id": "a"', "p.json, line 1: this is not valid JSON"],
    [
      `${JSON.stringify(add)}\n${JSON.stringify({ ...echo, style: 1 })}`,
      "p.json, line 2: the field 'style' is wrong",
    ],
  ])("names the line (%#)", (text, message) => {
    expect(problemComplaint(text).message).toContain(message);
  });
});

describe("parseTestList", () => {
  it("reads a list of asserts or pairs, or one per line", () => {
    expect(
      parseTestList('["assert add(1, 2) == 3"]', "t", { style: "function", entryPoint: "add" }),
    ).toHaveLength(1);
    expect(
      parseTestList('"assert add(1, 2) == 3"\n"assert add(2, 2) == 4"', "t", {
        style: "function",
        entryPoint: "add",
      }),
    ).toHaveLength(2);
    expect(
      parseTestList('[{"input": "1", "output": ""}]', "t", { style: "stdio", entryPoint: undefined }),
    ).toEqual([{ style: "stdio", input: "1", expected: "" }]);
  });

  it("names the test that is wrong", () => {
    const said = complaint(() =>
      parseTestList('["assert add(1, 2) == 3", "assert add(1"]', "t.json", {
        style: "function",
        entryPoint: "add",
      }),
    );
    expect(said.message).toBe('t.json, item 2: the test "assert add(1" cannot be used: is not valid Python');
  });
});

describe("files", () => {
  let folder = "";
  const write = async (name: string, content: string | Uint8Array) => {
    const file = path.join(folder, name);
    await writeFile(file, content);
    return file;
  };
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "sparring-problems-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("reads plain and compressed files, with and without byte order mark", async () => {
    const text = JSON.stringify(add);
    for (const content of [text, gzipSync(text), `\ufeff${text}`]) {
      const file = await write("good.json", content);
      expect(await readProblems(file)).toHaveLength(1);
    }
    const tests = await write("tests.json", '["assert add(1, 2) == 3"]');
    expect(await readTests(tests, { style: "function", entryPoint: "add" })).toHaveLength(1);
  });

  it("chooses one problem", async () => {
    const file = await write("two.json", JSON.stringify([add, echo]));
    expect(await readOneProblem(file, "echo")).toMatchObject({ id: "echo" });
    await expect(readOneProblem(file)).rejects.toThrow("holds 2 problems where one is needed");
    await expect(readOneProblem(file, "sub")).rejects.toThrow("no problem has the id 'sub'");
    expect(await readOneProblem(await write("one.json", JSON.stringify(add)))).toMatchObject({ id: "add" });
  });

  it.each<[string, Uint8Array, string]>([
    ["latin1.json", Buffer.from('{"id": "é"}', "latin1"), "is not UTF-8 text"],
    ["broken.json.gz", gzipSync("{}").subarray(0, 12), "could not be decompressed"],
  ])("explains why %s cannot be read", async (name, content, reason) => {
    const file = await write(name, content);
    const problem = await readProblems(file).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(SparringError);
    expect((problem as SparringError).message).toContain(reason);
  });

  it("explains why a path leads nowhere", async () => {
    await expect(readProblems(path.join(folder, "none.json"))).rejects.toThrow("does not exist");
    await expect(readProblems(await mkdtemp(path.join(folder, "empty-")))).rejects.toThrow(
      "is a folder without problems",
    );
  });
});
