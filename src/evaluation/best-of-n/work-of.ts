import type { Problem, TestCase } from "../../problems/problem.ts";
import type { ProgramJob } from "../../sandbox/sandbox.ts";

/** What a program is asked, as a sandbox takes it. */
export function workOf(
  problem: Pick<Problem, "style" | "entryPoint">,
  cases: readonly TestCase[],
): ProgramJob["work"] {
  if (problem.style === "stdio") {
    return { style: "stdio", inputs: cases.flatMap((test) => (test.style === "stdio" ? [test.input] : [])) };
  }
  const calls = cases.flatMap((test) => (test.style === "function" ? [test.call] : []));
  return { style: "function", entryPoint: problem.entryPoint ?? "", calls };
}
