/** Short ways to run programs in tests. */

import type { PythonValue } from "../../values/python-value.ts";
import { defaultLimits, type Limits } from "../limits.ts";
import type { ProgramJob, RunOptions, Sandbox, SandboxReport } from "../sandbox.ts";

export const int = (value: number): PythonValue => ({ type: "int", value: BigInt(value) });
export const text = (value: string): PythonValue => ({ type: "str", value });

/** Small enough that a test of a limit does not take long. */
export const testLimits: Limits = {
  ...defaultLimits,
  caseCpuSeconds: 0.5,
  caseWallSeconds: 20,
  memoryBytes: 64 * 1024 * 1024,
  outputBytes: 100_000,
  valueBytes: 100_000,
};

export interface Extras extends RunOptions {
  readonly limits?: Partial<Limits>;
}

export function functionJob(source: string, args: readonly (readonly PythonValue[])[]): ProgramJob {
  const calls = args.map((values) => ({ args: values, keywords: {} }));
  return { source, work: { style: "function", entryPoint: "f", calls }, limits: testLimits };
}

/** Calls `f` once for each list of arguments; once without any unless said. */
export function runFunction(
  sandbox: Sandbox,
  source: string,
  args: readonly (readonly PythonValue[])[] = [[]],
  { limits = {}, ...options }: Extras = {},
): Promise<SandboxReport> {
  const job = functionJob(source, args);
  return sandbox.run({ ...job, limits: { ...testLimits, ...limits } }, options);
}

export function runStdio(
  sandbox: Sandbox,
  source: string,
  inputs: readonly string[] = [""],
  { limits = {}, ...options }: Extras = {},
): Promise<SandboxReport> {
  const job: ProgramJob = { source, work: { style: "stdio", inputs }, limits: { ...testLimits, ...limits } };
  return sandbox.run(job, options);
}

/** The text that `f()` returned, or what else happened, as text. Imports take a while, so it has time. */
export async function answerOf(sandbox: Sandbox, source: string): Promise<string> {
  const { observations } = await runFunction(sandbox, source, [[]], { limits: { caseCpuSeconds: 5 } });
  const observation = observations[0]!;
  if (observation.kind === "returned" && observation.value.type === "str") return observation.value.value;
  if (observation.kind === "raised" || observation.kind === "did-not-load") return observation.error.type;
  return observation.kind;
}
