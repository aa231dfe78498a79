/**
 * The tests that whoever solves a problem is shown, so that choosing by them gives nothing away: `publicTests` in the
 * problem's metadata, or else what its question itself says as a doctest (`>>> add(1, 2)` with the answer on the next
 * line) or as a line that is an assert. Most problems have none or few.
 */
import { parseTestStatement } from "../prompts/parse-tests.ts";
import { questionKey } from "./case-codec.ts";
import { readTest } from "./plain-problem.ts";
import type { Problem, TestCase } from "./problem.ts";

/** Throws where the metadata holds a list of something else than tests. */
export function publicTests(problem: Problem): TestCase[] {
  const given = problem.metadata.publicTests;
  if (Array.isArray(given)) {
    return given.map((test: unknown, index) =>
      readTest(test, { ...problem, where: `problem '${problem.id}': metadata.publicTests[${index}]` }),
    );
  }
  if (problem.style === "stdio") return [];
  const entryPoint = problem.entryPoint ?? "";
  const shown = statementsIn(problem.question).flatMap((statement) => {
    const parsed = parseTestStatement(statement, entryPoint);
    return parsed.ok ? [parsed.case] : [];
  });
  return [...new Map(shown.map((test) => [questionKey(test), test])).values()];
}

const prompt = ">>>";

function statementsIn(question: string): string[] {
  const lines = question.split("\n").map((line) => line.trim());
  return lines.flatMap((line, index) => {
    if (line.startsWith("assert ")) return [line];
    if (!line.startsWith(prompt)) return [];
    const call = line.slice(prompt.length).trim();
    const answer = lines[index + 1] ?? "";
    return answer === "" || answer.startsWith(prompt) ? [] : [`assert ${call} == ${answer}`];
  });
}
