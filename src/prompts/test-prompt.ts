/**
 * What the test role sees. White-box: the question and a candidate's code, which is called buggy whether it is or not;
 * never the reference, the mistake book or a result. Black-box: the question only (self-play). The full form has
 * Code-A1's sections (role, task, three points of strategy, context, output format); the short form is one paragraph,
 * as used for supervised cold starts.
 */
import type { Problem } from "../problems/problem.ts";
import { embed } from "./embed.ts";
import { describeEntryPoint } from "./entry-point.ts";
import { type Prompt, sections } from "./prompt.ts";

export interface TestPromptOptions {
  readonly problem: Pick<Problem, "question" | "style" | "entryPoint">;
  readonly view: { readonly kind: "white-box"; readonly candidate: string } | { readonly kind: "black-box" };
  readonly form: "full" | "short";
  /** How many tests are asked for: Code-A1's K, 8 by default there. */
  readonly tests: number;
}

const system = "You are an assistant that writes test cases for Python programs.";

export function testPrompt(options: TestPromptOptions): Prompt {
  return { system, user: options.form === "full" ? fullMessage(options) : shortMessage(options) };
}

function fullMessage(options: TestPromptOptions): string {
  const { problem, view, tests } = options;
  const subject = subjectOf(problem);
  const role =
    view.kind === "white-box"
      ? "You are a tester who breaks programs. Look for inputs on which the `Buggy Code` behaves differently from what the `Question` demands."
      : "You are a tester who breaks programs. Look for inputs on which a plausible but wrong solution of the `Question` would be found out.";
  const source =
    view.kind === "white-box"
      ? "the `Buggy Code`, with the answers that the `Question` demands"
      : "a solution of the `Question`";
  return sections(
    `# Role\n${role}`,
    `# Task\nWrite ${count(tests)} for ${subject} in ${source}.`,
    `# Strategy\n${strategy(view.kind)}`,
    `# Context\n${context(options)}`,
    `# Output format\n${outputFormat(problem, tests)}`,
  );
}

function strategy(view: "white-box" | "black-box"): string {
  const gaps =
    view === "white-box"
      ? "Aim at gaps in the logic: constraints that the code forgets, rules that it misreads, cases that it makes too simple."
      : "Aim at gaps in the logic: constraints that are easily forgotten, rules that are easily misread, cases that are easily made too simple.";
  return [
    `1. ${gaps}`,
    "2. Prefer demanding inputs: values at the boundaries, nested structures, conditions that work together, branches that are rarely taken.",
    "3. Do not repeat yourself: every test must check something that no other test checks. Only the first tests are used, so put the strongest ones first.",
  ].join("\n");
}

function context({ problem, view }: TestPromptOptions): string {
  const question = `Question:\n${embed(problem.question, "text")}`;
  return view.kind === "white-box"
    ? sections(question, `Buggy Code:\n${embed(view.candidate, "python")}`)
    : question;
}

function outputFormat(problem: TestPromptOptions["problem"], tests: number): string {
  return problem.style === "function"
    ? `Write all ${tests} asserts into a single \`\`\`python code block, one per line, each of the form \`assert ${problem.entryPoint}(arguments) == answer\`. Write arguments and answer as literal values: no variables, no computations, no other functions.`
    : `Write all ${tests} tests into a single \`\`\`json code block that holds a list of objects of the form \`{"input": "what the program reads", "output": "what it must print"}\`, both as text.`;
}

function shortMessage(options: TestPromptOptions): string {
  const { problem, view, tests } = options;
  const subject = subjectOf(problem);
  const against = view.kind === "white-box" ? " that the buggy code below is likely to fail" : "";
  const format =
    problem.style === "function"
      ? `Write each as \`assert ${problem.entryPoint}(arguments) == answer\` with literal values, one per line, and write nothing else.`
      : 'Write each as a JSON object `{"input": "…", "output": "…"}`, one per line, and write nothing else.';
  return sections(
    `Write ${count(tests)} for ${subject} according to the question below${against}. ${format}`,
    context(options),
  );
}

function subjectOf(problem: TestPromptOptions["problem"]): string {
  return problem.style === "function" ? describeEntryPoint(problem.entryPoint ?? "") : "the program";
}

function count(tests: number): string {
  return tests === 1 ? "1 test case" : `${tests} test cases`;
}
