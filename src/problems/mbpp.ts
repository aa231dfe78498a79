/**
 * Records of MBPP, full and sanitized, and of sets in its form: a sentence, code, and a list of asserts. As the sentence
 * rarely says how the function is called, the first assert is shown with it, as is usual for this set.
 */
import { z } from "zod";
import { type DataFormat, needsObjects, pythonEquality, readFields } from "./data-format.ts";
import { problemError } from "./problem-schema.ts";
import { countMentions, definedNames, topLevelImports } from "./python-names.ts";
import { readTestCode } from "./test-code.ts";

const rowSchema = z.object({
  task_id: z.union([z.int(), z.string().min(1)]),
  text: z.string().min(1),
  code: z.string(),
  test_list: z.array(z.string()).min(1),
  test_setup_code: z.string().nullish(),
  test_imports: z.array(z.string()).nullish(),
  func_name: z.string().nullish(),
});

export const mbppFormat: DataFormat = {
  name: "MBPP",
  fields: [...Object.keys(rowSchema.shape), "prompt"],
  recognizes: (record) => "test_list" in record && "code" in record,
  toProblem(record, where) {
    const text = record.text ?? record.prompt;
    const row = readFields(rowSchema, { ...record, text }, { where, format: "MBPP" });
    const setup = [...(row.test_imports ?? []), row.test_setup_code ?? ""].filter((line) => line !== "");
    const source = [...setup, ...row.test_list].join("\n");
    const { functions, classes } = definedNames(row.code);
    const used = countMentions(source);
    const object = classes.find((name) => used.has(name));
    if (object) needsObjects(where, "test_list", object);
    const entryPoint = row.func_name ?? mostUsed(functions, used);
    if (entryPoint === undefined) {
      throw problemError(where, {
        reason: "the tests in 'test_list' call no function that 'code' defines",
        hint: "Check the names in both.",
      });
    }
    return {
      id: typeof row.task_id === "number" ? `MBPP/${row.task_id}` : row.task_id,
      question: `${row.text}\n\nExample:\n${row.test_list[0]}`,
      style: "function",
      entryPoint,
      reference: row.code,
      ...readTestCode({
        form: "script",
        source,
        calledAs: entryPoint,
        support: topLevelImports(row.code),
        functions: functions.filter((name) => name !== entryPoint),
      }),
      difficulty: undefined,
      comparison: pythonEquality,
      metadata: { source: "mbpp" },
    };
  },
};

function mostUsed(functions: readonly string[], used: ReadonlyMap<string, number>): string | undefined {
  return functions
    .filter((name) => used.has(name))
    .sort((left, right) => used.get(right)! - used.get(left)!)[0];
}
