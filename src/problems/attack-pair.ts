/** A problem with a program that is known to fail some of its gold tests: what a test generator is to attack. */
import type { Problem } from "./problem.ts";

export interface AttackPair {
  /** Unique among the pairs of a set; one problem may occur with several wrong programs. */
  readonly id: string;
  readonly problem: Problem;
  readonly buggy: string;
}
