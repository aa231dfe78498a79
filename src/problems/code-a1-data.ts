/**
 * Records of Code-A1's own parquet files. The training file has clean_description, GT_code and GT_test (a list of
 * statements); the validation file has problem, GT_code and test, which is EvalPlus' code with `check(candidate)`. Both
 * name function and problem in extra_info.
 */
import { z } from "zod";
import { type DataFormat, pythonEquality, readFields } from "./data-format.ts";
import type { Problem } from "./problem.ts";
import { checkParameter, definedNames } from "./python-names.ts";
import { readTestCode } from "./test-code.ts";

const extraInfo = z.object({
  question_id: z.union([z.string().min(1), z.int()]),
  function_name: z.string().min(1),
  imports: z.string().nullish(),
});

const trainingSchema = z.object({
  clean_description: z.string().min(1),
  GT_code: z.string(),
  GT_test: z.array(z.string()),
  extra_info: extraInfo,
  data_source: z.string().nullish(),
});

const validationSchema = z.object({
  problem: z.string().min(1),
  GT_code: z.string(),
  test: z.string(),
  extra_info: extraInfo,
  data_source: z.string().nullish(),
});

export const codeA1TrainingFormat: DataFormat = {
  name: "Code-A1 training",
  fields: Object.keys(trainingSchema.shape),
  recognizes: (record) => "GT_code" in record && "clean_description" in record,
  toProblem(record, where) {
    const row = readFields(trainingSchema, record, { where, format: "Code-A1 training" });
    return problemOf(row, {
      question: row.clean_description,
      reference: row.GT_code,
      ...readTestCode({
        form: "script",
        source: row.GT_test.join("\n"),
        calledAs: row.extra_info.function_name,
        functions: otherFunctions(row),
      }),
    });
  },
};

export const codeA1ValidationFormat: DataFormat = {
  name: "Code-A1 validation",
  fields: Object.keys(validationSchema.shape),
  recognizes: (record) => "GT_code" in record && "problem" in record,
  toProblem(record, where) {
    const row = readFields(validationSchema, record, { where, format: "Code-A1 validation" });
    return problemOf(row, {
      question: row.problem,
      reference: wholeReference(row),
      ...readTestCode({
        form: "check",
        source: row.test,
        calledAs: checkParameter(row.test) ?? "candidate",
        functions: otherFunctions(row),
      }),
    });
  },
};

/** Some records name a helper as the function and call the real one by its name. */
function otherFunctions({ GT_code, extra_info }: { GT_code: string; extra_info: z.infer<typeof extraInfo> }) {
  return definedNames(GT_code).functions.filter((name) => name !== extra_info.function_name);
}

/** Of HumanEval's problems the file holds only the body of the function, of the others the whole. */
function wholeReference({ problem, GT_code, extra_info }: z.infer<typeof validationSchema>): string {
  const isWhole = definedNames(GT_code).functions.includes(extra_info.function_name);
  return isWhole ? `${extra_info.imports ?? ""}\n${GT_code}` : `${problem}${GT_code}`;
}

function problemOf(
  row: { extra_info: z.infer<typeof extraInfo>; data_source?: string | null | undefined },
  own: Pick<Problem, "question" | "reference" | "goldTests" | "check">,
): Problem {
  return {
    id: String(row.extra_info.question_id),
    style: "function",
    entryPoint: row.extra_info.function_name,
    ...own,
    difficulty: undefined,
    comparison: pythonEquality,
    metadata: { source: row.data_source ?? "code-a1" },
  };
}
