/**
 * What the instruction-based adversary of ATGEN's ablation sees: the problem, tests to pass, and the order to be wrong
 * elsewhere. Cheaper than waiting for natural mistakes, and less like them.
 */
import type { Problem } from "../problems/problem.ts";
import { embed } from "./embed.ts";
import { describeEntryPoint } from "./entry-point.ts";
import { type Prompt, sections } from "./prompt.ts";

export function instructedPrompt(options: {
  problem: Pick<Problem, "question" | "style" | "entryPoint">;
  /** As text, with the right answers. */
  tests: readonly string[];
}): Prompt {
  const { problem, tests } = options;
  const form =
    problem.style === "function"
      ? `The solution is ${describeEntryPoint(problem.entryPoint ?? "")}.`
      : "The solution is a program that reads from standard input and prints to standard output.";
  return {
    system: "You write Python programs with subtle mistakes, to train software testers.",
    user: sections(
      `Problem:\n${embed(problem.question, "text")}`,
      form,
      `Tests that the program has to pass:\n${embed(tests.join("\n"), "text")}`,
      "Write a program that passes all of these tests and still is wrong: on some other valid input its answer must differ from the right one. The mistake should be one that a programmer could make by accident. Put the whole program into a single ```python code block, and write nothing outside of it.",
    ),
  };
}
