/**
 * The arena: about 2,700 small Python problems made from parts, on which two tiny character-level models can
 * really learn by reinforcement in minutes on a CPU. Every problem asks for items to be picked from a short list of
 * integers (or from a word), each changed, and the rest brought together:
 *
 *     largest of values at least 3, doubled; 0 if none
 *     reversed text of letters seen once, in capitals
 *
 * What goes wrong in such programs is what goes wrong in real ones: boundaries, empty input, sign, order, off by
 * one, the wrong reduction, the input changed while it is read (bugs.ts has the catalogue).
 *
 * Each problem has a reference of three short lines, at least ten gold tests that reveal every catalogued bug, and
 * a fixed side: `train` (88 %) or `held-out` (12 %), decided by a hash of its question. A held-out problem is a new
 * combination of parts that all occur in training. The same problems exist as functions `f(a)` and as scripts that
 * read one line. Nothing here is random: the arena is the same on every machine.
 *
 * The text that tiny models see is in dialect.ts, supervised data for their warm start in supervised-data.ts.
 *
 * @example
 * const problems = arenaProblems({ split: "train", difficulties: ["easy", "medium"], limit: 200 });
 */
import { exactComparison } from "../../values/compare.ts";
import type { Problem } from "../problem.ts";
import type { Statement } from "./dialect.ts";
import { goldCases } from "./gold-tests.ts";
import { type ArenaStyle, entryPoint, renderProgram } from "./render-python.ts";
import { type ArenaTask, arenaTasks, type Difficulty, type Split } from "./tasks.ts";
import { testCase } from "./test-case.ts";

export interface ArenaOptions {
  readonly split: Split;
  readonly style?: ArenaStyle;
  /** Default: all three. */
  readonly difficulties?: readonly Difficulty[];
  /** Default: lists of integers and words. */
  readonly families?: readonly ArenaTask["family"][];
  /** At most this many problems. They are in a fixed mixed order, so any prefix is a fair sample. */
  readonly limit?: number;
}

export function arenaProblems(options: ArenaOptions): Problem[] {
  const style = options.style ?? "function";
  return selectTasks(options).map((task) => problemOf(task, style));
}

export function selectTasks(options: Omit<ArenaOptions, "style">): ArenaTask[] {
  const { split, difficulties, families, limit } = options;
  return arenaTasks()
    .filter(
      (task) =>
        task.split === split &&
        (difficulties === undefined || difficulties.includes(task.difficulty)) &&
        (families === undefined || families.includes(task.family)),
    )
    .slice(0, limit);
}

/** What prompts need of a task, without the work of making its gold tests. */
export function statementOf(task: ArenaTask, style: ArenaStyle): Statement {
  return {
    question: task.question,
    style,
    metadata: { source: "arena", family: task.family, split: task.split },
  };
}

function problemOf(task: ArenaTask, style: ArenaStyle): Problem {
  return {
    ...statementOf(task, style),
    id: style === "function" ? `arena/${task.slug}` : `arena-stdio/${task.slug}`,
    entryPoint: style === "function" ? entryPoint : undefined,
    reference: renderProgram(task.program, style, task.family),
    goldTests: goldCases(task).map((goldCase) => testCase(goldCase, style)),
    difficulty: task.difficulty,
    comparison: exactComparison,
  };
}
