/** Random problems for property tests, of both styles and with everything that a problem may hold. */
import fc from "fast-check";
import { defaultLimits } from "../limits.ts";
import { arbitraryValue } from "../values/arbitrary-value.test.support.ts";
import type { FunctionCase, Problem, StdioCase } from "./problem.ts";

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

export const arbitraryProblem: fc.Arbitrary<Problem> = fc.oneof(
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
