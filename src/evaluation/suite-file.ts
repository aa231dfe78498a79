/**
 * Suites on disk, one problem a line, as `spar tests generate` writes them and `spar serve sandbox --suites` reads them:
 *
 *   {"problem": "add", "style": "function", "entryPoint": "add", "tests": ["assert add(1, 2) == 3"], "votes": [4]}
 *
 * Tests are in the shapes of the plain problem format; `comparison` and `limits` may stand beside them as they do
 * there. `votes` says how many generated tests gave each answer; readers do not need it.
 */
import { z } from "zod";
import { SparringError } from "../errors.ts";
import { limitsSchema } from "../limits.ts";
import { readRows } from "../problems/json-rows.ts";
import { checkEntryPoint, readTest } from "../problems/plain-problem.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import { problemError } from "../problems/problem-schema.ts";
import { readTextFile } from "../problems/read-text-file.ts";
import { assertText } from "../problems/test-text.ts";
import type { Limits } from "../sandbox/limits.ts";
import { type Comparison, exactComparison } from "../values/compare.ts";
import type { PooledTest } from "./best-of-n/pool-tests.ts";

/** Tests, and what must be known to judge a program by them. */
export interface Suite {
  readonly style: "function" | "stdio";
  readonly entryPoint: string | undefined;
  readonly comparison: Comparison;
  readonly limits?: Partial<Limits>;
  readonly tests: readonly TestCase[];
}

export const comparisonSchema = z.strictObject({
  booleans: z.enum(["distinct", "as-integers"]).default(exactComparison.booleans),
  floatTolerance: z.number().nonnegative().max(1).default(exactComparison.floatTolerance),
});

const lineSchema = z.strictObject({
  problem: z.union([z.string().min(1), z.int()]),
  style: z.enum(["function", "stdio"]),
  entryPoint: z.string().nullish(),
  tests: z.array(z.unknown()),
  votes: z.array(z.int().positive()).optional(),
  comparison: comparisonSchema.prefault({}),
  limits: z.partialRecord(z.enum(Object.keys(limitsSchema.shape) as (keyof Limits)[]), z.number()).optional(),
});

/** By the id of their problem. Every line must be a suite: a trainer must not find out later. */
export async function readSuites(file: string): Promise<Map<string, Suite>> {
  const suites = new Map<string, Suite>();
  for (const { value, where } of readRows(await readTextFile(file), file)) {
    const parsed = lineSchema.safeParse(value);
    if (!parsed.success) {
      throw problemError(where, {
        reason: complaint(parsed.error.issues[0]!, value),
        hint: 'A suite is {"problem": …, "style": "function", "entryPoint": …, "tests": […]}.',
      });
    }
    const { style, tests, comparison, limits } = parsed.data;
    const id = String(parsed.data.problem);
    if (suites.has(id)) {
      throw problemError(where, {
        reason: `there is a suite for the problem '${id}' already`,
        hint: "Put all tests of a problem on one line.",
      });
    }
    const entryPoint = style === "function" ? checkEntryPoint(parsed.data, where) : undefined;
    suites.set(id, {
      style,
      entryPoint,
      comparison,
      ...(limits && { limits: checkedLimits(limits, where) }),
      tests: tests.map((test, index) =>
        readTest(test, { style, entryPoint, where: `${where}: tests[${index}]` }),
      ),
    });
  }
  return suites;
}

function complaint(issue: z.core.$ZodIssue, value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "a suite is a JSON object";
  const field = issue.path.join(".");
  if (issue.code === "unrecognized_keys") return `the field '${issue.keys[0]}' is unknown`;
  if (!(String(issue.path[0]) in value)) return `the field '${field}' is missing`;
  return `the field '${field}' is wrong: ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`;
}

function checkedLimits(limits: Partial<Limits>, where: string): Partial<Limits> {
  const parsed = limitsSchema.partial().safeParse(limits);
  if (parsed.success) return limits;
  throw new SparringError({
    code: "problem-invalid",
    message: `${where}: the field 'limits.${parsed.error.issues[0]!.path.join(".")}' is out of range`,
    hint: "docs/problem-format.md says what limits there are.",
  });
}

/** The line of a suite. */
export function suiteLine(problem: Problem, tests: readonly PooledTest[]): string {
  const { id, style, entryPoint, comparison, limits } = problem;
  const exact =
    comparison.booleans === exactComparison.booleans &&
    comparison.floatTolerance === exactComparison.floatTolerance;
  return JSON.stringify({
    problem: id,
    style,
    ...(entryPoint !== undefined && { entryPoint }),
    ...(!exact && { comparison }),
    ...(limits && { limits }),
    tests: tests.map(({ testCase }) =>
      testCase.style === "function"
        ? assertText(testCase, entryPoint ?? "")
        : { input: testCase.input, output: testCase.expected },
    ),
    votes: tests.map(({ votes }) => votes),
  });
}
