/** A test case as the text that the plain problem format and prompts use. */
import { literalText } from "../values/literal-text.ts";
import type { Call } from "../values/python-value.ts";
import type { FunctionCase, TestCase } from "./problem.ts";

/**
 * The assert that `parseTestStatement` reads back as the same case.
 *
 * @example
 * assertText({ style: "function", call: { args: [one, two], keywords: {} }, expected: three }, "add");
 * // "assert add(1, 2) == 3"
 */
export function assertText({ call, expected }: FunctionCase, entryPoint: string): string {
  return `assert ${callText(call, entryPoint)} == ${literalText(expected)}`;
}

function callText(call: Call, entryPoint: string): string {
  const args = call.args.map(literalText);
  const keywords = Object.entries(call.keywords).map(([name, value]) => `${name}=${literalText(value)}`);
  return `${entryPoint}(${[...args, ...keywords].join(", ")})`;
}

/** For people: an assert, or the input with its output. */
export function describeTest(testCase: TestCase, entryPoint: string | undefined): string {
  return testCase.style === "function"
    ? assertText(testCase, entryPoint ?? "")
    : `${JSON.stringify(testCase.input)} → ${JSON.stringify(testCase.expected)}`;
}
