/**
 * Problems, tests and programs from files. A problem file holds records of the plain format (problem-schema.ts) or
 * of HumanEval, which are told apart by their fields; a tests file holds the same kind of list as `goldTests`.
 * Everything that is wrong with a file is one SparringError that says where, what and how to mend it.
 */
import type { Limits } from "../limits.ts";
import { parseTestStatement } from "../prompts/parse-tests.ts";
import { exactComparison } from "../values/compare.ts";
import { fromHumanEval, isHumanEvalRow } from "./humaneval.ts";
import { type Row, readRows } from "./json-rows.ts";
import type { Problem, TestCase } from "./problem.ts";
import { checkPlainProblem, type PlainProblem, problemError } from "./problem-schema.ts";
import { readTextFile } from "./read-text-file.ts";

export async function readProblems(file: string): Promise<Problem[]> {
  return parseProblems(await readTextFile(file), file);
}

/** The only problem of a file, or the one with this id. */
export async function readOneProblem(file: string, id?: string): Promise<Problem> {
  const problems = await readProblems(file);
  const ids = problems.slice(0, 3).map((problem) => `'${problem.id}'`);
  if (id !== undefined) {
    const found = problems.find((problem) => problem.id === id);
    if (found) return found;
    throw problemError(file, {
      reason: `no problem has the id '${id}'`,
      hint: `Ids there are ${ids.join(", ")} ….`,
    });
  }
  if (problems.length === 1) return problems[0]!;
  throw problemError(file, {
    reason: `holds ${problems.length} problems where one is needed`,
    hint: `Choose one by its id, for example ${ids[0]}.`,
  });
}

/** The same as `readProblems` for text that is already here; `file` is only used in messages. */
export function parseProblems(text: string, file: string): Problem[] {
  const rows = readRows(text, file);
  if (rows.length === 0) {
    throw problemError(file, { reason: "holds no problem", hint: "Add at least one." });
  }
  const places = new Map<string, string>();
  return rows.map((row) => {
    const problem = isHumanEvalRow(row.value) ? fromHumanEval(row.value, row.where) : toProblem(row);
    const before = places.get(problem.id);
    if (before !== undefined) {
      throw problemError(row.where, {
        reason: `the id '${problem.id}' was used before (${before})`,
        hint: "Give every problem an id of its own.",
      });
    }
    places.set(problem.id, row.where);
    return problem;
  });
}

/** The tests of a `--tests` file: a list of what `goldTests` of this problem holds. */
export async function readTests(
  file: string,
  problem: Pick<Problem, "style" | "entryPoint">,
): Promise<TestCase[]> {
  return parseTestList(await readTextFile(file), file, problem);
}

export function parseTestList(
  text: string,
  file: string,
  problem: Pick<Problem, "style" | "entryPoint">,
): TestCase[] {
  return readRows(text, file).map(({ value, where }) => readTest(value, { ...problem, where }));
}

function toProblem(row: Row): Problem {
  const plain = checkPlainProblem(row);
  const entryPoint = plain.style === "function" ? checkEntryPoint(plain, row.where) : undefined;
  const { booleans, floatTolerance } = plain.comparison ?? {};
  return {
    id: String(plain.id),
    question: plain.question,
    style: plain.style,
    entryPoint,
    reference: plain.reference,
    goldTests: plain.goldTests.map((test, index) =>
      readTest(test, { style: plain.style, entryPoint, where: `${row.where}: goldTests[${index}]` }),
    ),
    difficulty: plain.difficulty ?? undefined,
    comparison: {
      booleans: booleans ?? exactComparison.booleans,
      floatTolerance: floatTolerance ?? exactComparison.floatTolerance,
    },
    ...(plain.limits && { limits: givenLimits(plain.limits, row.value) }),
    metadata: plain.metadata ?? {},
  };
}

/** Only what the file says: the schema also fills in defaults, which are not this problem's wish. */
function givenLimits(limits: NonNullable<PlainProblem["limits"]>, record: unknown): Partial<Limits> {
  const given = (record as { limits: Record<string, unknown> }).limits;
  return Object.fromEntries(Object.entries(limits).filter(([name]) => given[name] !== undefined));
}

const identifier = /^[\p{ID_Start}_]\p{ID_Continue}*(?:\(\)\.[\p{ID_Start}_]\p{ID_Continue}*)?$/u;

function checkEntryPoint({ entryPoint }: PlainProblem, where: string): string {
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

function readTest(test: unknown, place: TestPlace): TestCase {
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
