/**
 * The test code of a data set, made into what a problem holds. Where every use of the function under test is a plain
 * assert, the asserts become gold tests and nothing is left. Otherwise the plain ones still become gold tests, which
 * training needs, and the whole code becomes the problem's check program, so that nothing is lost.
 */
import { parseTestSource } from "../prompts/parse-tests.ts";
import { childrenOf, parsePython } from "../prompts/python-syntax.ts";
import type { CheckProgram, TestCase } from "./problem.ts";
import { countMentions } from "./python-names.ts";

export interface TestCode {
  readonly form: CheckProgram["form"];
  readonly source: string;
  /** How the code calls the function under test. */
  readonly calledAs: string;
  readonly support?: string;
  /** Other functions of the program that the code may call. */
  readonly functions?: readonly string[];
}

export interface ProblemTests {
  readonly goldTests: readonly TestCase[];
  readonly check?: CheckProgram;
}

export function readTestCode(code: TestCode): ProblemTests {
  const { cases: read, invalid } = parseTestSource(code.source, code.calledAs);
  const cases = asksForTruth(code.source) ? read.filter(({ expected }) => !isBoolean(expected)) : read;
  const used = countMentions(code.source);
  const uses = used.get(code.calledAs.replace(/\(.*/s, "")) ?? 0;
  // `assert True`, which many checks hold, tests nothing.
  const unread = invalid.filter(({ text }) => !/^assert True\b(?!\s*[=!<>])/.test(text));
  if (unread.length === 0 && uses === cases.length && cases.length > 0) return { goldTests: cases };
  const functions = code.functions?.filter((name) => used.has(name)) ?? [];
  return {
    goldTests: cases,
    check: {
      form: code.form,
      source: code.source,
      ...(code.support && { support: code.support }),
      ...(functions.length > 0 && { functions }),
    },
  };
}

function isBoolean(expected: TestCase["expected"]): boolean {
  return typeof expected !== "string" && expected.type === "bool";
}

/**
 * Whether there are asserts such as `assert f(1)`. A tester who writes that means True; a data set may mean any true
 * value, and its reference may give one, so there they are left to the check program.
 */
function asksForTruth(source: string): boolean {
  if (/\bassert(?:True|False)\b/.test(source)) return true;
  const parsed = parsePython(source);
  if (!parsed.ok) return /^\s*assert\s(?!.*[=<>]|.*\b(?:is|in)\b)/m.test(source);
  let found = false;
  parsed.root.cursor().iterate((node) => {
    if (node.name !== "AssertStatement") return !found;
    const condition = childrenOf(node.node)[1];
    if (condition?.name === "CallExpression" || condition?.name === "UnaryExpression") found = true;
    return false;
  });
  return found;
}
