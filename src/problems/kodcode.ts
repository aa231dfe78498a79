/**
 * Records of KodCode-V1: question, solution, a pytest file and how hard the problem is. Only problems about functions
 * become problems here; tests that build objects of the solution's classes cannot be judged by values.
 */
import { z } from "zod";
import { type DataFormat, needsObjects, pythonEquality, readFields } from "./data-format.ts";
import { problemError } from "./problem-schema.ts";
import { countMentions, definedNames, topLevelImports } from "./python-names.ts";
import { readTestCode } from "./test-code.ts";

const rowSchema = z.object({
  question_id: z.string().min(1),
  question: z.string().min(1),
  solution: z.string(),
  test: z.string(),
  test_info: z
    .array(z.object({ function_name: z.string(), function_declaration: z.string().nullish() }))
    .nullish(),
  gpt_difficulty: z.string().nullish(),
  style: z.string().nullish(),
  subset: z.string().nullish(),
});

type KodCodeRow = z.infer<typeof rowSchema>;

export const kodCodeFormat: DataFormat = {
  name: "KodCode",
  fields: [...Object.keys(rowSchema.shape), "test_code"],
  recognizes: (record) =>
    "question_id" in record && "solution" in record && ("test" in record || "test_code" in record),
  toProblem(record, where) {
    // The published sets say `test`, the files that KodCode's own pipeline writes say `test_code`.
    const field = "test" in record ? "test" : "test_code";
    const row = readFields(rowSchema, { ...record, test: record[field] }, { where, format: "KodCode" });
    const { functions, classes } = definedNames(row.solution);
    const used = countMentions(row.test);
    const object = classes.find((name) => used.has(name));
    if (object) needsObjects(where, field, object);
    const entryPoint = entryPointOf(row, { functions, used });
    if (entryPoint === undefined) {
      throw problemError(where, {
        reason: `the tests in '${field}' call no function of the solution`,
        hint: "Name the function in 'test_info', or leave the record out.",
      });
    }
    return {
      id: row.question_id,
      question: questionOf(row, entryPoint),
      style: "function",
      entryPoint,
      reference: row.solution,
      ...readTestCode({
        form: "pytest",
        source: row.test,
        calledAs: entryPoint,
        support: topLevelImports(row.solution),
        functions: functions.filter((name) => name !== entryPoint),
      }),
      difficulty: row.gpt_difficulty ?? undefined,
      comparison: pythonEquality,
      metadata: {
        source: "kodcode",
        ...(row.style && { style: row.style }),
        ...(row.subset && { subset: row.subset }),
      },
    };
  },
};

/** The function that the tests use most; among equals the one that `test_info` names first. */
function entryPointOf(
  row: KodCodeRow,
  { functions, used }: { functions: readonly string[]; used: ReadonlyMap<string, number> },
): string | undefined {
  const named = (row.test_info ?? []).map((info) => info.function_name);
  const rank = (name: string) => (named.includes(name) ? named.indexOf(name) : named.length);
  return functions
    .filter((name) => used.has(name))
    .sort((left, right) => used.get(right)! - used.get(left)! || rank(left) - rank(right))[0];
}

/** Some questions never say how the function is to be called. */
function questionOf(row: KodCodeRow, entryPoint: string): string {
  const declaration = row.test_info?.find((info) => info.function_name === entryPoint)?.function_declaration;
  return declaration && !row.question.includes(entryPoint)
    ? `${row.question}\n\nDeclare it as \`${declaration.trim()}\``
    : row.question;
}
