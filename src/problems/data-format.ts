/** A kind of record that problem sets come in. They are told apart by their fields. */
import type { z } from "zod";
import type { Problem } from "./problem.ts";
import { problemError } from "./problem-schema.ts";

export interface DataFormat {
  readonly name: string;
  recognizes(record: Record<string, unknown>): boolean;
  /** Throws a SparringError that names place, field and fix. */
  toProblem(record: Record<string, unknown>, where: string): Problem;
  /** The fields that a problem is made of; what else a record holds is not kept. */
  readonly fields: readonly string[];
}

/** The record's fields as the schema wants them, or one error that names the first that is not. */
export function readFields<Schema extends z.ZodObject>(
  schema: Schema,
  record: Record<string, unknown>,
  { where, format }: { where: string; format: string },
): z.infer<Schema> {
  const result = schema.safeParse(record);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const field = issue.path.join(".");
  const found = issue.path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key],
    record,
  );
  throw problemError(where, {
    reason:
      found === undefined || found === null
        ? `the field '${field}' of a ${format} record is missing`
        : `the field '${field}' of a ${format} record is wrong: ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`,
    hint: `A ${format} record has the fields ${Object.keys(schema.shape).join(", ")}.`,
  });
}

/** Answers of such sets are compared with Python's `==`, for which True equals 1. */
export const pythonEquality = { booleans: "as-integers", floatTolerance: 0 } as const;

/** For code whose tests need more than plain values. */
export function needsObjects(where: string, field: string, name: string): never {
  throw problemError(where, {
    reason: `the tests in '${field}' build objects with '${name}', and only plain values can be handed to a program`,
    hint: "Leave the record out, or rewrite its tests with plain values.",
  });
}
