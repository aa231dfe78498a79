/** Wrong programs for arena problems, one each, the same ones every time: what a tester is measured against. */
import type { Problem } from "../problem.ts";
import { type ArenaOptions, arenaProblems, selectTasks } from "./arena.ts";
import { bugsOf, chooseBug } from "./bugs.ts";
import { seededRandom } from "./random.ts";
import { renderProgram } from "./render-python.ts";

export function wrongPrograms(options: ArenaOptions): { problem: Problem; source: string }[] {
  const problems = arenaProblems(options);
  return selectTasks(options).map((task, index) => {
    const random = seededRandom(`wrong program for ${task.slug}`);
    const bugs = bugsOf(task.program, task.family);
    const bug = chooseBug(random, bugs);
    const source = renderProgram(bug.program, options.style ?? "function", task.family);
    return { problem: problems[index]!, source };
  });
}
