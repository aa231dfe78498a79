/**
 * What `POST /judge` takes. A test is an assert of one call (`"assert add(1, 2) == 3"`), a pair of input and output,
 * or a call with its answer in wire form. A test that cannot be read is its own failure, not the program's: the job is
 * judged on the others.
 */
import { z } from "zod";
import { comparisonSchema } from "../evaluation/suite-file.ts";
import type { TestCase } from "../problems/problem.ts";
import { parseTestStatement } from "../prompts/parse-tests.ts";
import { limitsSchema } from "../sandbox/limits.ts";
import {
  argumentsSchema,
  entryPointSchema,
  jobIdSchema,
  keywordsSchema,
  literalSchema,
  maximumCases,
  maximumJobs,
} from "../sandbox/remote/run-protocol.ts";

export const testSchema = z.union([
  z.string(),
  z.strictObject({ input: z.string(), output: z.string() }),
  z.strictObject({ args: argumentsSchema, keywords: keywordsSchema, expected: literalSchema }),
]);

const problemSchema = z
  .strictObject({
    style: z.enum(["function", "stdio"]),
    entryPoint: entryPointSchema.optional(),
    comparison: comparisonSchema.prefault({}),
  })
  .refine(({ style, entryPoint }) => style === "stdio" || entryPoint !== undefined, {
    error: "a function problem needs an entryPoint",
  });

export const judgeRequestSchema = z.strictObject({
  jobs: z
    .array(
      z.strictObject({
        id: jobIdSchema.optional(),
        problem: problemSchema,
        source: z.string(),
        tests: z.array(testSchema).max(maximumCases),
        limits: limitsSchema.prefault({}),
      }),
    )
    .min(1)
    .max(maximumJobs),
});

export type JudgeJob = z.infer<typeof judgeRequestSchema>["jobs"][number];
export type JudgeTest = JudgeJob["tests"][number];

/** The case in a test, or why it holds none. */
export function readTest(
  test: JudgeTest,
  problem: Pick<JudgeJob["problem"], "style" | "entryPoint">,
): TestCase | { reason: string } {
  if (problem.style === "stdio") {
    return typeof test === "object" && "input" in test
      ? { style: "stdio", input: test.input, expected: test.output }
      : { reason: "a stdio problem is tested with input and output" };
  }
  if (typeof test === "string") {
    const parsed = parseTestStatement(test, problem.entryPoint ?? "");
    return parsed.ok ? parsed.case : { reason: parsed.reason };
  }
  if ("input" in test)
    return { reason: "a function problem is tested with calls, not with input and output" };
  const { args, keywords, expected } = test;
  return { style: "function", call: { args, keywords }, expected };
}
