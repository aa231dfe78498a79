/**
 * Records of LeetCodeDataset: `prompt` is what every solution may rely on (imports and helpers), `completion` the class
 * `Solution`, `query` the question. Problems about linked lists and trees are refused: their tests build objects.
 */
import { z } from "zod";
import { type DataFormat, needsObjects, pythonEquality, readFields } from "./data-format.ts";
import { checkParameter, countMentions, definedNames } from "./python-names.ts";
import { readTestCode } from "./test-code.ts";

const rowSchema = z.object({
  task_id: z.string().min(1),
  prompt: z.string(),
  completion: z.string(),
  entry_point: z.string().min(1),
  test: z.string(),
  query: z.string().min(1),
  meta: z.object({ difficulty: z.string().nullish() }).nullish(),
});

export const leetCodeFormat: DataFormat = {
  name: "LeetCodeDataset",
  fields: Object.keys(rowSchema.shape),
  recognizes: (record) => "completion" in record && "query" in record && "entry_point" in record,
  toProblem(record, where) {
    const row = readFields(rowSchema, record, { where, format: "LeetCodeDataset" });
    const helpers = definedNames(row.prompt);
    const used = countMentions(row.test);
    const helper = [...helpers.functions, ...helpers.classes].find((name) => used.has(name));
    if (helper) needsObjects(where, "test", helper);
    return {
      id: row.task_id,
      question: row.query,
      style: "function",
      entryPoint: row.entry_point,
      reference: `${row.prompt}\n${row.completion}`,
      ...readTestCode({
        form: "check",
        source: row.test,
        calledAs: checkParameter(row.test) ?? "candidate",
        support: row.prompt,
      }),
      difficulty: row.meta?.difficulty?.toLowerCase(),
      comparison: pythonEquality,
      metadata: { source: "leetcode-dataset" },
    };
  },
};
