/** A test case as the text that the plain problem format and prompts use. */
import { literalText, shortLiteralText } from "../values/literal-text.ts";
import type { Call, PythonValue } from "../values/python-value.ts";
import type { FunctionCase } from "./problem.ts";

/**
 * The assert that `parseTestStatement` reads back as the same case.
 *
 * @example
 * assertText({ style: "function", call: { args: [one, two], keywords: {} }, expected: three }, "add");
 * // "assert add(1, 2) == 3"
 */
export function assertText({ call, expected }: FunctionCase, entryPoint: string): string {
  return `assert ${callText(call, entryPoint, literalText)} == ${literalText(expected)}`;
}

/** The same for people: long values are cut. */
export function shortAssertText({ call, expected }: FunctionCase, entryPoint: string): string {
  return `assert ${callText(call, entryPoint, shortLiteralText)} == ${shortLiteralText(expected)}`;
}

function callText(call: Call, entryPoint: string, write: (value: PythonValue) => string): string {
  const args = call.args.map((value) => write(value));
  const keywords = Object.entries(call.keywords).map(([name, value]) => `${name}=${write(value)}`);
  return `${entryPoint}(${[...args, ...keywords].join(", ")})`;
}
