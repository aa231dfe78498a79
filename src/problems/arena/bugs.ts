/**
 * The ways in which a right arena program goes subtly wrong: each bug is one changed part. A mutation that no
 * input of the pool can tell from the original is not offered, so a planted bug is never an equivalent program.
 */
import { compileProgram, sameAnswer } from "./evaluate.ts";
import { inputPool } from "./inputs.ts";
import {
  arithmetic,
  type Comparator,
  type Expression,
  type Finish,
  type FinishKind,
  item,
  number,
  type Program,
  type Source,
  wholeInput,
} from "./program.ts";
import { choose, type Random } from "./random.ts";
import { type Family, oppositeOf, renderBody } from "./render-python.ts";

export const bugKinds = [
  "boundary",
  "off-by-one bound",
  "wrong direction",
  "dropped filter",
  "filter after change",
  "wrong slice",
  "repeats",
  "dropped change",
  "wrong change",
  "wrong reduction",
  "wrong order",
  "wrong fallback",
  "no fallback",
  "input sorted",
  "input mutated in the loop",
] as const;
export type BugKind = (typeof bugKinds)[number];

export interface Mutation {
  readonly kind: BugKind;
  readonly program: Program;
}

export interface Bug extends Mutation {
  /** For each input of the pool, whether the answer on it is wrong. */
  readonly reveals: readonly boolean[];
}

/** All bugs of a right program, each with an answer that differs from the program's on some input of the pool. */
export function bugsOf(program: Program, family: Family): readonly Bug[] {
  const pool = inputPool(family);
  const right = compileProgram(program);
  const rightAnswers = pool.map(right);
  const seen = new Set([renderBody(program, "function")]);
  const bugs: Bug[] = [];
  for (const mutation of mutationsOf(program, family)) {
    const written = renderBody(mutation.program, "function");
    if (seen.has(written)) continue;
    seen.add(written);
    const wrong = compileProgram(mutation.program);
    const reveals = pool.map((input, index) => !sameAnswer(wrong(input), rightAnswers[index]!));
    if (reveals.includes(true)) bugs.push({ ...mutation, reveals });
  }
  return bugs;
}

/** Bugs that nearly any test reveals. Real ones are mostly of the other sort, so these are drawn less often. */
const crudeKinds: ReadonlySet<BugKind> = new Set([
  "wrong direction",
  "dropped filter",
  "dropped change",
  "wrong change",
]);

/** First the kind, then the bug: kinds with many variants shall not crowd out the others. */
export function chooseBug(random: Random, bugs: readonly Bug[]): Bug {
  const kinds = [...new Set(bugs.map((bug) => bug.kind))];
  const kind = choose(
    random,
    kinds.flatMap((each) => (crudeKinds.has(each) ? [each] : [each, each, each])),
  );
  return choose(
    random,
    bugs.filter((bug) => bug.kind === kind),
  );
}

function mutationsOf(program: Program, family: Family): Mutation[] {
  const bugs: Mutation[] = [];
  const plant = (kind: BugKind, changed: Partial<Program>) =>
    bugs.push({ kind, program: { ...program, ...changed } });

  for (const [kind, filter] of filterMutations(program)) plant(kind, { filter });
  for (const source of sourceMutations(program.source))
    plant(program.source.kind === "distinct" ? "repeats" : "wrong slice", { source });
  if (program.change !== item) plant("dropped change", { change: item });
  for (const change of changeMutations(program.change)) plant("wrong change", { change });
  for (const [kind, finish] of finishMutations(program.finish, family)) plant(kind, { finish });
  if (family === "numbers") plant("input sorted", { preparation: "sort-input" });
  const looksAtItemAlone = program.filter?.kind === "compare" && !mentionsOthers(program.filter);
  if (family === "numbers" && program.source === wholeInput && looksAtItemAlone)
    plant("input mutated in the loop", { preparation: "remove-in-place" });
  return bugs;
}

const boundarySlip: Partial<Record<Comparator, Comparator>> = { ">": ">=", ">=": ">", "<": "<=", "<=": "<" };
const turned: Readonly<Record<Comparator, Comparator>> = {
  ...oppositeOf,
  ">": "<",
  ">=": "<=",
  "<": ">",
  "<=": ">=",
};

function* filterMutations({ filter, change }: Program): Generator<[BugKind, Expression | undefined]> {
  if (filter?.kind !== "compare") return;
  const slipped = boundarySlip[filter.operator];
  if (slipped) yield ["boundary", { ...filter, operator: slipped }];
  if (filter.right.kind === "number") {
    // Remainders and counts are never negative: nobody writes `x%2==-1`.
    const least = filter.left === item ? Number.NEGATIVE_INFINITY : 0;
    for (const bound of [filter.right.value + 1, filter.right.value - 1])
      if (bound >= least) yield ["off-by-one bound", { ...filter, right: number(bound) }];
  }
  yield ["wrong direction", { ...filter, operator: turned[filter.operator] }];
  yield ["dropped filter", undefined];
  if (filter.left === item && change !== item) yield ["filter after change", { ...filter, left: change }];
}

function sourceMutations(source: Source): Source[] {
  switch (source.kind) {
    case "slice":
      return sliceMutations(source);
    case "distinct":
      return [wholeInput, { kind: "sorted-distinct" }];
    case "neighbours":
    case "sorted-distinct":
      return [];
  }
}

function sliceMutations(range: Extract<Source, { kind: "slice" }>): Source[] {
  if (range === wholeInput) return [];
  if (range.step !== undefined) {
    return [
      { ...range, start: range.start === undefined ? 1 : undefined },
      { ...range, step: range.step + 1 },
    ];
  }
  const moved = (by: number): Source => ({
    kind: "slice",
    start: range.start === undefined ? undefined : range.start + by,
    stop: range.stop === undefined ? undefined : range.stop + by,
    step: undefined,
  });
  const negated: Source = {
    kind: "slice",
    start: range.start === undefined ? undefined : -range.start,
    stop: range.stop === undefined ? undefined : -range.stop,
    step: undefined,
  };
  return [moved(1), moved(-1), negated, wholeInput].filter(
    // `a[0:]` and `a[:0]` are not slips that anybody makes.
    (source) => source.kind !== "slice" || (source.start !== 0 && source.stop !== 0),
  );
}

function changeMutations(change: Expression): Expression[] {
  if (change.kind === "absolute") return [{ kind: "negated", operand: change.operand }];
  if (change.kind !== "arithmetic") return [];
  if (change.left === change.right) return [arithmetic(item, "*", number(2))];
  if (change.right.kind !== "number") return [];
  switch (change.operator) {
    case "+":
      return [arithmetic(item, "-", change.right)];
    case "-":
      return [arithmetic(item, "+", change.right)];
    case "*":
      return [arithmetic(item, "*", number(change.right.value + 1))];
    case "//":
      return [{ kind: "truncated-half", operand: item }];
    case "%":
      return [arithmetic(item, "%", number(change.right.value - 1)), arithmetic(item, "//", change.right)];
  }
}

const otherReduction: Partial<Record<FinishKind, FinishKind>> = {
  sum: "count",
  largest: "smallest",
  smallest: "largest",
  first: "last",
  last: "first",
  "distinct-count": "count",
};

const otherOrders: Partial<Record<FinishKind, readonly FinishKind[]>> = {
  list: ["reversed-list"],
  "sorted-list": ["list", "sort-in-place"],
  "reversed-list": ["list", "sorted-list"],
  joined: ["reversed-joined"],
  "sorted-joined": ["joined"],
  "reversed-joined": ["joined", "sorted-joined"],
};

const wrongFallback: ReadonlyMap<number | string, number | string> = new Map<
  number | string,
  number | string
>([
  [0, -1],
  [-1, 0],
  ["-", "*"],
  ["*", "-"],
]);

function* finishMutations(finish: Finish, family: Family): Generator<[BugKind, Finish]> {
  const insteadOfCount = family === "numbers" ? "sum" : "distinct-count";
  const other = finish.kind === "count" ? insteadOfCount : otherReduction[finish.kind];
  if (other) yield ["wrong reduction", { ...finish, kind: other }];
  for (const kind of otherOrders[finish.kind] ?? []) yield ["wrong order", { ...finish, kind }];
  if (finish.fallback === undefined) return;
  yield ["no fallback", { ...finish, fallback: undefined }];
  const wrong = wrongFallback.get(finish.fallback) ?? "";
  yield ["wrong fallback", { ...finish, fallback: wrong }];
}

function mentionsOthers(expression: Expression): boolean {
  switch (expression.kind) {
    case "name":
      return expression.name === "y";
    case "occurrences":
      return true;
    case "arithmetic":
    case "compare":
      return mentionsOthers(expression.left) || mentionsOthers(expression.right);
    default:
      return false;
  }
}
