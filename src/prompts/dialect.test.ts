import { describe, expect, it } from "vitest";
import { arenaProblems } from "../problems/arena/arena.ts";
import type { Problem } from "../problems/problem.ts";
import { exactComparison } from "../values/compare.ts";
import { arenaDialect, chatDialect } from "./dialect.ts";

const add: Problem = {
  id: "add",
  question: "Add.",
  style: "function",
  entryPoint: "add",
  reference: "def add(a, b):\n    return a + b",
  goldTests: [
    {
      style: "function",
      call: {
        args: [
          { type: "int", value: 1n },
          { type: "str", value: "'\\" },
        ],
        keywords: {},
      },
      expected: { type: "none" },
    },
  ],
  difficulty: undefined,
  comparison: exactComparison,
  metadata: {},
};
const echo: Problem = {
  ...add,
  style: "stdio",
  entryPoint: undefined,
  goldTests: [{ style: "stdio", input: "a\n", expected: "a\n" }],
};

describe("what a dialect writes, it reads back as the same", () => {
  it.each([add, echo])("in chat, for $style problems", (problem) => {
    expect(
      chatDialect.readProgram(problem, chatDialect.writeProgram(problem, problem.reference)).trim(),
    ).toBe(problem.reference);
    expect(chatDialect.readSuite(problem, chatDialect.writeSuite(problem, problem.goldTests))).toEqual({
      cases: problem.goldTests,
      invalid: [],
    });
  });

  it("in the arena", () => {
    for (const problem of arenaProblems({ split: "train", limit: 50 })) {
      const program = arenaDialect.writeProgram(problem, problem.reference);
      expect(arenaDialect.readProgram(problem, program).trim()).toBe(problem.reference.trim());
      const suite = arenaDialect.writeSuite(problem, problem.goldTests);
      expect(arenaDialect.readSuite(problem, suite)).toEqual({ cases: problem.goldTests, invalid: [] });
    }
  });
});
