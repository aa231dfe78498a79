import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { arbitraryProblem } from "./arbitrary-problem.test.support.ts";
import { arenaPairs } from "./arena/attack-pairs.ts";
import type { AttackPair } from "./attack-pair.ts";
import { pairRecord } from "./pair-record.ts";
import { parsePairs, readPairSet, readPairs } from "./read-pairs.ts";
import { assertText } from "./test-text.ts";
import { writePairs } from "./write-pairs.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-pairs-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const stdio = {
  problem_id: "double",
  dataset: "own",
  question: "Print twice the number.",
  gold_code: "print(2 * int(input()))",
  buggy_code: "print(2 + int(input()))",
  gold_tests: { inputs: ["1\n", "2\n"], outputs: ["2\n", "4\n"] },
  code_type: "standard_input",
  difficulty: "easy",
};
const called = {
  ...stdio,
  problem_id: "add",
  gold_code: "def add(a, b):\n    return a + b",
  buggy_code: "def add(a, b):\n    return a",
  code_type: "call_based",
  fn_name: "add",
  gold_tests: {
    inputs: [
      [1, 2],
      [0.5, -1],
    ],
    outputs: [3, -0.5],
  },
};
const read = (...records: object[]) =>
  parsePairs(records.map((record) => JSON.stringify(record)).join("\n"), "pairs.jsonl");
const testsOf = ({ problem }: AttackPair) =>
  problem.goldTests.map((test) =>
    test.style === "function" ? assertText(test, problem.entryPoint!) : [test.input, test.expected],
  );

/** The problems of a set differ by id; pairs of one problem share it. */
const arbitraryPairs = fc
  .uniqueArray(fc.tuple(arbitraryProblem, fc.array(fc.string(), { maxLength: 3 })), {
    selector: ([problem]) => problem.id,
    maxLength: 4,
    minLength: 1,
  })
  .map((groups) =>
    groups.flatMap(([problem, programs]) =>
      ["", ...programs].map((buggy, index): AttackPair => ({ id: `${problem.id}/${index}`, problem, buggy })),
    ),
  )
  .filter((pairs) => new Set(pairs.map(({ id }) => id)).size === pairs.length);

const comparable = (pairs: readonly AttackPair[]) =>
  pairs.map((pair) => ({ ...pair, problem: { ...pair.problem, metadata: { ...pair.problem.metadata } } }));

describe("pairs", () => {
  it("come back from their records as what they were", () => {
    fc.assert(
      fc.property(arbitraryPairs, (pairs) => {
        expect(read(...pairs.map(pairRecord))).toEqual(comparable(pairs));
      }),
    );
  });

  it("come back from a parquet file as what they were", async () => {
    const file = path.join(folder, "round.parquet");
    await fc.assert(
      fc.asyncProperty(arbitraryPairs, async (pairs) => {
        await writePairs(file, pairs);
        expect(await readPairs(file)).toEqual(comparable(pairs));
      }),
      { numRuns: 30 },
    );
  });

  it("of the arena come back from every kind of file", async () => {
    const pairs = arenaPairs({ split: "held-out", perProblem: 2, limit: 5 });
    const files = {
      lines: "arena.jsonl",
      parquet: "arena.parquet",
      list: "arena.json",
      zipped: "arena.json.gz",
    };
    const place = (name: string) => path.join(folder, name);
    await writePairs(place(files.lines), pairs);
    await writePairs(place(files.parquet), pairs);
    const list = JSON.stringify(pairs.map(pairRecord));
    writeFileSync(place(files.list), list);
    writeFileSync(place(files.zipped), gzipSync(list));
    for (const name of Object.values(files)) expect(await readPairs(place(name))).toEqual(pairs);
    const [first, second] = await readPairs(place(files.lines));
    expect(first!.problem).toBe(second!.problem);
  });

  it("have tests in the shape of APPS, or as the plain format writes them", () => {
    const [first, second] = read(stdio, called);
    expect(first).toMatchObject({
      id: "double#1",
      buggy: stdio.buggy_code,
      problem: {
        id: "double",
        style: "stdio",
        entryPoint: undefined,
        reference: stdio.gold_code,
        difficulty: "easy",
        comparison: { booleans: "as-integers", floatTolerance: 1e-6 },
        metadata: { source: "own" },
      },
    });
    expect(testsOf(first!)).toEqual([
      ["1\n", "2\n"],
      ["2\n", "4\n"],
    ]);
    expect(testsOf(second!)).toEqual(["assert add(1, 2) == 3", "assert add(0.5, -1) == -0.5"]);
    const { gold_tests: _, ...own } = called;
    const [third] = read({ ...own, goldTests: ["assert add((1,), b=()) == (1,)"] });
    expect(testsOf(third!)).toEqual(["assert add((1,), b=()) == (1,)"]);
  });

  it("keep every digit of tests that are a text of JSON", () => {
    const gold_tests = '{"inputs": [[12345678901234567890, 1.0]], "outputs": [[12345678901234567891]]}';
    expect(testsOf(read({ ...called, gold_tests })[0]!)).toEqual([
      "assert add(12345678901234567890, 1.0) == 12345678901234567891",
    ]);
    const rounded = { inputs: [[2 ** 60, 1]], outputs: [1] };
    expect(() => read({ ...called, gold_tests: rounded })).toThrow(
      "pairs.jsonl: 'gold_tests.inputs[0]' holds a number that is too long",
    );
  });

  it("undo what JSON makes of answers and dicts", () => {
    const gold_tests = {
      inputs: [
        [{ "1": 2 }, 3],
        [{ a: 1 }, 3],
      ],
      outputs: [[{ "-1": 1 }], [5]],
    };
    expect(testsOf(read({ ...called, gold_tests })[0]!)).toEqual([
      "assert add({1: 2}, 3) == {-1: 1}",
      "assert add({'a': 1}, 3) == 5",
    ]);
  });

  it("need not name type, ids or tests", () => {
    const { question, gold_code, buggy_code } = stdio;
    const [first, second] = read(
      { question, gold_code, buggy_code },
      { question, gold_code, buggy_code: "" },
    );
    expect(first!.problem).toMatchObject({ style: "stdio", goldTests: [] });
    expect(second!.problem).toBe(first!.problem);
    expect([first!.id, second!.id]).toEqual([`${first!.problem.id}#1`, `${first!.problem.id}#2`]);
    const method = {
      question,
      gold_code: "class Solution:\n    def add(self): pass",
      buggy_code,
      fn_name: "add",
    };
    expect(read(method)[0]!.problem.entryPoint).toBe("Solution().add");
  });

  it("are read from HumanEvalPack", () => {
    const record = {
      task_id: "Python/0",
      prompt: 'def plus(x):\n    """Adds one."""\n',
      canonical_solution: "    return x + 1\n",
      buggy_solution: "    return x - 1\n",
      entry_point: "plus",
      test: "def check(plus):\n    assert plus(1) == 2\n",
    };
    const [pair] = read(record);
    expect(pair).toMatchObject({ id: "Python/0#1", buggy: `${record.prompt}${record.buggy_solution}` });
    expect(pair!.problem.reference).toContain("x + 1");
  });

  it.each([
    [
      "another kind",
      { id: "a", question: "q" },
      "the record is no pair of a problem and a wrong program: it has no 'gold_code', no 'buggy_code'",
    ],
    [
      "no wrong program",
      { ...stdio, buggy_code: undefined },
      "the field 'buggy_code' of a pair record is missing",
    ],
    [
      "no right program",
      { ...stdio, gold_code: undefined },
      "the field 'gold_code' of a pair record is missing",
    ],
    [
      "a missing question",
      { ...stdio, question: undefined },
      "the field 'question' of a pair record is missing",
    ],
    [
      "a number for a program",
      { ...stdio, buggy_code: 3 },
      "the field 'buggy_code' of a pair record is wrong",
    ],
    ["an unknown type", { ...stdio, code_type: "stdin" }, "the field 'code_type' of a pair record is wrong"],
    ["no function", { ...called, fn_name: null }, "needs the field 'fn_name'"],
    ["half a test", { ...stdio, gold_tests: { inputs: ["1"], outputs: [] } }, "has 1 inputs and 0 outputs"],
    ["no lists", { ...stdio, gold_tests: { inputs: "1" } }, "needs the lists 'inputs' and 'outputs'"],
    ["broken JSON", { ...stdio, gold_tests: '{"inputs": [' }, "the field 'gold_tests' is not valid JSON"],
    [
      "no text",
      { ...stdio, gold_tests: { inputs: [1], outputs: ["1"] } },
      "'gold_tests.inputs[0]' is not a text",
    ],
    ["no arguments", { ...called, gold_tests: { inputs: [1], outputs: [1] } }, "is not a list of arguments"],
    ["a broken assert", { ...called, goldTests: ["add(1, 2)"] }, "goldTests[0]"],
    ["broken metadata", { ...stdio, metadata: "{" }, "the field 'metadata' is not valid JSON"],
    ["a wrong limit", { ...stdio, limits: { cpu: 1 } }, "the field 'limits.cpu' is unknown"],
  ])("with %s are refused, and the place is said", (_, record, reason) => {
    expect(() => read(stdio, record)).toThrow(reason);
    expect(() => read(stdio, record)).toThrow("pairs.jsonl, line 2");
  });

  it("with the same id, or with two problems under one, are refused", () => {
    const first = { ...stdio, pair_id: "a" };
    expect(() => read(first, { ...first, buggy_code: "" })).toThrow(
      "pairs.jsonl, line 2: the id 'a' was used before (pairs.jsonl, line 1)",
    );
    expect(() => read(stdio, { ...stdio, question: "Another." })).toThrow(
      "line 2: the problem 'double' is another one than before (pairs.jsonl, line 1)",
    );
  });

  it("with a long input are refused by name, and the others are kept", async () => {
    const long = {
      ...stdio,
      problem_id: "long",
      gold_tests: { inputs: ["1", "x".repeat(65_537)], outputs: ["", ""] },
    };
    const file = path.join(folder, "long.jsonl");
    writeFileSync(file, `${JSON.stringify(long)}\n${JSON.stringify(stdio)}\n`);
    const { records, refused } = await readPairSet(file);
    expect(records.map(({ row, pair }) => [row, pair.problem.id])).toEqual([[2, "double"]]);
    expect(refused).toMatchObject([{ row: 1 }]);
    expect(refused[0]!.error.message).toBe(
      `${file}, line 1: the input of gold test 2 has 65537 bytes, the limit is 65536`,
    );
    expect(refused[0]!.error.hint).toContain("if its --max-input is at most 65536");
    expect(await readPairs(file, { maximumInputBytes: 100_000 })).toHaveLength(2);
    expect((await readPairSet(file, { maximumInputBytes: 1 })).refused).toHaveLength(2);
    expect((await readPairSet(file, { limit: 1 })).records).toEqual([]);
  });
});

describe("a file of pairs", () => {
  it("that cannot be written leaves nothing behind", async () => {
    await expect(writePairs(path.join(folder, "no", "such", "pairs.jsonl"), [])).rejects.toThrow(
      "cannot be written",
    );
  });
});
