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
import { atgenPrompt } from "./atgen-prompt.ts";
import { codePrompt } from "./code-prompt.ts";
import { extractCode } from "./extract-code.ts";
import { instructedPrompt } from "./instructed-prompt.ts";
import { parseAtgenReply } from "./parse-atgen.ts";
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

/** The one test of a reply, or why it is none. */
export type ReadTest =
  | { readonly ok: true; readonly case: TestCase }
  | { readonly ok: false; readonly reason: string };

export interface Dialect {
  readonly stopStrings: readonly string[];
  /** Where the reply to an attack prompt ends. */
  readonly attackStopStrings: readonly string[];
  codePrompt(problem: Problem): RolePrompt;
  /** Without a candidate the tester sees the question alone. */
  testPrompt(problem: Problem, options: { candidate?: string; tests: number }): RolePrompt;
  /** Any reply gives a program; whether it runs is for the sandbox to find out. */
  readProgram(problem: Problem, reply: string): string;
  readSuite(problem: Problem, reply: string): ReadSuite;
  /** ATGEN: the problem and a wrong program; the reply is one test that reveals the mistake. */
  attackPrompt(problem: Problem, buggy: string): RolePrompt;
  readAttack(problem: Problem, reply: string): ReadTest;
  /** ATGEN's ablation: asks for a program that passes the tests and is wrong. Only for models that take orders. */
  instructedPrompt?(problem: Problem, tests: readonly TestCase[]): RolePrompt;
  /** The replies that stand for a program and for tests, to learn from. */
  writeProgram(problem: Problem, source: string): string;
  writeSuite(problem: Problem, cases: readonly TestCase[]): string;
}

export const arenaDialect: Dialect = {
  stopStrings: [endMark],
  // A suite is one case a line, so its first line is one test. Tiny models do not think aloud.
  attackStopStrings: ["\n", endMark],
  codePrompt: (problem) => ({ kind: "text", text: arenaCodePrompt(problem) }),
  testPrompt: (problem, { candidate }) => ({
    kind: "text",
    text: candidate === undefined ? blackBoxTestPrompt(problem) : arenaTestPrompt(problem, candidate),
  }),
  readProgram: programOf,
  readSuite: casesOf,
  attackPrompt: (problem, buggy) => ({ kind: "text", text: arenaTestPrompt(problem, buggy) }),
  readAttack: (problem, reply) => onlyCase(casesOf(problem, reply)),
  // The first line is implied by the prompt.
  writeProgram: (_, source) => `${source.slice(source.indexOf("\n") + 1).trimEnd()}${endMark}`,
  writeSuite: (_, cases) => `${cases.flatMap(compactCase).join("\n")}${endMark}`,
};

function onlyCase({ cases, invalid }: ReadSuite): ReadTest {
  if (invalid[0]) return { ok: false, reason: invalid[0].reason };
  if (cases.length !== 1)
    return { ok: false, reason: `there are ${cases.length} tests where one was asked for` };
  return { ok: true, case: cases[0]! };
}

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
  attackStopStrings: [],
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
  attackPrompt: (problem, buggy) => messages(atgenPrompt({ problem, buggyCode: buggy })),
  readAttack: (problem, reply) => parseAtgenReply(reply, problem),
  instructedPrompt: (problem, tests) => {
    const written = tests.map((testCase) => testText(problem, testCase));
    return messages(instructedPrompt({ problem, tests: written }));
  },
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
