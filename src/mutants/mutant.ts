/**
 * A mutant is a program with one small slip in it: the sort of mistake that a person or a model makes. Each operator is
 * one kind of slip; mutants-of.ts finds all places where each applies.
 *
 * Source: mutation testing as in DeMillo, Lipton and Sayward 1978, with operators chosen after the mistakes that
 * language models make in short programs (boundaries, empty cases, order, off by one, aliasing, misplaced returns).
 * Whether a mutant is really wrong, and not the same function in other words, only running it can tell.
 */

export const mutantOperators = [
  /** `<` for `<=`, `>` for `>=` and the reverse. */
  "comparison-boundary",
  /** `<` for `>`. */
  "comparison-direction",
  /** `==` for `!=`, `<` for `>=`, `in` for `not in`, `is` for `is not`. */
  "comparison-negation",
  /** `+` for `-`, `//` for `/`, `%` for `//` … */
  "arithmetic",
  /** `&` for `|`, `<<` for `>>` … */
  "bit-operation",
  /** `b - a` for `a - b`. */
  "swapped-operands",
  /** `x` for `x + 1`, `x % 7` or `x * 2`. */
  "dropped-constant",
  /** `x` for `-x`. */
  "dropped-sign",
  /** `and` for `or` and the reverse. */
  "boolean-connective",
  /** `a` or `b` for `a and b`. */
  "dropped-operand",
  /** `x` for `not x`, `not (x)` for a condition `x`. */
  "negated-condition",
  /** A condition that always or never holds. */
  "dropped-condition",
  /** A whole number one too large or too small. */
  "number-constant",
  /** True for False and the reverse. */
  "boolean-constant",
  /** Another letter, other capitals, nothing for something. */
  "string-constant",
  /** A default of a parameter, changed like a constant. */
  "default-value",
  /** A bound of a slice left out or one too far. */
  "slice-bound",
  /** `x[i - 1]` for `x[i]`. */
  "index-shift",
  /** `range` one longer or shorter, or from one. */
  "range-bound",
  /** `max` for `min`, `all` for `any`, `rstrip` for `lstrip` … */
  "swapped-function",
  /** `x` for `abs(x)`, `sorted(x)`, `x.copy()` … */
  "removed-call",
  /** `reverse` added or left out, `key` left out. */
  "sort-order",
  /** `f(b, a)` for `f(a, b)`. */
  "swapped-arguments",
  /** `-=` for `+=`, `=` for `+=` … */
  "augmented-assignment",
  /** `pass` for a statement. */
  "removed-statement",
  /** None, or the contrary, is returned. */
  "changed-return",
  /** `break` for `continue` and the reverse, or neither. */
  "loop-exit",
  /** A return that slipped into the loop before it, a statement that slipped out of its loop. */
  "moved-statement",
] as const;

export type MutantOperator = (typeof mutantOperators)[number];

export interface Mutant {
  /** The whole program. */
  readonly source: string;
  readonly operator: MutantOperator;
  /** The first line that differs, from 1. */
  readonly line: number;
  /** The lines that differ: as they were, and as they are now. */
  readonly before: string;
  readonly after: string;
}

/** A piece of text to be put in place of another. */
export interface Edit {
  readonly operator: MutantOperator;
  readonly from: number;
  readonly to: number;
  readonly text: string;
}
