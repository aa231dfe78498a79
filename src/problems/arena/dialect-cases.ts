/**
 * Suites in the compact dialect: one case a line, `input=answer`, both literals of the smallest useful kind
 * (integers, text in double quotes, flat lists of these). The same notation serves both styles; in stdio style the
 * literals are turned into the line read and the line printed.
 *
 * The reader is total and takes linear time: whatever a model writes, each line is a case or is invalid and says
 * why.
 */
import type { TestCase } from "../problem.ts";
import { beforeEnd, endMark, type Statement } from "./dialect.ts";
import type { ArenaCase } from "./gold-tests.ts";
import type { ArenaValue } from "./program.ts";
import { testCase } from "./test-case.ts";

export interface InvalidLine {
  readonly text: string;
  readonly reason: string;
}

export interface ParsedSuite {
  readonly cases: readonly TestCase[];
  readonly invalid: readonly InvalidLine[];
}

/** A model cannot write as many within its limit; other callers could. */
const mostLines = 64;

export function casesOf(problem: Statement, completion: string): ParsedSuite {
  const cases: TestCase[] = [];
  const invalid: InvalidLine[] = [];
  const lines = beforeEnd(completion).split("\n", mostLines + 1);
  for (const line of lines.slice(0, mostLines)) {
    if (line.trim() === "") continue;
    const parsed = readCase(line);
    if ("reason" in parsed) invalid.push({ text: line, reason: parsed.reason });
    else cases.push(testCase(parsed, problem.style));
  }
  if (lines.length > mostLines) invalid.push({ text: "", reason: `more than ${mostLines} lines` });
  return { cases, invalid };
}

/** The completion that stands for these cases. */
export function suiteText(cases: readonly ArenaCase[]): string {
  return `${cases.map(({ input, expected }) => `${literal(input)}=${literal(expected)}`).join("\n")}${endMark}`;
}

function literal(value: ArenaValue): string {
  return JSON.stringify(value);
}

const scalar = String.raw`-?[0-9]{1,15}|"[^"\\\n]*"`;
const casePattern = new RegExp(
  String.raw`^(${scalar}|\[(?:(?:${scalar})(?:,(?:${scalar}))*)?\])=(${scalar}|\[(?:(?:${scalar})(?:,(?:${scalar}))*)?\])$`,
);

function readCase(line: string): { input: ArenaValue; expected: ArenaValue } | { reason: string } {
  if (!line.includes("=")) return { reason: "no '=' between input and answer" };
  const match = casePattern.exec(line);
  if (!match) return { reason: "input or answer is not a literal" };
  return { input: readLiteral(match[1]!), expected: readLiteral(match[2]!) };
}

const scalars = new RegExp(scalar, "g");

/** Only for text that the pattern has matched. */
function readLiteral(text: string): ArenaValue {
  const values = [...text.matchAll(scalars)].map(([written]) =>
    written.startsWith('"') ? written.slice(1, -1) : Number(written),
  );
  return text.startsWith("[") ? values : values[0]!;
}
