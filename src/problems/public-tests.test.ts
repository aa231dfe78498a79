import { describe, expect, it } from "vitest";
import { exactComparison } from "../values/compare.ts";
import type { Problem } from "./problem.ts";
import { publicTests } from "./public-tests.ts";
import { assertText } from "./test-text.ts";

const problem = (parts: Partial<Problem>): Problem => ({
  id: "add",
  question: "",
  style: "function",
  entryPoint: "add",
  reference: "",
  goldTests: [],
  difficulty: undefined,
  comparison: exactComparison,
  metadata: {},
  ...parts,
});
const texts = (parts: Partial<Problem>) =>
  publicTests(problem(parts)).map((test) => (test.style === "function" ? assertText(test, "add") : test));

describe("publicTests", () => {
  it("reads doctests and asserts of a question, each question once", () => {
    const question = [
      "def add(a, b):",
      '    """Add.',
      "    >>> add(1, 2)",
      "    3",
      "    >>> add('a', 'b')",
      "    'ab'",
      "    >>> add(1, 2)",
      "    3",
      "    assert add(2, 2) == 4",
      '    """',
    ].join("\n");
    expect(texts({ question })).toEqual([
      "assert add(1, 2) == 3",
      "assert add('a', 'b') == 'ab'",
      "assert add(2, 2) == 4",
    ]);
  });

  it("leaves out what is no test of this function", () => {
    const question = [">>> other(1)", "1", ">>> add(1, x)", "2", ">>> add(1, 2)", "", ">>> add(1, 2)"];
    expect(texts({ question: question.join("\n") })).toEqual([]);
  });

  it("takes the list in the metadata before anything else, and refuses one that holds no tests", () => {
    const question = "assert add(1, 1) == 2";
    expect(texts({ question, metadata: { publicTests: ["assert add(3, 4) == 7"] } })).toEqual([
      "assert add(3, 4) == 7",
    ]);
    const pair = { input: "1", output: "2" };
    expect(texts({ style: "stdio", entryPoint: undefined, metadata: { publicTests: [pair] } })).toEqual([
      { style: "stdio", input: "1", expected: "2" },
    ]);
    expect(() => texts({ metadata: { publicTests: [pair] } })).toThrow(/metadata\.publicTests\[0\]/);
  });
});
