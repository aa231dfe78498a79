/**
 * One program against many cases: an outcome for each. The sandbox gets the arguments and never the answers; what it
 * observed is compared here.
 */
import type { StdioCase, TestCase } from "../problems/problem.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { IsolationLevel, Observation, ProgramJob, Sandbox } from "../sandbox/sandbox.ts";
import { type Comparison, sameValue } from "../values/compare.ts";
import { shortLiteralText } from "../values/literal-text.ts";
import { ownText } from "../values/own-text.ts";
import type { Outcome } from "./outcome.ts";
import { runConfirmed } from "./run-confirmed.ts";
import { sameOutput } from "./same-output.ts";

export interface JudgeRequest {
  readonly sandbox: Sandbox;
  readonly source: string;
  readonly problem: JudgedProblem;
  readonly cases: readonly TestCase[];
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

/** What the judge needs to know of a problem. */
export interface JudgedProblem {
  readonly style: "function" | "stdio";
  readonly entryPoint: string | undefined;
  readonly comparison: Comparison;
}

export interface Verdict {
  /** Of functions: whether the program's top level ran to its end. Of scripts: whether Python can read them. */
  readonly loads: boolean;
  /** One for each case, in the order given. */
  readonly outcomes: readonly Outcome[];
  readonly isolation: IsolationLevel;
  readonly integrity: "values";
  /** System calls or imports the sandbox refused. */
  readonly denied: number;
  readonly cpuSeconds: number;
}

export async function judgeProgram(request: JudgeRequest): Promise<Verdict> {
  const job: ProgramJob = { source: request.source, work: workOf(request), limits: request.limits };
  const report = await runConfirmed(request.sandbox, job, request.signal);
  const isScript = request.problem.style === "stdio";
  return {
    loads: report.loaded && !(isScript && report.observations.some(isCompileError)),
    // By case: a program that reads and prints is run once even where there is none, to see whether it loads.
    outcomes: request.cases.map((testCase, index) =>
      outcomeOf(report.observations[index]!, testCase, request.problem.comparison),
    ),
    isolation: report.isolation,
    integrity: "values",
    denied: report.denied,
    cpuSeconds: report.cpuSeconds,
  };
}

function workOf({ problem, cases }: JudgeRequest): ProgramJob["work"] {
  if (problem.style === "stdio") {
    return { style: "stdio", inputs: cases.map((testCase) => stdioCase(testCase).input) };
  }
  if (problem.entryPoint === undefined) throw new TypeError("a function problem needs an entry point");
  const calls = cases.map((testCase) => {
    if (testCase.style !== "function") throw new TypeError("a stdio case was given for a function problem");
    return testCase.call;
  });
  return { style: "function", entryPoint: problem.entryPoint, calls };
}

function stdioCase(testCase: TestCase): StdioCase {
  if (testCase.style !== "stdio") throw new TypeError("a function case was given for a stdio problem");
  return testCase;
}

const compileErrors: ReadonlySet<string> = new Set(["SyntaxError", "IndentationError", "TabError"]);

/** A script runs anew for each input; one that Python cannot even read has loaded for none. */
function isCompileError(observation: Observation): boolean {
  if (observation.kind !== "raised" || !compileErrors.has(observation.error.type)) return false;
  // Not what the program itself hands to `eval`.
  return observation.error.message.includes("(<program>, line");
}

function outcomeOf(observation: Observation, testCase: TestCase, comparison: Comparison): Outcome {
  switch (observation.kind) {
    case "returned": {
      const right =
        testCase.style === "function" && sameValue(testCase.expected, observation.value, comparison);
      return { kind: right ? "passed" : "wrong-answer", actual: shortLiteralText(observation.value) };
    }
    case "printed": {
      const { exitCode, stdout } = observation;
      if (exitCode !== 0) {
        return {
          kind: "raised",
          error: { type: "Exited", message: `the program ended with code ${exitCode}` },
        };
      }
      const right = testCase.style === "stdio" && sameOutput(testCase.expected, stdout, comparison);
      return { kind: right ? "passed" : "wrong-answer", actual: ownText(stdout, 200) };
    }
    case "raised": {
      const unreadable = testCase.style === "stdio" && isCompileError(observation);
      return { kind: unreadable ? "did-not-load" : "raised", error: observation.error };
    }
    case "timed-out":
      return { kind: "timed-out", limit: observation.limit };
    case "output-flood":
      return { kind: "output-flood" };
    default:
      return observation;
  }
}
