/** The plain problem format: a checked record to a problem, a problem back to a record, and the tests in both. */
import type { Limits } from "../limits.ts";
import { parseTestStatement } from "../prompts/parse-tests.ts";
import { exactComparison } from "../values/compare.ts";
import type { DataFormat } from "./data-format.ts";
import type { CheckProgram, Problem, TestCase } from "./problem.ts";
import { checkPlainProblem, type PlainProblem, plainFieldNames, problemError } from "./problem-schema.ts";
import { assertText } from "./test-text.ts";

export const plainFormat: DataFormat = {
  name: "plain",
  fields: plainFieldNames,
  recognizes: (record) =>
    ["style", "entryPoint", "reference", "goldTests"].some((field) => field in record) ||
    ("id" in record && "question" in record),
  toProblem: (record, where) => toProblem(record, where),
};

function toProblem(record: unknown, where: string): Problem {
  const plain = checkPlainProblem({ value: record, where });
  const entryPoint = plain.style === "function" ? checkEntryPoint(plain, where) : undefined;
  const { booleans, floatTolerance } = plain.comparison ?? {};
  return {
    id: String(plain.id),
    question: plain.question,
    style: plain.style,
    entryPoint,
    reference: plain.reference,
    goldTests: plain.goldTests.map((test, index) =>
      readTest(test, { style: plain.style, entryPoint, where: `${where}: goldTests[${index}]` }),
    ),
    ...(plain.check && { check: checkProgramOf(plain, where) }),
    difficulty: plain.difficulty ?? undefined,
    comparison: {
      booleans: booleans ?? exactComparison.booleans,
      floatTolerance: floatTolerance ?? exactComparison.floatTolerance,
    },
    ...(plain.limits && { limits: givenLimits(plain.limits, record) }),
    metadata: plain.metadata ?? {},
  };
}

/** The record that `toProblem` reads back as the same problem. */
export function plainRecord(problem: Problem): Record<string, unknown> {
  const { entryPoint, comparison, limits, metadata } = problem;
  const exact =
    comparison.booleans === exactComparison.booleans &&
    comparison.floatTolerance === exactComparison.floatTolerance;
  return {
    id: problem.id,
    question: problem.question,
    style: problem.style,
    ...(entryPoint !== undefined && { entryPoint }),
    reference: problem.reference,
    goldTests: problem.goldTests.map((test) => testRecord(test, entryPoint)),
    ...(problem.check && { check: problem.check }),
    ...(problem.difficulty !== undefined && { difficulty: problem.difficulty }),
    ...(!exact && { comparison }),
    ...(limits && { limits }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

function testRecord(test: TestCase, entryPoint: string | undefined): unknown {
  return test.style === "function"
    ? assertText(test, entryPoint ?? "")
    : { input: test.input, output: test.expected };
}

function checkProgramOf({ check, style }: PlainProblem, where: string): CheckProgram {
  if (style === "stdio") {
    throw problemError(where, {
      reason: "the field 'check' does not go with the style \"stdio\"",
      hint: "A check program calls functions; test a stdio problem with 'goldTests'.",
    });
  }
  const { form, source, support, functions } = check!;
  return { form, source, ...(support && { support }), ...(functions && { functions }) };
}

/** Only what the file says: the schema also fills in defaults, which are not this problem's wish. */
function givenLimits(limits: NonNullable<PlainProblem["limits"]>, record: unknown): Partial<Limits> {
  const given = (record as { limits: Record<string, unknown> }).limits;
  return Object.fromEntries(Object.entries(limits).filter(([name]) => given[name] !== undefined));
}

const identifier = /^[\p{ID_Start}_]\p{ID_Continue}*(?:\(\)\.[\p{ID_Start}_]\p{ID_Continue}*)?$/u;

/** The entry point of a function problem, whichever format it came in. */
export function checkEntryPoint(
  { entryPoint }: { readonly entryPoint?: string | null | undefined },
  where: string,
): string {
  const hint = "Name the function that tests call, such as 'add', or 'Solution().add' for a method.";
  if (!entryPoint)
    throw problemError(where, { reason: "a function problem needs the field 'entryPoint'", hint });
  if (!identifier.test(entryPoint)) {
    throw problemError(where, { reason: `the entryPoint '${entryPoint}' is not a name`, hint });
  }
  return entryPoint;
}

interface TestPlace extends Pick<Problem, "style" | "entryPoint"> {
  readonly where: string;
}

/** One test as it stands in a file. */
export function readTest(test: unknown, place: TestPlace): TestCase {
  return place.style === "function" ? readAssert(test, place) : readInputOutput(test, place);
}

function readAssert(test: unknown, { entryPoint = "", where }: TestPlace): TestCase {
  if (typeof test !== "string") {
    throw problemError(where, {
      reason: `a test of a function problem is a text, not ${kindOf(test)}`,
      hint: `Write "assert ${entryPoint}(1, 2) == 3", or set 'style' to "stdio" for pairs of input and output.`,
    });
  }
  const result = parseTestStatement(test, entryPoint);
  if (result.ok) return result.case;
  throw problemError(where, {
    reason: `the test ${JSON.stringify(test.length > 100 ? `${test.slice(0, 99)}…` : test)} cannot be used: ${result.reason}`,
    hint: `A test is one assert that says what one call of ${entryPoint} equals, with literal values.`,
  });
}

function readInputOutput(test: unknown, { where }: TestPlace): TestCase {
  const { input, output, ...rest } = (typeof test === "object" && test !== null ? test : {}) as Record<
    string,
    unknown
  >;
  const [extra] = Object.keys(rest);
  if (typeof input === "string" && typeof output === "string" && extra === undefined) {
    return { style: "stdio", input, expected: output };
  }
  const reason =
    typeof test !== "object" || test === null || Array.isArray(test)
      ? `a test of a stdio problem is an object, not ${kindOf(test)}`
      : extra !== undefined
        ? `the field '${extra}' of a test is unknown`
        : `the field '${typeof input === "string" ? "output" : "input"}' of a test must be a text`;
  throw problemError(where, { reason, hint: 'Write {"input": "1 2\\n", "output": "3\\n"}.' });
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : typeof value === "string" ? "a text" : `a ${typeof value}`;
}
