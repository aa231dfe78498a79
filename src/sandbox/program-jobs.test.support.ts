/** Short ways to write jobs and values in tests. */
import type { PythonValue } from "../values/python-value.ts";
import { defaultLimits } from "./limits.ts";
import type { Observation, ProgramJob } from "./sandbox.ts";

export const int = (value: number): PythonValue => ({ type: "int", value: BigInt(value) });
export const text = (value: string): PythonValue => ({ type: "str", value });
export const returned = (value: PythonValue): Observation => ({ kind: "returned", value });

/** Calls the entry point, `f` unless said, once for each list of arguments. */
export function functionJob(
  source: string,
  args: readonly (readonly PythonValue[])[],
  entryPoint = "f",
): ProgramJob {
  const calls = args.map((values) => ({ args: values, keywords: {} }));
  return { source, work: { style: "function", entryPoint, calls }, limits: defaultLimits };
}

export function stdioJob(source: string, inputs: readonly string[]): ProgramJob {
  return { source, work: { style: "stdio", inputs }, limits: defaultLimits };
}
