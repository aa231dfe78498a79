/**
 * Records of APPS: a question, accepted solutions and tests, the latter two as texts of JSON. Rows of the set on
 * Hugging Face have these fields; the original folders, one for each problem, are read as the same rows
 * (problem-folder.ts). Problems whose tests name a function are called, the others read input and print output.
 */
import { z } from "zod";
import { type DataFormat, readFields } from "./data-format.ts";
import { inputOutputOf, testsOf } from "./input-output-tests.ts";
import { parseJson } from "./json-value.ts";
import { referencesOf } from "./other-references.ts";
import { problemError } from "./problem-schema.ts";
import { definedNames } from "./python-names.ts";

const rowSchema = z.object({
  problem_id: z.union([z.string().min(1), z.int()]),
  question: z.string().min(1),
  solutions: z.union([z.string(), z.array(z.string())]),
  input_output: z.unknown().optional(),
  difficulty: z.string().nullish(),
  starter_code: z.string().nullish(),
  url: z.string().nullish(),
});

/** Python's own rule for truth, and as much room for decimals as judges of contests give. */
export const contestComparison = { booleans: "as-integers", floatTolerance: 1e-6 } as const;

export const appsFormat: DataFormat = {
  name: "APPS",
  fields: Object.keys(rowSchema.shape),
  recognizes: (record) => "input_output" in record && "question" in record && "solutions" in record,
  toProblem(record, where) {
    const row = readFields(rowSchema, record, { where, format: "APPS" });
    const found = referencesOf(solutionsOf(row.solutions, where));
    if (!found) {
      throw problemError(where, {
        reason: "none of the programs in 'solutions' is a Python 3 program",
        hint: "Leave the record out: without a right program nothing can be judged.",
      });
    }
    if (row.input_output === "" || row.input_output === null || row.input_output === undefined) {
      throw problemError(where, {
        reason: "the field 'input_output' is empty: the problem has no test",
        hint: "Leave the record out.",
      });
    }
    const place = { where, field: "input_output" };
    const inputOutput = inputOutputOf(row.input_output, place);
    const name = typeof inputOutput.fn_name === "string" ? inputOutput.fn_name : undefined;
    const style = name === undefined ? "stdio" : "function";
    const starter = row.starter_code?.trim();
    return {
      id: `APPS/${row.problem_id}`,
      question: starter ? `${row.question.trimEnd()}\n\nStart from this:\n${starter}` : row.question,
      style,
      entryPoint: name === undefined ? undefined : entryPointIn(found.reference, name),
      reference: found.reference,
      goldTests: testsOf(inputOutput, { ...place, style }),
      difficulty: row.difficulty ?? undefined,
      comparison: contestComparison,
      metadata: { source: "apps", ...(row.url && { url: row.url }), ...found.metadata },
    };
  },
};

function solutionsOf(solutions: string | string[], where: string): string[] {
  if (Array.isArray(solutions)) return solutions;
  if (solutions.trim() === "") return [];
  const parsed = parseJson(solutions);
  if (parsed.ok && Array.isArray(parsed.value) && parsed.value.every((each) => typeof each === "string")) {
    return parsed.value;
  }
  throw problemError(where, {
    reason: "the field 'solutions' is no list of programs",
    hint: 'It is a text of JSON such as ["print(1)"].',
  });
}

/** A method is called on a fresh object, as the sites do that such problems come from. */
export function entryPointIn(program: string, name: string): string {
  const { functions, classes } = definedNames(program);
  return !functions.includes(name) && classes.includes("Solution") ? `Solution().${name}` : name;
}
