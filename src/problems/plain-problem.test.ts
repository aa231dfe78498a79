import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultLimits } from "../limits.ts";
import { arbitraryValue } from "../values/arbitrary-value.test.support.ts";
import { plainRecord } from "./plain-problem.ts";
import type { FunctionCase, Problem, StdioCase } from "./problem.ts";
import { parseProblems } from "./read-problem.ts";

const arbitraryCall: fc.Arbitrary<FunctionCase> = fc
  .record({
    args: fc.array(arbitraryValue, { maxLength: 2 }),
    keywords: fc.dictionary(fc.constantFrom("key", "other_name", "über"), arbitraryValue, { maxKeys: 2 }),
    expected: arbitraryValue,
  })
  .map(({ args, keywords, expected }) => ({
    style: "function",
    call: { args, keywords: { ...keywords } },
    expected,
  }));

const arbitraryPair: fc.Arbitrary<StdioCase> = fc
  .record({ input: fc.string(), expected: fc.string() })
  .map((pair) => ({ style: "stdio", ...pair }));

const common = {
  id: fc.string({ minLength: 1 }),
  question: fc.string({ minLength: 1 }),
  reference: fc.string(),
  difficulty: fc.option(fc.string(), { nil: undefined }),
  comparison: fc.record({
    booleans: fc.constantFrom("distinct" as const, "as-integers" as const),
    floatTolerance: fc.constantFrom(0, 1e-6),
  }),
  limits: fc.constantFrom({ caseCpuSeconds: 5 }, { memoryBytes: 2 * defaultLimits.memoryBytes }),
  metadata: fc.dictionary(fc.constantFrom("source", "year"), fc.oneof(fc.string(), fc.integer())),
};

const arbitraryProblem: fc.Arbitrary<Problem> = fc.oneof(
  fc.record(
    {
      ...common,
      style: fc.constant("function" as const),
      entryPoint: fc.constantFrom("f", "Solution().f"),
      goldTests: fc.array(arbitraryCall, { maxLength: 3 }),
      check: fc.record(
        {
          form: fc.constantFrom("check" as const, "pytest" as const, "script" as const),
          source: fc.string({ minLength: 1 }),
          support: fc.string({ minLength: 1 }),
          functions: fc.array(fc.string(), { maxLength: 2 }),
        },
        { requiredKeys: ["form", "source"] },
      ),
    },
    {
      requiredKeys: [
        "id",
        "question",
        "reference",
        "difficulty",
        "comparison",
        "metadata",
        "style",
        "entryPoint",
        "goldTests",
      ],
    },
  ),
  fc.record({
    ...common,
    style: fc.constant("stdio" as const),
    entryPoint: fc.constant(undefined),
    goldTests: fc.array(arbitraryPair, { maxLength: 3 }),
  }),
);

describe("a problem in the plain format", () => {
  it("comes back as what it was", () => {
    fc.assert(
      fc.property(arbitraryProblem, (problem) => {
        expect(parseProblems(JSON.stringify(plainRecord(problem)), "p.json")).toEqual([
          { ...problem, metadata: { ...problem.metadata } },
        ]);
      }),
    );
  });

  it("does not take a check program where programs read input", () => {
    const record = {
      id: "a",
      question: "q",
      style: "stdio",
      reference: "",
      goldTests: [],
      check: { form: "check", source: "def check(c): pass" },
    };
    expect(() => parseProblems(JSON.stringify(record), "p.json")).toThrow(
      "p.json: the field 'check' does not go with the style \"stdio\"",
    );
  });

  it("names what is wrong inside a check program", () => {
    const record = {
      id: "a",
      question: "q",
      style: "function",
      entryPoint: "f",
      reference: "",
      goldTests: [],
    };
    const withCheck = (check: object) => () =>
      parseProblems(JSON.stringify({ ...record, check: { form: "check", source: "x", ...check } }), "p.json");
    expect(withCheck({ form: "nose" })).toThrow("p.json: the field 'check.form' is wrong");
    expect(withCheck({ sauce: "x" })).toThrow("p.json: the field 'check.sauce' is unknown");
  });
});
