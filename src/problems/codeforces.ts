/**
 * Records of Codeforces problems as ATGEN's authors keep them: statement, samples (`train_in_outs`), hidden tests
 * (`test_in_outs`), an accepted program (`code`) and a rating. All read input and print output. Samples come again
 * among the hidden tests, not always with the answer of the statement: the statement's counts.
 */
import { z } from "zod";
import { contestComparison } from "./apps.ts";
import { type DataFormat, readFields } from "./data-format.ts";
import { inputOutputOf, testsOf } from "./input-output-tests.ts";
import { referencesOf } from "./other-references.ts";
import type { TestCase } from "./problem.ts";
import { problemError } from "./problem-schema.ts";

const programs = z.union([z.string(), z.array(z.string())]);

const rowSchema = z.object({
  problem_id: z.union([z.string().min(1), z.int()]).nullish(),
  name: z.string().nullish(),
  index: z.string().nullish(),
  full_description: z.string().nullish(),
  description: z.string().nullish(),
  train_in_outs: z.unknown().optional(),
  test_in_outs: z.unknown().optional(),
  code: programs,
  rating: z.union([z.string(), z.number()]).nullish(),
});

type CodeforcesRow = z.infer<typeof rowSchema>;

export const codeforcesFormat: DataFormat = {
  name: "Codeforces",
  fields: Object.keys(rowSchema.shape),
  recognizes: (record) => "code" in record && ("test_in_outs" in record || "train_in_outs" in record),
  toProblem(record, where) {
    const row = readFields(rowSchema, record, { where, format: "Codeforces" });
    const question = row.full_description || row.description;
    if (!question) {
      throw problemError(where, {
        reason: "the fields 'full_description' and 'description' are both empty",
        hint: "Put the whole statement into 'full_description'.",
      });
    }
    const found = referencesOf([row.code].flat());
    if (!found) {
      throw problemError(where, {
        reason: "the field 'code' holds no Python 3 program",
        hint: "Leave the record out: without a right program nothing can be judged.",
      });
    }
    const rating = row.rating ?? undefined;
    return {
      id: idOf(row, where),
      question,
      style: "stdio",
      entryPoint: undefined,
      reference: found.reference,
      goldTests: goldTests(row, where),
      difficulty: rating === undefined ? undefined : String(rating),
      comparison: contestComparison,
      metadata: { source: "codeforces", ...(row.name && { name: row.name }), ...found.metadata },
    };
  },
};

/** A file holds one problem and does not say of which contest: its folder does (problem-folder.ts). */
function idOf({ problem_id, index, name }: CodeforcesRow, where: string): string {
  const own = problem_id ?? ([index, name].filter((part) => part).join(" ") || undefined);
  if (own !== undefined) return `Codeforces/${own}`;
  throw problemError(where, {
    reason: "the record has no 'problem_id' and no 'name'",
    hint: "Add 'problem_id', such as \"31/A\".",
  });
}

function goldTests(row: CodeforcesRow, where: string): TestCase[] {
  const tests = new Map<string, TestCase>();
  for (const field of ["train_in_outs", "test_in_outs"] as const) {
    if (row[field] === undefined || row[field] === null) continue;
    const place = { where, field };
    for (const test of testsOf(inputOutputOf(row[field], place), { ...place, style: "stdio" })) {
      const key = test.style === "stdio" ? test.input.trim() : "";
      if (!tests.has(key)) tests.set(key, test);
    }
  }
  return [...tests.values()];
}
