/**
 * The plain problem format: one record as it stands in a file. Its shape is public, other tools write it; a record
 * that does not fit is refused with one sentence that names place, field and fix.
 */
import { z } from "zod";
import { SparringError } from "../errors.ts";
import { limitsSchema } from "../limits.ts";
import { nearestName } from "../nearest-name.ts";
import type { Row } from "./json-rows.ts";

const plainProblemSchema = z.strictObject({
  id: z.union([z.string().min(1), z.int()]).describe("a name that no other problem of the set has"),
  question: z.string().min(1).describe("what both roles are told"),
  style: z
    .enum(["function", "stdio"])
    .describe('"function" for one that is called, "stdio" for one that reads input and prints output'),
  entryPoint: z
    .string()
    .nullish()
    .describe("the function to call, or Class().method; not used by stdio problems"),
  reference: z.string().describe("a program that solves the problem"),
  goldTests: z
    .array(z.unknown())
    .describe("asserts of a function problem, input and output pairs of a stdio problem"),
  check: z
    .strictObject({
      form: z
        .enum(["check", "pytest", "script"])
        .describe(
          '"check" for code that defines check(candidate), "pytest" for a file of test functions, "script" for statements',
        ),
      source: z.string().min(1).describe("the test code"),
      support: z.string().nullish().describe("Python that the test code relies on, run before it"),
      functions: z
        .array(z.string())
        .nullish()
        .describe("functions of the program, besides the entry point, that the test code calls by name"),
    })
    .nullish()
    .describe("test code that does not come apart into gold tests, judged as one more test"),
  difficulty: z.string().nullish().describe("any word"),
  metadata: z.record(z.string(), z.unknown()).nullish().describe("anything else worth keeping"),
  comparison: z
    .strictObject({
      booleans: z
        .enum(["distinct", "as-integers"])
        .optional()
        .describe("whether True is the same answer as 1"),
      floatTolerance: z
        .number()
        .nonnegative()
        .max(1)
        .optional()
        .describe("relative and absolute, for floats only"),
    })
    .nullish()
    .describe("how answers are compared; exactly unless it says otherwise"),
  limits: limitsSchema
    .partial()
    .nullish()
    .describe("what a program for this problem may use, where it differs"),
});

export type PlainProblem = z.infer<typeof plainProblemSchema>;

export const plainFieldNames: readonly string[] = Object.keys(plainProblemSchema.shape);

/** The format as JSON Schema, for editors and other tools; docs/problem.schema.json holds it. */
export function problemJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(plainProblemSchema, { io: "input" });
  return { ...schema, title: "Sparring problem" };
}

export function checkPlainProblem({ value, where }: Omit<Row, "number">): PlainProblem {
  const result = plainProblemSchema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues;
  // An unknown field first: it is most often a known one misspelt, which then is missing as well.
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!;
  throw problemError(where, explain(issue, value));
}

/** The error for a problem, test or record that is not as it should be. */
export function problemError(
  where: string,
  { reason, hint }: { reason: string; hint: string },
): SparringError {
  return new SparringError({ code: "problem-invalid", message: `${where}: ${reason}`, hint });
}

function explain(issue: z.core.$ZodIssue, record: unknown): { reason: string; hint: string } {
  if (typeof record !== "object" || record === null || Array.isArray(record)) {
    const names = fieldList(Object.keys(plainProblemSchema.shape));
    return { reason: "a problem must be a JSON object", hint: `Its fields are ${names}.` };
  }
  if (issue.code === "unrecognized_keys") return explainUnknown(issue.keys[0]!, issue.path);
  const field = issue.path.join(".");
  const shape = fieldsAt(issue.path.slice(0, -1));
  const description = shape[issue.path.at(-1)!]?.description ?? "a field of the problem";
  return valueAt(record, issue.path) === undefined
    ? { reason: `the field '${field}' is missing`, hint: `Add '${field}': ${description}.` }
    : {
        reason: `the field '${field}' is wrong: ${lowerFirst(issue.message)}`,
        hint: `'${field}': ${description}.`,
      };
}

function explainUnknown(key: string, path: readonly PropertyKey[]): { reason: string; hint: string } {
  const known = Object.keys(fieldsAt(path));
  const meant = nearestName(key, known);
  const elsewhere = path.length === 0 ? "; anything else belongs into 'metadata'" : "";
  return {
    reason: `the field '${[...path, key].join(".")}' is unknown`,
    hint: meant
      ? `Did you mean '${[...path, meant].join(".")}'?`
      : `Known fields are ${fieldList(known)}${elsewhere}.`,
  };
}

/** The fields of the record itself, or of the part of it that the path leads to. */
function fieldsAt(path: readonly PropertyKey[]): Record<PropertyKey, z.ZodType | undefined> {
  const { shape } = plainProblemSchema;
  if (path[0] === "comparison") return shape.comparison.unwrap().unwrap().shape;
  if (path[0] === "check") return shape.check.unwrap().unwrap().shape;
  return path[0] === "limits" ? limitsSchema.shape : shape;
}

function valueAt(record: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    record,
  );
}

function fieldList(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(", ");
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
