/**
 * Records of HumanEval (prompt, canonical_solution, entry_point, and a `check(candidate)` function as test) and of
 * sets in its form, such as HumanEvalPack. The prompt's own helper functions are at the check's disposal, as they are
 * in the original harness.
 */
import { z } from "zod";
import { type DataFormat, pythonEquality, readFields } from "./data-format.ts";
import { problemError } from "./problem-schema.ts";
import { checkParameter } from "./python-names.ts";
import { readTestCode } from "./test-code.ts";

const rowSchema = z.object({
  task_id: z.string().min(1),
  prompt: z.string(),
  canonical_solution: z.string(),
  entry_point: z.string().min(1),
  test: z.string(),
});

export const humanEvalFormat: DataFormat = {
  name: "HumanEval",
  fields: Object.keys(rowSchema.shape),
  recognizes: (record) => "canonical_solution" in record && "prompt" in record,
  toProblem(record, where) {
    if (record.test === undefined && record.plus_input !== undefined) {
      throw problemError(where, {
        reason: "an EvalPlus record holds inputs ('plus_input') without answers, and no field 'test'",
        hint: "Use the release that has a 'test' field with check(candidate).",
      });
    }
    const row = readFields(rowSchema, record, { where, format: "HumanEval" });
    const tests = readTestCode({
      form: "check",
      source: row.test,
      calledAs: checkParameter(row.test) ?? "candidate",
      support: row.prompt,
    });
    return {
      id: row.task_id,
      question: row.prompt,
      style: "function",
      entryPoint: row.entry_point,
      reference: `${row.prompt}${row.canonical_solution}`,
      ...tests,
      difficulty: undefined,
      comparison: pythonEquality,
      metadata: { source: "humaneval" },
    };
  },
};
