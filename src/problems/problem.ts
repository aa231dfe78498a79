/** What a problem is, whichever file it came from. The plain format on disk is in read-problem.ts. */

import type { Limits } from "../limits.ts";
import type { Comparison } from "../values/compare.ts";
import type { Call, PythonValue } from "../values/python-value.ts";

export interface Problem {
  readonly id: string;
  readonly question: string;
  readonly style: "function" | "stdio";
  /** Name of the function to call; undefined for stdio problems. */
  readonly entryPoint: string | undefined;
  /** A program that solves it. Neither role ever sees it. */
  readonly reference: string;
  readonly goldTests: readonly TestCase[];
  /** Test code that does not come apart into cases; it is judged as one more case. */
  readonly check?: CheckProgram;
  readonly difficulty: string | undefined;
  /** How answers are compared. */
  readonly comparison: Comparison;
  /** Where a program for this problem may use more or less than others. */
  readonly limits?: Partial<Limits>;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Test code that is run instead of read. It never shares a process with the program it judges: the functions it calls
 * are stubs (judge/check-program.ts).
 */
export interface CheckProgram {
  /**
   * `check` defines `check(candidate)`, which fails by raising; `pytest` is a file of test functions; `script` fails
   * by raising while it runs.
   */
  readonly form: "check" | "pytest" | "script";
  readonly source: string;
  /** Python that the test code relies on; it is run before it. */
  readonly support?: string;
  /** Functions of the program, besides the entry point, that the test code calls by name. */
  readonly functions?: readonly string[];
}

/** A call with literal arguments and a literal answer, or an input with the output it must give. Nothing else. */
export type TestCase = FunctionCase | StdioCase;

export interface FunctionCase {
  readonly style: "function";
  readonly call: Call;
  readonly expected: PythonValue;
}

export interface StdioCase {
  readonly style: "stdio";
  readonly input: string;
  readonly expected: string;
}
