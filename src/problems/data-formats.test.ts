/** Records in the form of each known data set; the problems are our own. */
import { describe, expect, it } from "vitest";
import type { Problem } from "./problem.ts";
import { parseProblems } from "./read-problem.ts";
import { assertText } from "./test-text.ts";

const read = (...records: object[]): Problem[] =>
  parseProblems(records.map((record) => JSON.stringify(record)).join("\n"), "set.jsonl");

const testsOf = ({ goldTests, entryPoint }: Problem) =>
  goldTests.map((test) => (test.style === "function" ? assertText(test, entryPoint!) : ""));

const kodCode = {
  question_id: "Own_1",
  style: "instruct",
  subset: "Own",
  question: "Add one to a number.",
  solution: "import math\n\ndef helper(x):\n    return x\n\ndef plus(x):\n    return helper(x) + 1\n",
  test: "from solution import plus\n\ndef test_plus():\n    assert plus(1) == 2\n    assert plus(-1) == 0\n",
  test_info: [{ function_name: "plus", function_declaration: "def plus(x):" }],
  gpt_difficulty: "hard",
};

describe("KodCode records", () => {
  it("become problems whose plain asserts are gold tests", () => {
    const [problem] = read(kodCode);
    expect(problem).toMatchObject({
      id: "Own_1",
      style: "function",
      entryPoint: "plus",
      reference: kodCode.solution,
      difficulty: "hard",
      comparison: { booleans: "as-integers", floatTolerance: 0 },
      metadata: { source: "kodcode", style: "instruct", subset: "Own" },
    });
    expect(testsOf(problem!)).toEqual(["assert plus(1) == 2", "assert plus(-1) == 0"]);
    expect(problem!.check).toBeUndefined();
  });

  it("tell how the function is called where the question does not", () => {
    expect(read(kodCode)[0]!.question).toBe("Add one to a number.\n\nDeclare it as `def plus(x):`");
    const telling = { ...kodCode, question: "Write plus(x)." };
    expect(read(telling)[0]!.question).toBe("Write plus(x).");
  });

  it("keep everything else as a check program, with the functions it calls", () => {
    const test = `${kodCode.test}\ndef test_more():\n    for x in range(3):\n        assert plus(x) == helper(x) + math.floor(1.5)\n`;
    const [problem] = read({ ...kodCode, test });
    expect(testsOf(problem!)).toHaveLength(2);
    expect(problem!.check).toEqual({
      form: "pytest",
      source: test,
      support: "import math",
      functions: ["helper"],
    });
  });

  it("may call their tests test_code, as KodCode's pipeline does", () => {
    const { test, ...others } = kodCode;
    expect(testsOf(read({ ...others, test_code: test })[0]!)).toHaveLength(2);
  });

  it("leave `assert call` to the check program: a reference may give any true value", () => {
    const test = "def test_plus():\n    assert plus(1)\n    assert not plus(-1)\n    assert plus(1) == 2\n";
    const [problem] = read({ ...kodCode, test });
    expect(testsOf(problem!)).toEqual(["assert plus(1) == 2"]);
    expect(problem!.check?.source).toBe(test);
  });

  it("are refused where tests build objects of the solution, or call nothing of it", () => {
    const queue = { ...kodCode, solution: "class Queue: pass\ndef plus(x): return 1\n" };
    expect(() => read({ ...queue, test: "def test_a():\n    assert plus(Queue()) == 1\n" })).toThrow(
      "set.jsonl: the tests in 'test' build objects with 'Queue', and only plain values can be handed to a program",
    );
    expect(() => read({ ...kodCode, test: "def test_a():\n    assert 1 == 1\n" })).toThrow(
      "set.jsonl: the tests in 'test' call no function of the solution",
    );
  });

  it("name a field that is missing or wrong", () => {
    expect(() => read({ ...kodCode, question: null })).toThrow(
      "set.jsonl: the field 'question' of a KodCode record is missing",
    );
    expect(() => read({ ...kodCode, test_info: [{ function_name: 3 }] })).toThrow(
      "set.jsonl: the field 'test_info.0.function_name' of a KodCode record is wrong: invalid input",
    );
  });
});

const mbpp = {
  task_id: 7,
  text: "Write a function to add one.",
  code: "import sys\r\ndef plus(x):\r\n    return x + 1\r\n",
  test_list: ["assert plus(1) == 2", "assert plus(2) == 3"],
  test_setup_code: "",
  challenge_test_list: [],
};

describe("MBPP records", () => {
  it("become problems that show their first test", () => {
    const [problem] = read(mbpp);
    expect(problem).toMatchObject({
      id: "MBPP/7",
      entryPoint: "plus",
      question: "Write a function to add one.\n\nExample:\nassert plus(1) == 2",
      reference: mbpp.code,
    });
    expect(testsOf(problem!)).toEqual(mbpp.test_list);
    expect(problem!.check).toBeUndefined();
  });

  it("have another name for the text when they are sanitized, and imports for their tests", () => {
    const { text, test_setup_code: _, ...others } = mbpp;
    const test_list = ["assert math.isclose(plus(1), 2.0)"];
    const [problem] = read({ ...others, prompt: text, test_imports: ["import math"], test_list });
    expect(problem).toMatchObject({
      goldTests: [],
      check: {
        form: "script",
        source: "import math\nassert math.isclose(plus(1), 2.0)",
        support: "import sys",
      },
    });
  });

  it("are refused where no function is called, or objects are built", () => {
    expect(() => read({ ...mbpp, test_list: ["assert minus(1) == 0"] })).toThrow(
      "the tests in 'test_list' call no function that 'code' defines",
    );
    const code = `class Pair: pass\n${mbpp.code}`;
    expect(() => read({ ...mbpp, code, test_list: ["assert plus(Pair()) == 0"] })).toThrow(
      "build objects with 'Pair'",
    );
  });
});

const extra_info = { question_id: "Own/3", function_name: "plus", imports: "import math" };

describe("Code-A1 records", () => {
  it("of the training file", () => {
    const record = {
      prompt: [{ role: "user", content: "…" }],
      data_source: "kodcode_light",
      clean_description: "Add one.",
      GT_code: "def plus(x):\n    return x + 1\n",
      GT_test: ["assert plus(1) == 2", "x = [1]\nassert plus(x[0]) == 2"],
      extra_info,
    };
    const [problem] = read(record);
    expect(problem).toMatchObject({
      id: "Own/3",
      entryPoint: "plus",
      question: "Add one.",
      reference: record.GT_code,
      metadata: { source: "kodcode_light" },
      check: { form: "script", source: record.GT_test.join("\n") },
    });
    expect(testsOf(problem!)).toEqual(["assert plus(1) == 2"]);
    expect(() => read({ ...record, extra_info: { question_id: "x" } })).toThrow(
      "the field 'extra_info.function_name' of a Code-A1 training record is missing",
    );
  });

  const validation = {
    problem: 'def plus(x):\n    """Add one."""\n',
    description: "Add one.",
    test: "def check(candidate):\n    inputs = [[1], [2]]\n    results = [2, 3]\n    for i, (inp, exp) in enumerate(zip(inputs, results)):\n        assert candidate(*inp) == exp\n",
    data_source: "humanevalplus",
    extra_info,
  };

  it("of the validation file, with a reference that continues the problem", () => {
    const [problem] = read({ ...validation, GT_code: "    return x + 1\n" });
    expect(problem).toMatchObject({
      id: "Own/3",
      question: validation.problem,
      reference: `${validation.problem}    return x + 1\n`,
      goldTests: [],
      check: { form: "check", source: validation.test },
    });
  });

  it("of the validation file, with a whole reference and a function called by name", () => {
    const GT_code = "def plus(x):\n    return x + 1\ndef twice(x):\n    return plus(plus(x))\n";
    const test = "def check(plus):\n    assert twice(1) == 3\n";
    const [problem] = read({ ...validation, GT_code, test });
    expect(problem!.reference).toBe(`import math\n${GT_code}`);
    expect(problem!.check).toEqual({ form: "check", source: test, functions: ["twice"] });
  });
});

describe("LeetCodeDataset records", () => {
  const record = {
    task_id: "own-one",
    prompt: "from typing import *\n\ndef list_node(values):\n    return values\n",
    completion: "class Solution:\n    def plus(self, x: int) -> int:\n        return x + 1\n",
    entry_point: "Solution().plus",
    test: "def check(candidate):\n    assert candidate(x = 1) == 2\n    assert candidate(x = 2) == 3\n",
    query: "Add one.",
    meta: { difficulty: "Easy" },
  };

  it("become problems about a method", () => {
    const [problem] = read(record);
    expect(problem).toMatchObject({
      id: "own-one",
      entryPoint: "Solution().plus",
      question: "Add one.",
      reference: `${record.prompt}\n${record.completion}`,
      difficulty: "easy",
    });
    expect(testsOf(problem!)).toEqual([
      "assert Solution().plus(x=1) == 2",
      "assert Solution().plus(x=2) == 3",
    ]);
    expect(problem!.check).toBeUndefined();
  });

  it("are refused where the tests build nodes", () => {
    const test = "def check(candidate):\n    assert candidate(list_node([1])) == 2\n";
    expect(() => read({ ...record, test })).toThrow("build objects with 'list_node'");
  });
});

describe("a file", () => {
  it("may hold several kinds of records, but each id once", () => {
    expect(read(kodCode, mbpp).map(({ id }) => id)).toEqual(["Own_1", "MBPP/7"]);
    expect(() => read(mbpp, kodCode, mbpp)).toThrow(
      "set.jsonl, line 3: the id 'MBPP/7' was used before (set.jsonl, line 1)",
    );
  });

  it("with a record of no known kind says what it holds and what is known", () => {
    const unknown = { code: "x", input: "1", output: "2" };
    expect(() => read(mbpp, unknown)).toThrow(
      "set.jsonl, line 2: the record is of no known kind: its fields are 'code', 'input', 'output'",
    );
    try {
      read(mbpp, unknown, unknown);
      expect.unreachable();
    } catch (error) {
      expect(String(error)).toContain("(and 1 more records)");
      expect((error as { hint: string }).hint).toMatch(/HumanEval.*KodCode.*spar data convert/);
    }
  });

  it("with EvalPlus' raw records says why they cannot be used", () => {
    const record = { task_id: "a", prompt: "p", canonical_solution: "s", plus_input: [], entry_point: "f" };
    expect(() => read(record)).toThrow("holds inputs ('plus_input') without answers");
  });

  it("whose entry point is not a name is refused in every format", () => {
    expect(() => read({ ...mbpp, func_name: "a b" })).toThrow("the entryPoint 'a b' is not a name");
  });
});
