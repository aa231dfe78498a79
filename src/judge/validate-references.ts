/**
 * Whether a problem's reference passes the problem's own tests. A training run or a benchmark on a problem whose
 * reference fails measures nothing, so a problem set is looked through before it is used.
 *
 * A check program that also accepts nonsense is no failure of the reference, but a warning: it tests nothing.
 */
import type { Problem, TestCase } from "../problems/problem.ts";
import { assertText } from "../problems/test-text.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { ProgramError, Sandbox } from "../sandbox/sandbox.ts";
import { shortLiteralText } from "../values/literal-text.ts";
import { ownText } from "../values/own-text.ts";
import { type CheckVerdict, judgeCheck } from "./check-program.ts";
import { judgeProgram } from "./judge.ts";
import { limitsFor } from "./judge-problem.ts";
import type { Outcome } from "./outcome.ts";

export type ReferenceFinding =
  | { readonly kind: "passes"; readonly warning?: string }
  | {
      readonly kind: "fails";
      /** The field of the problem where it shows. */
      readonly field: string;
      readonly reason: string;
      /** How many tests fail in all. */
      readonly tests: number;
    }
  /** Our own failure: nothing can be said about this problem. */
  | { readonly kind: "infrastructure"; readonly message: string };

export interface ReferenceRequest {
  readonly sandbox: Sandbox;
  readonly problem: Problem;
  /** The usual ones; the problem's own go over them. */
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

export async function validateReference(request: ReferenceRequest): Promise<ReferenceFinding> {
  const { problem } = request;
  const limits = limitsFor(problem, request.limits);
  if (problem.goldTests.length === 0 && !problem.check) {
    return { kind: "fails", field: "goldTests", reason: "the problem has no test", tests: 0 };
  }
  const source = problem.reference;
  const [verdict, check] = await Promise.all([
    judgeProgram({ ...request, source, cases: problem.goldTests, limits }),
    problem.check && checkVerdict({ ...request, limits }, source),
  ]);
  const failures = [
    ...verdict.outcomes.flatMap((outcome, index) => goldFailure(outcome, { problem, index }) ?? []),
    ...(check ? (checkFailure(check) ?? []) : []),
  ];
  const lost = failures.find((failure) => failure.kind === "infrastructure");
  if (lost) return lost;
  const [first] = failures;
  if (first?.kind === "fails") return { ...first, tests: failures.length };
  return { kind: "passes", ...(await warningOf({ ...request, limits })) };
}

function checkVerdict({ problem, ...request }: ReferenceRequest, source: string): Promise<CheckVerdict> {
  return judgeCheck({ ...request, source, check: problem.check!, entryPoint: problem.entryPoint ?? "" });
}

type Failure = Exclude<ReferenceFinding, { kind: "passes" }>;

function goldFailure(
  outcome: Outcome,
  { problem, index }: { problem: Problem; index: number },
): Failure | undefined {
  const test = problem.goldTests[index]!;
  if (outcome.kind === "passed") return undefined;
  if (outcome.kind === "infrastructure") return outcome;
  if (outcome.kind === "did-not-load") return loadFailure(outcome.error);
  const reason =
    outcome.kind === "wrong-answer"
      ? `the reference gives ${givenText(test, outcome.actual)}, the test wants ${wantedText(test)}`
      : `the reference ${whatHappened(outcome)}`;
  return fails(`goldTests[${index}]`, `${reason}: ${testText(test, problem.entryPoint)}`);
}

function checkFailure({ outcome, brokenCheck }: CheckVerdict): Failure[] | undefined {
  if (brokenCheck !== undefined) return [fails("check", `it cannot be used: ${brokenCheck}`)];
  switch (outcome.kind) {
    case "passed":
      return undefined;
    case "infrastructure":
      return [outcome];
    case "did-not-load":
      return [loadFailure(outcome.error)];
    case "wrong-answer":
      return [fails("check", `it does not accept the reference: ${inOneLine(outcome.actual)}`)];
    default:
      return [fails("check", `the reference ${whatHappened(outcome)}`)];
  }
}

function loadFailure(error: ProgramError): Failure {
  const field = error.type === "MissingEntryPoint" ? "entryPoint" : "reference";
  return fails(field, `the reference does not load: ${errorText(error)}`);
}

function fails(field: string, reason: string): Failure {
  return { kind: "fails", field, reason, tests: 1 };
}

function whatHappened(outcome: Exclude<Outcome, { actual: string } | { message: string }>): string {
  switch (outcome.kind) {
    case "raised":
    case "did-not-load":
      return `raises ${errorText(outcome.error)}`;
    case "timed-out":
      return `runs into the ${outcome.limit} time limit`;
    case "out-of-memory":
      return "runs out of memory";
    case "output-flood":
      return "prints or returns too much";
  }
}

function errorText({ type, message, line }: ProgramError): string {
  return `${type}${message && `: ${inOneLine(message)}`}${line === undefined ? "" : ` (line ${line})`}`;
}

/** What a function returns is a literal already; what a program prints is any text. */
function givenText({ style }: TestCase, actual: string): string {
  return style === "function" ? actual : JSON.stringify(actual);
}

/** A message of the program may not break the message that it stands in. */
function inOneLine(text: string): string {
  return text.replaceAll("\r", "\\r").replaceAll("\n", "\\n");
}

function wantedText(test: TestCase): string {
  return test.style === "function" ? shortLiteralText(test.expected) : JSON.stringify(cut(test.expected));
}

function testText(test: TestCase, entryPoint: string | undefined): string {
  return test.style === "function"
    ? cut(assertText(test, entryPoint ?? ""))
    : `input ${JSON.stringify(cut(test.input))}`;
}

function cut(text: string): string {
  return text.length > 200 ? `${ownText(text, 199)}…` : text;
}

/** Something that no test would want. */
const nonsense = '("sparring", -987654321.5, {"nothing": b"right"})';

async function warningOf(request: ReferenceRequest): Promise<{ warning?: string }> {
  const { problem } = request;
  if (!problem.check || problem.goldTests.length > 0) return {};
  const [className, methodName] = (problem.entryPoint ?? "").split("().");
  const functions = [...(problem.check.functions ?? []), ...(methodName ? [] : [className])];
  const source = [
    ...functions.map((name) => `def ${name}(*args, **keywords):\n    return ${nonsense}`),
    ...(methodName
      ? [`class ${className}:\n    def ${methodName}(*args, **keywords):\n        return ${nonsense}`]
      : []),
  ].join("\n");
  const { outcome } = await checkVerdict(request, `${source}\n`);
  return outcome.kind === "passed"
    ? { warning: `the check accepts a program that always answers ${nonsense}` }
    : {};
}
