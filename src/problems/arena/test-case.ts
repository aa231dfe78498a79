/** An arena case as the test case that the judge runs: a call of `f`, or a line of input and the line printed. */
import type { PythonValue } from "../../values/python-value.ts";
import type { TestCase } from "../problem.ts";
import type { ArenaValue } from "./program.ts";
import type { ArenaStyle } from "./render-python.ts";

export function testCase(
  { input, expected }: { readonly input: ArenaValue; readonly expected: ArenaValue },
  style: ArenaStyle,
): TestCase {
  return style === "function"
    ? { style, call: { args: [pythonValue(input)], keywords: {} }, expected: pythonValue(expected) }
    : { style, input: `${printed(input)}\n`, expected: `${printed(expected)}\n` };
}

function pythonValue(value: ArenaValue): PythonValue {
  if (value === null) return { type: "none" };
  if (typeof value === "number") return { type: "int", value: BigInt(value) };
  if (typeof value === "string") return { type: "str", value };
  return { type: "list", items: value.map(pythonValue) };
}

/** As `print` writes a number or text, and `print(*items)` a list. */
function printed(value: ArenaValue): string {
  if (value === null) return "None";
  return typeof value === "object" ? value.map(printed).join(" ") : String(value);
}
