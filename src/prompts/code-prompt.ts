/**
 * What the code role sees: the question and how to answer. Same content as Code-A1's prompt (complete the function,
 * one Python block, nothing else; no reasoning is asked for), in our own words.
 */
import type { Problem } from "../problems/problem.ts";
import { embed } from "./embed.ts";
import { describeEntryPoint } from "./entry-point.ts";
import { type Prompt, sections } from "./prompt.ts";

export function codePrompt(problem: Pick<Problem, "question" | "style" | "entryPoint">): Prompt {
  const task =
    problem.style === "function"
      ? `Answer the question below by writing ${describeEntryPoint(problem.entryPoint ?? "")} in Python.`
      : "Answer the question below with a complete Python program that reads its input from standard input and prints its answer to standard output.";
  return {
    system: "You are an assistant that writes complete and correct Python code.",
    user: sections(
      `${task} Put all of the code, with every import and helper that it needs, into a single \`\`\`python code block, and write nothing outside of it.`,
      `Question:\n${embed(problem.question, "text")}`,
    ),
  };
}
