/**
 * Pairs of a problem and a wrong program as they stand in files. The three key fields have the names of ATGEN's own
 * data (`question`, `buggy_code`, `gold_code`); the others say what its records must hold for a pair to be judged:
 * problem_id, dataset, difficulty, code_type, fn_name and gold tests in the shape of APPS (`gold_tests`) or as the
 * plain problem format writes them (`goldTests`). What else a problem has (check, comparison, limits, metadata) is
 * written as the plain format does.
 *
 * In parquet, where a column has one type, the fields that are objects or lists are texts of JSON. They may be so
 * anywhere.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { contestComparison, entryPointIn } from "./apps.ts";
import type { AttackPair } from "./attack-pair.ts";
import { readFields } from "./data-format.ts";
import { inputOutputOf, inputOutputRecord, testsOf } from "./input-output-tests.ts";
import { plainFormat, plainRecord } from "./plain-problem.ts";
import type { Problem } from "./problem.ts";
import { problemError } from "./problem-schema.ts";

const name = z.union([z.string().min(1), z.int()]);

const pairSchema = z.object({
  question: z.string().min(1),
  buggy_code: z.string(),
  gold_code: z.string(),
  problem_id: name.nullish(),
  pair_id: name.nullish(),
  dataset: z.string().nullish(),
  difficulty: z.string().nullish(),
  code_type: z.enum(["standard_input", "call_based"]).nullish(),
  fn_name: z.string().nullish(),
  gold_tests: z.unknown().optional(),
  goldTests: z.unknown().optional(),
  check: z.unknown().optional(),
  comparison: z.unknown().optional(),
  limits: z.unknown().optional(),
  metadata: z.unknown().optional(),
});

type PairFields = z.infer<typeof pairSchema>;

export const pairFields: readonly string[] = Object.keys(pairSchema.shape);

/** The fields whose values are objects or lists. */
const structuredFields = ["goldTests", "check", "comparison", "limits", "metadata"] as const;

/** A pair as its record tells it; records without ids get theirs from the file (read-pairs.ts) or from what they hold. */
export interface ReadPair {
  readonly problem: Problem;
  readonly buggy: string;
  readonly pairId: string | undefined;
}

export function isPairRecord(record: Record<string, unknown>): boolean {
  return "buggy_code" in record && "gold_code" in record;
}

export function readPairRecord(record: Record<string, unknown>, where: string): ReadPair {
  const row = readFields(pairSchema, unpacked(record, where), { where, format: "pair" });
  const style = styleOf(row);
  const entryPoint = style === "function" ? entryPointOf(row, where) : undefined;
  const problem = plainFormat.toProblem(
    {
      id: row.problem_id ?? problemIdOf(row),
      question: row.question,
      style,
      entryPoint,
      reference: row.gold_code,
      goldTests: row.goldTests ?? [],
      check: row.check,
      difficulty: row.difficulty,
      comparison: row.comparison ?? contestComparison,
      limits: row.limits,
      metadata: row.dataset ? { source: row.dataset, ...(row.metadata as object | null) } : row.metadata,
    },
    where,
  );
  const hasOwnTests = row.goldTests !== undefined && row.goldTests !== null;
  const place = { where, field: "gold_tests", style };
  const isGiven = row.gold_tests !== undefined && row.gold_tests !== null && row.gold_tests !== "";
  const goldTests =
    hasOwnTests || !isGiven ? problem.goldTests : testsOf(inputOutputOf(row.gold_tests, place), place);
  const pairId = row.pair_id ?? undefined;
  return {
    problem: { ...problem, goldTests },
    buggy: row.buggy_code,
    pairId: pairId === undefined ? undefined : String(pairId),
  };
}

/** The record that `readPairRecord` reads back as the same pair. */
export function pairRecord({ id, problem, buggy }: AttackPair): Record<string, unknown> {
  const plain = plainRecord(problem);
  const { source, ...metadata } = problem.metadata;
  const isNamed = typeof source === "string" && source !== "";
  const kept = isNamed ? metadata : problem.metadata;
  const tests = inputOutputRecord(problem.goldTests);
  const { booleans, floatTolerance } = problem.comparison;
  const isUsual =
    booleans === contestComparison.booleans && floatTolerance === contestComparison.floatTolerance;
  return {
    problem_id: problem.id,
    pair_id: id,
    ...(isNamed && { dataset: source }),
    ...(problem.difficulty !== undefined && { difficulty: problem.difficulty }),
    code_type: problem.style === "stdio" ? "standard_input" : "call_based",
    ...(problem.entryPoint !== undefined && { fn_name: problem.entryPoint }),
    question: problem.question,
    gold_code: problem.reference,
    buggy_code: buggy,
    ...(tests ? { gold_tests: tests } : { goldTests: plain.goldTests }),
    ...(problem.check && { check: problem.check }),
    ...(!isUsual && { comparison: problem.comparison }),
    ...(problem.limits && { limits: problem.limits }),
    ...(Object.keys(kept).length > 0 && { metadata: kept }),
  };
}

/** Texts of JSON as what they say. `gold_tests` stays a text: its numbers may be longer than JavaScript can hold. */
function unpacked(record: Record<string, unknown>, where: string): Record<string, unknown> {
  const result = { ...record };
  for (const field of structuredFields) {
    const value = result[field];
    if (typeof value !== "string") continue;
    try {
      result[field] = value === "" ? undefined : JSON.parse(value);
    } catch {
      throw problemError(where, {
        reason: `the field '${field}' is not valid JSON`,
        hint: `'${field}' is an object or a list, or a text of JSON that holds one.`,
      });
    }
  }
  return result;
}

function styleOf({ code_type, fn_name }: PairFields): Problem["style"] {
  if (code_type) return code_type === "call_based" ? "function" : "stdio";
  return fn_name ? "function" : "stdio";
}

function entryPointOf({ fn_name, gold_code }: PairFields, where: string): string {
  if (fn_name) return fn_name.includes("(") ? fn_name : entryPointIn(gold_code, fn_name);
  throw problemError(where, {
    reason: "a pair with the code_type \"call_based\" needs the field 'fn_name'",
    hint: "Name the function that tests call, or set 'code_type' to \"standard_input\".",
  });
}

/** The same for all pairs of one problem: they share question and reference. */
function problemIdOf({ question, gold_code }: PairFields): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([question, gold_code]))
    .digest("hex");
  return `problem-${digest.slice(0, 16)}`;
}
