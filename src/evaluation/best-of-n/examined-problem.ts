/** What is known of one problem once everything has been run: only numbers, so that any choice can be replayed. */
import type { NumberedTest } from "./question-book.ts";

export interface ExaminedProblem {
  readonly id: string;
  /** The program of each candidate, in the order sampled; identical candidates are one program. */
  readonly candidates: readonly number[];
  /** Generated tests in the order given. */
  readonly tests: readonly OwnedTest[];
  /** Tests that whoever solves the problem is shown; empty where there are none. */
  readonly publicTests: readonly NumberedTest[];
  /** By program and question; see question-book.ts for the negative numbers. */
  readonly answers: readonly (readonly number[])[];
  /** By program: whether it passes all gold tests. */
  readonly gold: readonly GoldVerdict[];
  /** Why the problem's own reference fails its gold tests; no program is run then. */
  readonly referenceFault?: string;
}

export interface OwnedTest extends NumberedTest {
  /** The candidate that the test was written for; null for a test of the problem at large. */
  readonly candidate: number | null;
}

/** `lost`: our own infrastructure failed, nothing is known. */
export type GoldVerdict = "right" | "wrong" | "lost";

/** What (N, k) leaves of the samples: the first N candidates, and of each of them the first k tests. */
export interface Budget {
  readonly n: number;
  /** Of the tests of the problem at large the first k as well. */
  readonly k: number;
}

/** The tests within a budget, in order. */
export function testsWithin<Test extends Pick<OwnedTest, "candidate">>(
  { tests }: { readonly tests: readonly Test[] },
  { n, k }: Budget,
): Test[] {
  const taken = new Map<number | null, number>();
  return tests.filter(({ candidate }) => {
    if (candidate !== null && candidate >= n) return false;
    const before = taken.get(candidate) ?? 0;
    taken.set(candidate, before + 1);
    return before < k;
  });
}
