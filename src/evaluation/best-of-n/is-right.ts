import { sameOutput } from "../../judge/same-output.ts";
import type { Problem, TestCase } from "../../problems/problem.ts";
import type { Observation } from "../../sandbox/sandbox.ts";
import { sameValue } from "../../values/compare.ts";

/** Whether what a program did with a test is what the test wants. */
export function isRight(observation: Observation, test: TestCase, { comparison }: Problem): boolean {
  if (observation.kind === "returned" && test.style === "function") {
    return sameValue(test.expected, observation.value, comparison);
  }
  return (
    observation.kind === "printed" &&
    test.style === "stdio" &&
    observation.exitCode === 0 &&
    sameOutput(test.expected, observation.stdout, comparison)
  );
}
