/**
 * Systematic mistakes. A learner does not only slip at random: it has also understood some things wrongly, and makes
 * the same mistake wherever they occur. Here: bounds that include their end are read as if they did not, −1 as the
 * answer for nothing becomes 0, and so on. Each belongs to one part of a question, so it shows in many problems, and
 * whoever unlearns it on some has unlearned it on all, held-out ones included.
 *
 * Random slips vanish when a model is sampled at a lower temperature; misconceptions do not.
 */
import { compare, number, type Program, type Source } from "./program.ts";
import type { ArenaTask } from "./tasks.ts";

export interface Misconception {
  readonly name: string;
  readonly concerns: (task: ArenaTask) => boolean;
  readonly apply: (program: Program) => Program;
}

export const misconceptions: readonly Misconception[] = [
  {
    name: "an inclusive bound is read as exclusive",
    concerns: ({ parts }) => / (at least|at most|up to|from) /.test(parts.pick),
    apply: (program) => {
      const { filter } = program;
      if (filter?.kind !== "compare") throw new Error("an inclusive bound is a comparison");
      return { ...program, filter: compare(filter.left, filter.operator === ">=" ? ">" : "<", filter.right) };
    },
  },
  {
    name: "the answer for nothing is the usual one",
    concerns: ({ program }) => program.finish.fallback === -1 || program.finish.fallback === "*",
    apply: (program) => ({
      ...program,
      finish: { ...program.finish, fallback: program.finish.fallback === -1 ? 0 : "-" },
    }),
  },
  {
    name: "halving rounds towards zero",
    concerns: ({ parts }) => parts.change === "floor-halved",
    apply: (program) =>
      program.change.kind === "arithmetic"
        ? { ...program, change: { kind: "truncated-half", operand: program.change.left } }
        : program,
  },
  {
    name: "places are counted from zero",
    concerns: ({ parts }) => /^(odd|even)-place /.test(parts.pick),
    apply: (program) => ({ ...program, source: shifted(program.source) }),
  },
  {
    name: "leaving out repeats sorts",
    concerns: ({ parts }) => parts.pick.endsWith("without repeats"),
    apply: (program) => ({ ...program, source: { kind: "sorted-distinct" } }),
  },
  {
    name: "more than once means more than twice",
    concerns: ({ parts }) => parts.pick.endsWith("seen more than once"),
    apply: (program) =>
      program.filter?.kind === "compare"
        ? { ...program, filter: { ...program.filter, right: number(2) } }
        : program,
  },
];

/** `a[::2]` and `a[1::2]` change places. */
function shifted(source: Source): Source {
  return source.kind === "slice" ? { ...source, start: source.start === undefined ? 1 : undefined } : source;
}
