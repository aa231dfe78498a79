/**
 * Records of HumanEval (HumanEval.jsonl): prompt, canonical_solution, entry_point, and a `check(candidate)` function
 * as test. The asserts of `check` that are plain tests become gold tests; all others are listed in
 * `metadata.unparsed` with the reason, and the whole source stays in `metadata.check`, so that nothing is lost
 * silently. `assert True`, which many checks hold, tests nothing and is passed over.
 *
 * Bools equal integers here, because `check` compares with Python's `==`.
 */
import { z } from "zod";
import { parseTestSource } from "../prompts/parse-tests.ts";
import type { Problem } from "./problem.ts";
import { problemError } from "./problem-schema.ts";

const rowSchema = z.looseObject({
  task_id: z.string(),
  prompt: z.string(),
  canonical_solution: z.string(),
  entry_point: z.string(),
  test: z.string(),
});

export function isHumanEvalRow(value: unknown): boolean {
  return typeof value === "object" && value !== null && "canonical_solution" in value && "prompt" in value;
}

export function fromHumanEval(value: unknown, where: string): Problem {
  const row = rowSchema.safeParse(value);
  if (!row.success) {
    throw problemError(where, {
      reason: `the field '${row.error.issues[0]!.path.join(".")}' of a HumanEval record is missing or no text`,
      hint: `A HumanEval record has the fields ${Object.keys(rowSchema.shape).join(", ")}.`,
    });
  }
  const { task_id, prompt, canonical_solution, entry_point, test } = row.data;
  const { cases, invalid } = parseTestSource(test, "candidate");
  return {
    id: task_id,
    question: prompt,
    style: "function",
    entryPoint: entry_point,
    reference: `${prompt}${canonical_solution}`,
    goldTests: cases,
    difficulty: undefined,
    comparison: { booleans: "as-integers", floatTolerance: 0 },
    metadata: {
      source: "humaneval",
      check: test,
      unparsed: invalid.filter(({ text }) => !/^assert True\b(?!\s*[=!<>])/.test(text)),
    },
  };
}
