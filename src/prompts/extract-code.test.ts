import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractCode } from "./extract-code.ts";

const solution = "def add(a, b):\n    return a + b";
const block = (code: string, tag = "python") => `\`\`\`${tag}\n${code}\n\`\`\``;

describe("extractCode", () => {
  it.each<[string, string, string, string, string]>([
    ["one block", block(solution), solution, "entry-point", "closed"],
    ["any tag", block(solution, "Py"), solution, "entry-point", "closed"],
    ["no tag", block(solution, ""), solution, "entry-point", "closed"],
    [
      "an example of use after it",
      `${block(solution)}\nUse:\n${block("print(add(1, 2))")}`,
      solution,
      "entry-point",
      "closed",
    ],
    [
      "a corrected version",
      `${block("def add(a, b): pass")}\nBetter:\n${block(solution)}`,
      solution,
      "entry-point",
      "closed",
    ],
    ["an unfinished fence", `Sure:\n\`\`\`python\n${solution}`, solution, "entry-point", "unfinished"],
    ["decorated", block(`@cache\n${solution}`), `@cache\n${solution}`, "entry-point", "closed"],
    ["a lambda", block("add = lambda a, b: a + b"), "add = lambda a, b: a + b", "entry-point", "closed"],
    [
      "reasoning before it",
      `<think>${block("def add(): pass")}</think>${block(solution)}`,
      solution,
      "entry-point",
      "closed",
    ],
    [
      "cut off in the middle",
      "```python\ndef add(a, b):\n    return (a +",
      "def add(a, b):\n    return (a +",
      "broken-entry-point",
      "unfinished",
    ],
    ["no fence", `\n${solution}\n`, solution, "whole-reply", "none"],
    ["the closing fence only", `${solution}\n\`\`\`\nThis adds.`, solution, "before-fence", "none"],
    [
      "another function",
      block("def sum(a, b): return a + b"),
      "def sum(a, b): return a + b",
      "last-program",
      "closed",
    ],
    ["nothing that parses", block("def sum(a b)"), "def sum(a b)", "last-block", "closed"],
  ])("takes the program of a reply with %s", (_, reply, code, rule, fence) => {
    expect(extractCode(reply, { entryPoint: "add" })).toEqual({ ok: true, code, rule, fence });
  });

  it("finds methods of classes", () => {
    const method = "class Solution:\n    def add(self, a, b):\n        return a + b";
    const reply = `${block(method)}\n${block("Solution().add(1, 2)")}\n${block(solution)}`;
    expect(extractCode(reply, { entryPoint: "Solution().add" })).toMatchObject({
      code: method,
      rule: "entry-point",
    });
  });

  it("takes the last program where there is no entry point, and no sample data", () => {
    const program = "n = int(input())\nprint(n * 2)";
    const reply = `${block("print(0)")}\n${block(program)}\nInput:\n${block("3\n4", "")}\nOutput:\n${block("6", "text")}`;
    expect(extractCode(reply)).toMatchObject({ code: program, rule: "last-program" });
    expect(extractCode(`${block("print(1)", "")}\n${block("3", "")}`)).toMatchObject({ code: "print(1)" });
  });

  it.each([
    ["", "empty"],
    ["<think>hm", "empty"],
    ["I cannot solve this problem.", "not a Python program"],
    ["Sorry", "not a Python program"],
    ["1, 2, 3", "not a Python program"],
    [`Here is the function:\n\n${solution}\n\nIt adds two numbers.`, "not a Python program"],
    ["```python\n\n```", "not a Python program"],
    ["x".repeat(1_000_001), "more than 1000000 characters"],
  ])("gives a reason where there is no program (%#)", (reply, reason) => {
    expect(extractCode(reply, { entryPoint: "add" })).toEqual({
      ok: false,
      reason: expect.stringContaining(reason),
    });
  });

  it("never throws, and what it gives stood in the reply", () => {
    const piece = fc.constantFrom(
      "```",
      "```python\n",
      "\n",
      "def add():\n",
      "  pass",
      "~~~",
      "<think>",
      "</think>",
      "x = 1",
      "prose it's",
      "(",
      '"""',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const reply = pieces.join("");
        const result = extractCode(reply, { entryPoint: "add" });
        if (!result.ok) return;
        expect(result.code.trim()).not.toBe("");
        const bare = (text: string) => text.replace(/\s|<\/?think>/g, "");
        expect(bare(reply)).toContain(bare(result.code));
      }),
      { seed: 41, numRuns: 2_000 },
    );
  });
});
