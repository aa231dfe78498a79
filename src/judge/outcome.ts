/**
 * What a case says about a program. Never a boolean: a program's failure, a test's failure and our own failure
 * must not be confused. Only `infrastructure` is retried, and it is masked from every statistic and reward.
 */
import type { ProgramError } from "../sandbox/sandbox.ts";

export type Outcome =
  | { readonly kind: "passed"; readonly actual: string }
  | { readonly kind: "wrong-answer"; readonly actual: string }
  | { readonly kind: "raised"; readonly error: ProgramError }
  | { readonly kind: "timed-out"; readonly limit: "cpu" | "wall" | "program" }
  | { readonly kind: "out-of-memory" }
  | { readonly kind: "output-flood" }
  | { readonly kind: "did-not-load"; readonly error: ProgramError }
  | { readonly kind: "infrastructure"; readonly message: string };

export const outcomeKinds = [
  "passed",
  "wrong-answer",
  "raised",
  "timed-out",
  "out-of-memory",
  "output-flood",
  "did-not-load",
  "infrastructure",
] as const satisfies readonly Outcome["kind"][];
