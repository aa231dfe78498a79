/**
 * Judges a program by test code that does not come apart into cases: loops, tolerances, random inputs, expected
 * exceptions. Test code and program never share a process and never run at the same time:
 *
 *   1. The check program runs with stubs for the judged functions and says which calls it makes.
 *   2. The program runs on these calls, in their order, in a process of its own.
 *   3. The check program runs again; its stubs do what the program did. If it makes the same calls, its result is the
 *      verdict, the same as if the program had been called live. If an answer led it to another call, go on with 1.
 *
 * Deterministic: test code runs with the same random numbers each time. The program never sees a call that depends on
 * an answer other than its own, so that no right answer leaks through the arguments.
 */
import type { CheckProgram } from "../problems/problem.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { Observation, Sandbox, SandboxReport } from "../sandbox/sandbox.ts";
import { literalText, shortLiteralText } from "../values/literal-text.ts";
import { ownText } from "../values/own-text.ts";
import { type CallAnswer, runCandidate } from "./check-program-candidate.ts";
import {
  type CheckCall,
  type CheckReport,
  type CheckRunResult,
  runCheckTests,
} from "./check-program-tests.ts";
import type { Outcome } from "./outcome.ts";

export interface CheckRequest {
  readonly sandbox: Sandbox;
  readonly source: string;
  readonly check: CheckProgram;
  readonly entryPoint: string;
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

export interface CheckVerdict {
  readonly outcome: Outcome;
  /** Why the check itself cannot be used; the outcome is then `infrastructure`. */
  readonly brokenCheck?: string;
  /** Runs of the judged program; 0 where the check itself could not be used. */
  readonly rounds: number;
  /** Of the last run of the program. */
  readonly report: SandboxReport | undefined;
}

/** Each round follows the program's own answers one step further; honest checks take one or two. */
const maximumRounds = 32;

export async function judgeCheck(request: CheckRequest): Promise<CheckVerdict> {
  const described = new Map<string, CheckCall>();
  let calls: readonly CheckCall[] = [];
  let answers: readonly CallAnswer[] = [];
  let report: SandboxReport | undefined;
  for (let round = 0; ; round += 1) {
    const log = answers.map(({ entry }) => entry);
    const run = round === 0 ? await firstCalls(request) : await runCheckTests({ ...request, log });
    const verdict = (outcome: Outcome): CheckVerdict => ({ outcome, rounds: round, report });
    const fault = faultOf(run, round);
    if (fault !== undefined) return { ...verdict(brokenOutcome(fault)), brokenCheck: fault };
    if ("observation" in run) return verdict(outcomeOfEnd(run.observation));
    const { report: found } = run;
    if (found.kind !== "missing") return verdict(outcomeOf(found, calls, answers));
    if (round === maximumRounds) return verdict({ kind: "timed-out", limit: "program" });
    for (const call of run.fresh) described.set(call.digest, call);
    const sequence = nextSequence(calls, found);
    calls = sequence.flatMap((digest) => described.get(digest) ?? []);
    const candidate = await runCandidate({ ...request, calls });
    ({ answers, report } = candidate);
    if (!report.loaded) return { outcome: outcomeOfEnd(report.observations[0]!), rounds: round + 1, report };
    const lost = report.observations.find(({ kind }) => kind === "infrastructure");
    if (lost) return { outcome: outcomeOfEnd(lost), rounds: round + 1, report };
  }
}

/**
 * The calls that the check really made, the one it wanted next, and after them all others that are known to come. The
 * part that is certain grows with each round.
 */
function nextSequence(
  calls: readonly CheckCall[],
  { prefix, call, explored }: Extract<CheckReport, { kind: "missing" }>,
): string[] {
  const certain = [...calls.slice(0, prefix).map(({ digest }) => digest), call];
  const made = new Map<string, number>();
  for (const digest of certain) made.set(digest, (made.get(digest) ?? 0) + 1);
  const others = explored.filter((digest) => {
    const times = made.get(digest) ?? 0;
    if (times > 0) made.set(digest, times - 1);
    return times === 0;
  });
  return [...certain, ...others];
}

/** All programs for a problem start with the same calls: they are found once. */
const checksInMemory = 64;
const underWay = new Map<string, Promise<CheckRunResult>>();

function firstCalls(request: CheckRequest): Promise<CheckRunResult> {
  const { kind, python } = request.sandbox.describe();
  const key = JSON.stringify([kind, python, request.entryPoint, request.check, request.limits]);
  const known = underWay.get(key);
  underWay.delete(key);
  // No signal: somebody else may be waiting for the same.
  const { signal: _, ...order } = request;
  const run = known ?? runCheckTests({ ...order, log: [] });
  underWay.set(key, run);
  if (underWay.size > checksInMemory) underWay.delete(underWay.keys().next().value as string);
  const forget = () => underWay.delete(key);
  run.then((result) => {
    if ("observation" in result) forget();
  }, forget);
  return run;
}

/**
 * What is wrong with the check itself. Only where it stops before the first answer can no program be to blame: later
 * a program's answers have led it there, and a program must not be able to have its verdict masked.
 */
function faultOf(run: CheckRunResult, round: number): string | undefined {
  if (round > 0) return undefined;
  if ("report" in run) {
    return run.report.kind === "broken" || run.report.kind === "argument" ? run.report.message : undefined;
  }
  const { observation } = run;
  if (observation.kind === "infrastructure") return undefined;
  return observation.kind === "raised" || observation.kind === "did-not-load"
    ? `${observation.error.type}: ${observation.error.message}`
    : `it ended with ${observation.kind}`;
}

/** A check's own fault says nothing about any program. */
function brokenOutcome(fault: string): Outcome {
  return { kind: "infrastructure", message: `the problem's check program cannot be used: ${fault}` };
}

function outcomeOf(
  report: Exclude<CheckReport, { kind: "missing" }>,
  calls: readonly CheckCall[],
  answers: readonly CallAnswer[],
): Outcome {
  const last = report.calls - 1;
  switch (report.kind) {
    case "passed":
      return { kind: "passed", actual: `${report.calls} calls` };
    case "failed": {
      const failure =
        report.type === "AssertionError"
          ? report.message || "fails"
          : `${report.type}${report.message && `: ${report.message}`}`;
      const where = `line ${report.line}: ${report.text}`;
      return {
        kind: "wrong-answer",
        actual: ownText(`${callText(calls[last], answers[last])}; ${where}: ${failure}`, 500),
      };
    }
    case "raised":
      return {
        kind: "raised",
        error: { type: report.type, message: `${report.message} (in ${callText(calls[last])})` },
      };
    case "broken":
    case "argument":
      return {
        kind: "wrong-answer",
        actual: `${callText(calls[last], answers[last])}; the check program: ${report.message}`,
      };
    case "ended":
      return outcomeOfAnswer(answers[last]!, calls[last]!);
  }
}

function outcomeOfAnswer(answer: CallAnswer, call: CheckCall): Outcome {
  if (answer.kind === "ended") return outcomeOfEnd(answer.observation);
  const value = answer.kind === "opaque" ? shortLiteralText(answer.value, 100) : "nothing";
  return { kind: "wrong-answer", actual: `${callText(call)} gave ${value}, which is not plain data` };
}

function outcomeOfEnd(observation: Observation): Outcome {
  switch (observation.kind) {
    case "raised":
      return { kind: "raised", error: observation.error };
    case "timed-out":
      return { kind: "timed-out", limit: observation.limit };
    case "output-flood":
      return { kind: "output-flood" };
    case "returned":
    case "printed":
      return { kind: "infrastructure", message: "the sandbox gave an answer where none was expected" };
    default:
      return observation;
  }
}

function callText(call: CheckCall | undefined, answer?: CallAnswer): string {
  if (!call) return "the program";
  const positional =
    call.args.type === "tuple" ? call.args.items.map((value) => shortLiteralText(value, 60)) : [];
  const named =
    call.keywords.type === "dict"
      ? call.keywords.entries.map(
          ([name, value]) =>
            `${name.type === "str" ? name.value : literalText(name)}=${shortLiteralText(value, 60)}`,
        )
      : [];
  const text = `${call.name}(${[...positional, ...named].join(", ")})`;
  return answer?.kind === "answer" ? `${text} ${answer.shown}` : text;
}
