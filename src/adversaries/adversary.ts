/**
 * The port to whoever writes ever harder wrong programs. An adversary only proposes: whether a program is accepted
 * (it passes the tests at hand and still fails the gold tests) is decided by accept-program.ts, the same for all.
 */
import type { Problem, TestCase } from "../problems/problem.ts";

export interface Adversary {
  readonly kind: "sampling" | "instruction" | "mutation" | "bank";
  /** Programs for a problem in the order in which to try them; fewer than asked for where it has no more. */
  propose(request: AdversaryRequest): AsyncIterable<string>;
}

export interface AdversaryRequest {
  readonly problem: Problem;
  /** What the program has to pass, with the reference's answers. */
  readonly tests: readonly TestCase[];
  readonly most: number;
  /** Programs that are of no use even if they are accepted: known ones, or ones too long to be shown. */
  readonly unwanted?: (source: string) => boolean;
  /** Decides every draw: the same seed proposes the same programs. */
  readonly seed: number;
  readonly signal?: AbortSignal;
}
