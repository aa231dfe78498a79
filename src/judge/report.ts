/** A verdict in the public JSON shape that other tools rely on. */
import type { TestCase } from "../problems/problem.ts";
import { assertText } from "../problems/test-text.ts";
import type { ProgramError } from "../sandbox/sandbox.ts";
import type { Verdict } from "./judge.ts";
import type { Outcome } from "./outcome.ts";

export interface VerdictReport {
  readonly loads: boolean;
  readonly cases: readonly CaseReport[];
  readonly passed: number;
  /** All cases; the ones lost to infrastructure are counted here too, and named in `cases`. */
  readonly total: number;
  readonly isolation: Verdict["isolation"];
  readonly integrity: Verdict["integrity"];
  readonly denied: number;
}

export interface CaseReport {
  /** A test as the plain format writes it, or "check" for the problem's check program. */
  readonly test: string | { readonly input: string; readonly output: string };
  readonly outcome: Outcome["kind"];
  /** What the program answered, as a Python literal or as the text it printed; cut if long. */
  readonly actual?: string;
  readonly error?: ProgramError;
  readonly message?: string;
}

export function verdictReport(
  verdict: Verdict,
  cases: readonly (TestCase | "check")[],
  entryPoint: string | undefined,
): VerdictReport {
  return {
    loads: verdict.loads,
    cases: cases.map((testCase, index) => ({
      test: testOf(testCase, entryPoint),
      ...caseOutcome(verdict.outcomes[index]!),
    })),
    passed: verdict.outcomes.filter(({ kind }) => kind === "passed").length,
    total: cases.length,
    isolation: verdict.isolation,
    integrity: verdict.integrity,
    denied: verdict.denied,
  };
}

function testOf(testCase: TestCase | "check", entryPoint: string | undefined): CaseReport["test"] {
  if (testCase === "check") return testCase;
  return testCase.style === "function"
    ? assertText(testCase, entryPoint ?? "")
    : { input: testCase.input, output: testCase.expected };
}

function caseOutcome(outcome: Outcome): Omit<CaseReport, "test"> {
  switch (outcome.kind) {
    case "passed":
    case "wrong-answer":
      return { outcome: outcome.kind, actual: outcome.actual };
    case "raised":
    case "did-not-load":
      return { outcome: outcome.kind, error: outcome.error };
    case "infrastructure":
      return { outcome: outcome.kind, message: outcome.message };
    case "timed-out":
      return { outcome: outcome.kind, message: `hit the ${outcome.limit} limit` };
    default:
      return { outcome: outcome.kind };
  }
}
