/**
 * What ATGEN's generator sees: the problem and a wrong program; it answers with one test (parse-atgen.ts). The
 * published text names the content (think first; a valid input, the output of a correct program, a failure of the
 * wrong one) but not the words: these are ours.
 */
import type { Problem } from "../problems/problem.ts";
import { embed } from "./embed.ts";
import { describeEntryPoint } from "./entry-point.ts";
import { type Prompt, sections } from "./prompt.ts";

export interface AtgenPromptOptions {
  readonly problem: Pick<Problem, "question" | "style" | "entryPoint">;
  /** The program to be attacked. */
  readonly buggyCode: string;
}

export function atgenPrompt({ problem, buggyCode }: AtgenPromptOptions): Prompt {
  return {
    system:
      "You are an experienced software tester. You first reason about a program step by step, and then give one test case that reveals its mistake.",
    user: sections(
      `Problem:\n${embed(problem.question, "text")}`,
      howItRuns(problem),
      `The following program is meant to solve the problem, but it is wrong:\n${embed(buggyCode, "python")}`,
      [
        "Find one test case such that",
        "1. its input is valid: it keeps to every constraint of the problem;",
        "2. its output is exactly what a correct program gives for this input;",
        "3. the program above fails on it: it gives a different output or ends with an error.",
      ].join("\n"),
      `Reason inside <think> and </think>: what the program does wrong, which input shows it, and what the right output is. Then give the test case inside <answer> and </answer>, and write nothing after it:\n${answerForm(problem)}`,
    ),
  };
}

function howItRuns(problem: AtgenPromptOptions["problem"]): string {
  return problem.style === "function"
    ? `The solution is ${describeEntryPoint(problem.entryPoint ?? "")}; a test case is one call of it with its answer.`
    : "The solution is a program that reads from standard input and prints to standard output; a test case is one input with its output.";
}

function answerForm(problem: AtgenPromptOptions["problem"]): string {
  return problem.style === "function"
    ? `<think>…</think><answer>assert ${problem.entryPoint}(arguments) == answer</answer>\nwith literal values as arguments and answer.`
    : '<think>…</think><answer>{"input": "…", "output": "…"}</answer>\nwith both texts as JSON strings.';
}
