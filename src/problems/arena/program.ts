/**
 * An arena program as data: what the generator composes, the renderer writes as Python and the evaluator runs.
 * Every program has the same shape,
 *
 *     <preparation>
 *     b=[<change> for x in <source> if <filter>]
 *     <finish of b>
 *
 * so that a planted bug is one changed part, and a held-out problem is a new combination of known parts.
 * `a` is the input (a list of integers or a string), `x` the current item, `y` the item before it.
 */

export type Expression =
  | { readonly kind: "name"; readonly name: "x" | "y" }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  | {
      readonly kind: "arithmetic";
      readonly operator: Arithmetic;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "compare";
      readonly operator: Comparator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "negated"; readonly operand: Expression }
  | { readonly kind: "absolute"; readonly operand: Expression }
  /** `x.upper()` */
  | { readonly kind: "upper"; readonly operand: Expression }
  /** `a.count(x)` */
  | { readonly kind: "occurrences"; readonly operand: Expression }
  /** `int(x/2)`, which rounds towards zero where `x//2` rounds down. */
  | { readonly kind: "truncated-half"; readonly operand: Expression };

export type Arithmetic = "+" | "-" | "*" | "//" | "%";
export type Comparator = ">" | ">=" | "<" | "<=" | "==" | "!=" | "in" | "not in";

/** What the comprehension walks over. */
export type Source =
  | {
      readonly kind: "slice";
      readonly start: number | undefined;
      readonly stop: number | undefined;
      readonly step: number | undefined;
    }
  /** `dict.fromkeys(a)`: first appearances, in order. */
  | { readonly kind: "distinct" }
  /** `zip(a[1:],a)`: each item from the second on, with the one before it. */
  | { readonly kind: "neighbours" }
  /** `sorted(set(a))`: no repeats either, but the order is lost. */
  | { readonly kind: "sorted-distinct" };

export type FinishKind =
  | "sum"
  | "count"
  | "distinct-count"
  | "largest"
  | "smallest"
  | "first"
  | "last"
  | "list"
  | "sorted-list"
  | "reversed-list"
  | "joined"
  | "sorted-joined"
  | "reversed-joined"
  /** `b.sort()` as an answer: sorts in place and gives None. */
  | "sort-in-place";

export interface Finish {
  readonly kind: FinishKind;
  /** The answer when nothing is left; undefined where the program would raise, or where emptiness is no case. */
  readonly fallback: number | string | undefined;
}

/**
 * What the program does to its input first. A right program does nothing; both of these are ways of going wrong:
 * `sort-input` loses the order of `a`, `remove-in-place` takes items out of `a` while walking over it, which
 * skips the neighbour of each item taken out.
 */
export type Preparation = "none" | "sort-input" | "remove-in-place";

export interface Program {
  readonly preparation: Preparation;
  readonly source: Source;
  readonly filter: Expression | undefined;
  readonly change: Expression;
  readonly finish: Finish;
}

/** Answers and inputs as plain JavaScript values; null is Python's None. */
export type ArenaValue = number | string | null | readonly ArenaValue[];
export type ArenaInput = readonly number[] | string;

export const item: Expression = { kind: "name", name: "x" };
export const itemBefore: Expression = { kind: "name", name: "y" };
export const wholeInput: Source = { kind: "slice", start: undefined, stop: undefined, step: undefined };

export function number(value: number): Expression {
  return { kind: "number", value };
}

export function text(value: string): Expression {
  return { kind: "text", value };
}

export function compare(left: Expression, operator: Comparator, right: Expression): Expression {
  return { kind: "compare", operator, left, right };
}

export function arithmetic(left: Expression, operator: Arithmetic, right: Expression): Expression {
  return { kind: "arithmetic", operator, left, right };
}
