/** Wrong programs for arena problems, one each, the same ones every time: what a tester is measured against. */
import type { Problem } from "../problem.ts";
import { type ArenaOptions, arenaProblems, selectTasks } from "./arena.ts";
import { bugsOf } from "./bugs.ts";
import { choose, seededRandom } from "./random.ts";
import { renderProgram } from "./render-python.ts";

export function wrongPrograms(options: ArenaOptions): { problem: Problem; source: string }[] {
  const problems = arenaProblems(options);
  return selectTasks(options).flatMap((task, index) => {
    const random = seededRandom(`wrong program for ${task.slug}`);
    const bugs = bugsOf(task.program, task.family);
    if (bugs.length === 0) return [];
    // First the kind, then the bug: kinds with many variants shall not crowd out the others.
    const kind = choose(random, [...new Set(bugs.map((bug) => bug.kind))]);
    const bug = choose(
      random,
      bugs.filter((candidate) => candidate.kind === kind),
    );
    const source = renderProgram(bug.program, options.style ?? "function", task.family);
    return [{ problem: problems[index]!, source }];
  });
}
