/**
 * How problems become prompts and replies become programs and tests. The loops do not know whether they talk to a
 * large model in English or to a tiny one in the arena's shorthand.
 */
import {
  codePrompt as arenaCodePrompt,
  testPrompt as arenaTestPrompt,
  blackBoxTestPrompt,
  endMark,
  programOf,
} from "../problems/arena/dialect.ts";
import { casesOf } from "../problems/arena/dialect-cases.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import { assertText } from "../problems/test-text.ts";
import { literalText } from "../values/literal-text.ts";
import type { PythonValue } from "../values/python-value.ts";
import { codePrompt } from "./code-prompt.ts";
import { extractCode } from "./extract-code.ts";
import { parseTests } from "./parse-tests.ts";
import { testPrompt } from "./test-prompt.ts";

/** Plain text for models without a chat format, messages for the others. */
export type RolePrompt =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "messages";
      readonly messages: readonly { readonly role: "system" | "user"; readonly content: string }[];
    };

export interface ReadSuite {
  readonly cases: readonly TestCase[];
  /** Each line or statement that is no test, with the reason. */
  readonly invalid: readonly { readonly text: string; readonly reason: string }[];
}

export interface Dialect {
  readonly stopStrings: readonly string[];
  codePrompt(problem: Problem): RolePrompt;
  /** Without a candidate the tester sees the question alone. */
  testPrompt(problem: Problem, options: { candidate?: string; tests: number }): RolePrompt;
  /** Any reply gives a program; whether it runs is for the sandbox to find out. */
  readProgram(problem: Problem, reply: string): string;
  readSuite(problem: Problem, reply: string): ReadSuite;
  /** The replies that stand for a program and for tests, to learn from. */
  writeProgram(problem: Problem, source: string): string;
  writeSuite(problem: Problem, cases: readonly TestCase[]): string;
}

export const arenaDialect: Dialect = {
  stopStrings: [endMark],
  codePrompt: (problem) => ({ kind: "text", text: arenaCodePrompt(problem) }),
  testPrompt: (problem, { candidate }) => ({
    kind: "text",
    text: candidate === undefined ? blackBoxTestPrompt(problem) : arenaTestPrompt(problem, candidate),
  }),
  readProgram: programOf,
  readSuite: casesOf,
  // The first line is implied by the prompt.
  writeProgram: (_, source) => `${source.slice(source.indexOf("\n") + 1).trimEnd()}${endMark}`,
  writeSuite: (_, cases) => `${cases.flatMap(compactCase).join("\n")}${endMark}`,
};

/** The dialect writes cases with one argument of plain data; scripts are judged in it, but not taught. */
function compactCase(testCase: TestCase): string[] {
  if (testCase.style !== "function") return [];
  return [`${compactValue(testCase.call.args[0]!)}=${compactValue(testCase.expected)}`];
}

function compactValue(value: PythonValue): string {
  if (value.type === "list") return `[${value.items.map(compactValue).join(",")}]`;
  return value.type === "str" ? JSON.stringify(value.value) : literalText(value);
}

export const chatDialect: Dialect = {
  stopStrings: [],
  codePrompt: (problem) => messages(codePrompt(problem)),
  testPrompt: (problem, { candidate, tests }) => {
    const view =
      candidate === undefined ? { kind: "black-box" as const } : { kind: "white-box" as const, candidate };
    return messages(testPrompt({ problem, tests, view, form: "full" }));
  },
  readProgram: (problem, reply) => {
    const found = extractCode(reply, { entryPoint: problem.entryPoint });
    return found.ok ? found.code : reply;
  },
  readSuite: (problem, reply) => parseTests(reply, problem),
  writeProgram: (_, source) => `\`\`\`python\n${source.trim()}\n\`\`\``,
  writeSuite: (problem, cases) =>
    `\`\`\`\n${cases.map((testCase) => testText(problem, testCase)).join("\n")}\n\`\`\``,
};

function testText(problem: Problem, testCase: TestCase): string {
  return testCase.style === "function"
    ? assertText(testCase, problem.entryPoint ?? "")
    : JSON.stringify({ input: testCase.input, output: testCase.expected });
}

function messages(prompt: { system: string; user: string }): RolePrompt {
  return {
    kind: "messages",
    messages: [
      { role: "system", content: prompt.system },
      { role: "user", content: prompt.user },
    ],
  };
}
