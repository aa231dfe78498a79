/**
 * Pairs of the arena for ATGEN: each problem with several wrong programs, the same ones every time. Those of one
 * problem are written differently and differ from its reference on some gold test (gold-tests.ts sees to that). The
 * first is the one that wrongPrograms() gives.
 *
 * @example
 * const pairs = arenaPairs({ split: "held-out", perProblem: 3, limit: 100 });
 */
import type { AttackPair } from "../attack-pair.ts";
import { type ArenaOptions, arenaProblems, selectTasks } from "./arena.ts";
import { type Bug, bugsOf, chooseBug } from "./bugs.ts";
import { seededRandom } from "./random.ts";
import { renderProgram } from "./render-python.ts";

export interface ArenaPairOptions extends ArenaOptions {
  /** Wrong programs of each problem; a problem that has fewer bugs gives as many as it has. */
  readonly perProblem: number;
}

/** Problem by problem, in the arena's order. `limit` counts problems, as for the arena's other lists. */
export function arenaPairs(options: ArenaPairOptions): AttackPair[] {
  const problems = arenaProblems(options);
  return selectTasks(options).flatMap((task, index) => {
    const problem = problems[index]!;
    const random = seededRandom(`wrong program for ${task.slug}`);
    let left = bugsOf(task.program, task.family);
    const chosen: Bug[] = [];
    while (chosen.length < options.perProblem && left.length > 0) {
      const bug = chooseBug(random, left);
      chosen.push(bug);
      left = left.filter((other) => other !== bug);
    }
    return chosen.map(({ program }, place) => ({
      id: `${problem.id}#${place + 1}`,
      problem,
      buggy: renderProgram(program, options.style ?? "function", task.family),
    }));
  });
}
