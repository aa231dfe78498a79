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
  it("become problems whose tests are the plain asserts, with the rest listed", () => {
    const [problem] = parseProblems(JSON.stringify(row), "HumanEval.jsonl");
    expect(problem).toMatchObject({
      id: "Own/1",
      question: row.prompt,
      style: "function",
      entryPoint: "half",
      reference: `${row.prompt}${row.canonical_solution}`,
      comparison: { booleans: "as-integers" },
      metadata: {
        source: "humaneval",
        check: row.test,
        unparsed: [
          { text: "assert abs(candidate(1) - 0.5) < 1e-6", reason: expect.any(String) },
          { text: "assert candidate(n) == n / 2", reason: expect.any(String) },
        ],
      },
    });
    const tests = problem!.goldTests.map((test) => test.style === "function" && assertText(test, "half"));
    expect(tests).toEqual(["assert half(4) == 2.0", "assert half(0) == False", "assert half(3) == 1.5"]);
  });

  it("name what is missing", () => {
    const broken = { ...row, entry_point: undefined };
    expect(() => parseProblems(JSON.stringify(broken), "h.jsonl")).toThrow(
      "h.jsonl: the field 'entry_point' of a HumanEval record is missing or no text",
    );
  });
});
