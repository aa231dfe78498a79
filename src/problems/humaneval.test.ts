import { describe, expect, it } from "vitest";
import { parseProblems } from "./read-problem.ts";
import { assertText } from "./test-text.ts";

/** In the form of a HumanEval record; the problem is our own. */
const row = {
  task_id: "Own/1",
  prompt: 'def half(x):\n    """Half of x."""\n',
  canonical_solution: "    return x / 2\n",
  entry_point: "half",
  test: `
METADATA = {'author': 'nobody'}

def check(candidate):
    # Simple cases
    assert candidate(4) == 2.0, "four"
    assert candidate(0) == False
    assert True, "always"
    x = 3
    assert candidate(x) == 1.5
    assert abs(candidate(1) - 0.5) < 1e-6
    for n in range(3):
        assert candidate(n) == n / 2
`,
};

describe("HumanEval records", () => {
  it("become problems whose plain asserts are gold tests, with the whole as check program", () => {
    const [problem] = parseProblems(JSON.stringify(row), "HumanEval.jsonl");
    expect(problem).toMatchObject({
      id: "Own/1",
      question: row.prompt,
      style: "function",
      entryPoint: "half",
      reference: `${row.prompt}${row.canonical_solution}`,
      comparison: { booleans: "as-integers" },
      metadata: { source: "humaneval" },
      check: { form: "check", source: row.test, support: row.prompt },
    });
    const tests = problem!.goldTests.map((test) => test.style === "function" && assertText(test, "half"));
    expect(tests).toEqual(["assert half(4) == 2.0", "assert half(0) == False", "assert half(3) == 1.5"]);
  });

  it("need no check program where every use of the function is a plain assert", () => {
    const test = `def check(candidate):
    assert candidate(4) == 2.0, "wrong: " + str(candidate(4))
    assert True, "always"
    x = 3
    assert candidate(x) == 1.5
`;
    const [problem] = parseProblems(JSON.stringify({ ...row, test }), "HumanEval.jsonl");
    expect(problem!.goldTests).toHaveLength(2);
    expect(problem!.check).toBeUndefined();
  });

  it("keep the check program where a loop uses the function without an assert of its own", () => {
    const test = `def same(left, right):
    assert left == right

def check(candidate):
    assert candidate(4) == 2.0
    for x in range(3):
        same(candidate(x), x / 2)
`;
    const [problem] = parseProblems(JSON.stringify({ ...row, test }), "HumanEval.jsonl");
    expect(problem!.goldTests).toHaveLength(1);
    expect(problem!.check?.source).toBe(test);
  });

  it("may name the parameter of check as the function", () => {
    const test = "def check(half):\n    assert half(4) == 2.0\n\ncheck(half)\n";
    const [problem] = parseProblems(JSON.stringify({ ...row, test }), "Pack.jsonl");
    expect(problem!.goldTests).toHaveLength(1);
  });

  it("name what is missing", () => {
    const broken = { ...row, entry_point: undefined };
    expect(() => parseProblems(JSON.stringify(broken), "h.jsonl")).toThrow(
      "h.jsonl: the field 'entry_point' of a HumanEval record is missing",
    );
  });
});
