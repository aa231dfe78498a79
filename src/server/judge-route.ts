/** `POST /judge`: programs against tests, with an outcome for each test. The server compares, so it gets the answers. */
import type { Context } from "hono";
import { judgeProgram, type Verdict } from "../judge/judge.ts";
import { verdictReport } from "../judge/report.ts";
import type { TestCase } from "../problems/problem.ts";
import { answerBatch } from "./answer-batch.ts";
import { type JudgeJob, judgeRequestSchema, readTest } from "./judge-request.ts";
import { readRequest } from "./read-request.ts";
import type { ServerParts } from "./server-parts.ts";

export async function judgeRoute(context: Context, parts: ServerParts): Promise<Response> {
  const { jobs } = await readRequest(context, { schema: judgeRequestSchema, mostBytes: parts.mostBodyBytes });
  return answerBatch(context, parts, { jobs, run: (job, signal) => judgeJob(job, parts, signal) });
}

async function judgeJob(job: JudgeJob, parts: ServerParts, signal: AbortSignal): Promise<object> {
  const read = job.tests.map((test) => readTest(test, job.problem));
  const cases = read.filter((test): test is TestCase => !("reason" in test));
  const verdict = await verdictOf(job, cases, { parts, signal });
  parts.metrics.finished({
    ...verdict,
    endpoint: "judge",
    kinds: verdict.outcomes.map(({ kind }) => kind),
  });
  return withInvalidTests(job, read, verdictReport(verdict, cases, job.problem.entryPoint));
}

function verdictOf(
  { problem, source, limits }: JudgeJob,
  cases: readonly TestCase[],
  { parts: { sandbox }, signal }: { parts: ServerParts; signal: AbortSignal },
): Promise<Verdict> {
  const { style, entryPoint, comparison } = problem;
  if (style === "stdio" && cases.length === 0) {
    // Such a program is only ever run with an input.
    const { isolation, integrity } = sandbox.describe();
    return Promise.resolve({ loads: true, outcomes: [], isolation, integrity, denied: 0, cpuSeconds: 0 });
  }
  const judged = { style, entryPoint, comparison };
  return judgeProgram({ sandbox, source, problem: judged, cases, limits, signal });
}

/** One case for each test that was sent, in order; those that hold no test are `invalid` and not in the totals. */
function withInvalidTests(
  { tests }: JudgeJob,
  read: readonly (TestCase | { readonly reason: string })[],
  report: ReturnType<typeof verdictReport>,
): object {
  const judged = report.cases.values();
  const cases = tests.map((test, index) => {
    const found = read[index]!;
    const asSent = typeof test === "string" || "input" in test ? { test } : {};
    return "reason" in found
      ? { test, outcome: "invalid", message: found.reason }
      : { ...judged.next().value!, ...asSent };
  });
  return { ...report, cases };
}
