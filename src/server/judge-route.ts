/** `POST /judge`: programs against tests, with an outcome for each test. The server compares, so it gets the answers. */
import type { Context } from "hono";
import { judgeProgram, type Verdict } from "../judge/judge.ts";
import type { Outcome } from "../judge/outcome.ts";
import type { TestCase } from "../problems/problem.ts";
import { encodeWire } from "../values/wire.ts";
import { answerBatch } from "./answer-batch.ts";
import { type JudgeJob, type JudgeTest, judgeRequestSchema, readTest } from "./judge-request.ts";
import { readRequest } from "./read-request.ts";
import type { ServerParts } from "./server-parts.ts";

export async function judgeRoute(context: Context, parts: ServerParts): Promise<Response> {
  const { jobs } = await readRequest(context, { schema: judgeRequestSchema, mostBytes: parts.mostBodyBytes });
  return answerBatch(context, parts, { jobs, run: (job, signal) => judgeJob(job, parts, signal) });
}

async function judgeJob(job: JudgeJob, parts: ServerParts, signal: AbortSignal): Promise<object> {
  const { problem, source, limits } = job;
  const read = job.tests.map((test) => readTest(test, problem));
  const cases = read.filter((test): test is TestCase => !("reason" in test));
  const { style, entryPoint, comparison } = problem;
  const verdict = await judgeProgram({
    sandbox: parts.sandbox,
    source,
    problem: { style, entryPoint, comparison },
    cases,
    limits,
    signal,
  });
  parts.metrics.finished({
    ...verdict,
    endpoint: "judge",
    kinds: verdict.outcomes.map(({ kind }) => kind),
  });
  return verdictLine(job.tests, read, verdict);
}

function verdictLine(
  tests: readonly JudgeTest[],
  read: readonly (TestCase | { reason: string })[],
  verdict: Verdict,
): object {
  const outcomes = verdict.outcomes.values();
  const cases = tests.map((test, index) => {
    const found = read[index]!;
    const shown = shownTest(test);
    return "reason" in found
      ? { test: shown, outcome: "invalid", error: { type: "InvalidTest", message: found.reason } }
      : { test: shown, ...shownOutcome(outcomes.next().value!) };
  });
  return {
    loads: verdict.loads,
    cases,
    passed: verdict.outcomes.filter(({ kind }) => kind === "passed").length,
    total: verdict.outcomes.length,
    isolation: verdict.isolation,
    integrity: verdict.integrity,
    denied: verdict.denied,
  };
}

function shownOutcome(outcome: Outcome): object {
  const { kind, ...rest } = outcome;
  return "message" in rest
    ? { outcome: kind, error: { type: "Infrastructure", message: rest.message } }
    : { outcome: kind, ...rest };
}

/** As it was sent. */
function shownTest(test: JudgeTest): unknown {
  if (typeof test === "string" || "input" in test) return test;
  const keywords = Object.entries(test.keywords).map(([name, value]) => [name, encodeWire(value)]);
  return {
    args: test.args.map(encodeWire),
    keywords: Object.fromEntries(keywords),
    expected: encodeWire(test.expected),
  };
}
