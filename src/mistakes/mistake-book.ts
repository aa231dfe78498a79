/**
 * The Mistake Book (Code-A1 §5): tests that once broke a candidate, kept by problem and replayed when the problem
 * comes again.
 *
 *   replay     the `count` most frequent tests of the problem; ties keep the order in which they came
 *   decrease   by 1 for each loading candidate that passed a replayed test; at 0 the test is forgotten
 *   increase   by 1 for each occurrence of a test, over all candidates and suites, that failed on a loading candidate
 *
 * Decreases come before increases. Source: the official code. Deviations: a test is identified by the question it
 * asks and not by its text, and carries the reference's answer as a value, so odd values cannot poison it; a problem
 * keeps at most `mostPerProblem` tests, and the least frequent, oldest one makes room.
 *
 * Every operation touches one problem only: its cost does not grow with the book. The book itself is pure; it
 * returns its changes, and whoever keeps it writes them down.
 */
import { questionKey } from "../problems/case-codec.ts";
import type { TestCase } from "../problems/problem.ts";

export interface BookEntry {
  readonly testCase: TestCase;
  readonly frequency: number;
}

/** The new state of one test; frequency 0 means that it is gone. The case comes along when the test is new. */
export interface BookChange {
  readonly problemId: string;
  readonly key: string;
  readonly frequency: number;
  readonly testCase?: TestCase;
}

export interface BookUpdate {
  readonly problemId: string;
  /** Replayed tests, with how many loading candidates passed each. */
  readonly replays: readonly { readonly testCase: TestCase; readonly passes: number }[];
  /** One for each occurrence of a failed test, in a fixed order. The answers are the reference's. */
  readonly failures: readonly TestCase[];
}

export class MistakeBook {
  readonly #mostPerProblem: number;
  readonly #problems = new Map<string, Map<string, { testCase: TestCase; frequency: number }>>();
  #size = 0;

  constructor(options: { mostPerProblem: number }) {
    this.#mostPerProblem = options.mostPerProblem;
  }

  /** Tests in the book. */
  get size(): number {
    return this.#size;
  }

  replay(problemId: string, count: number): TestCase[] {
    return this.entries(problemId)
      .sort((left, right) => right.frequency - left.frequency)
      .slice(0, count)
      .map(({ testCase }) => testCase);
  }

  /** The tests of one problem, in the order in which they came. */
  entries(problemId: string): BookEntry[] {
    return [...(this.#problems.get(problemId)?.values() ?? [])];
  }

  update(update: BookUpdate): BookChange[] {
    const { problemId } = update;
    const changes: BookChange[] = [];
    /** Where a test's latest change stands; counting on replaces it, but never across its removal. */
    const places = new Map<string, number>();
    const record = (change: BookChange) => {
      this.apply(change);
      const place = places.get(change.key);
      if (change.frequency === 0 || place === undefined) {
        places.set(change.key, changes.length);
        changes.push(change);
        if (change.frequency === 0) places.delete(change.key);
      } else {
        changes[place] = { ...changes[place]!, frequency: change.frequency };
      }
    };
    for (const { testCase, passes } of update.replays) {
      const key = questionKey(testCase);
      const entry = this.#problems.get(problemId)?.get(key);
      if (entry && passes > 0) record({ problemId, key, frequency: Math.max(0, entry.frequency - passes) });
    }
    for (const testCase of update.failures) {
      const key = questionKey(testCase);
      const known = this.#problems.get(problemId)?.get(key);
      if (known) record({ problemId, key, frequency: known.frequency + 1 });
      else record({ problemId, key, frequency: 1, testCase });
    }
    for (const key of this.#surplus(problemId)) record({ problemId, key, frequency: 0 });
    return changes;
  }

  /** Brings one change about; how a book is read back from what was written down. */
  apply({ problemId, key, frequency, testCase }: BookChange): void {
    const tests = this.#problems.get(problemId) ?? new Map();
    const entry = tests.get(key);
    if (frequency <= 0) {
      if (tests.delete(key)) this.#size -= 1;
      if (tests.size === 0) this.#problems.delete(problemId);
      return;
    }
    if (entry) entry.frequency = frequency;
    else if (testCase) {
      tests.set(key, { testCase, frequency });
      this.#problems.set(problemId, tests);
      this.#size += 1;
    }
  }

  /** The whole book as changes that make it from nothing. */
  *changes(): Generator<BookChange> {
    for (const [problemId, tests] of this.#problems) {
      for (const [key, { testCase, frequency }] of tests) yield { problemId, key, frequency, testCase };
    }
  }

  #surplus(problemId: string): string[] {
    const tests = this.#problems.get(problemId);
    if (!tests || tests.size <= this.#mostPerProblem) return [];
    // A stable sort keeps the oldest first among equally frequent ones.
    return [...tests]
      .sort(([, left], [, right]) => left.frequency - right.frequency)
      .slice(0, tests.size - this.#mostPerProblem)
      .map(([key]) => key);
  }
}
