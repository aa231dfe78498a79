/** `spar judge`: one program against a problem's tests. */
import type { Command } from "commander";
import pc from "picocolors";
import { judgeProgram, type Verdict } from "../judge/judge.ts";
import { judgeProblem, limitsFor } from "../judge/judge-problem.ts";
import { type CaseReport, type VerdictReport, verdictReport } from "../judge/report.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import { readOneProblem, readTests } from "../problems/read-problem.ts";
import { readProgram } from "../problems/read-program.ts";
import { defaultLimits, type Limits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { printJson, printResult } from "./output.ts";
import {
  addSandboxOptions,
  openSandbox,
  positiveNumber,
  type SandboxFlags,
  wholeNumber,
} from "./sandbox-options.ts";

interface JudgeFlags extends SandboxFlags {
  readonly problem: string;
  readonly candidate: string;
  readonly id?: string;
  readonly tests?: string;
  readonly cpu?: number;
  readonly memory?: number;
  readonly json?: true;
}

export function addJudgeCommand(program: Command): void {
  const command = program
    .command("judge")
    .description("judge one program on a problem's tests and print the outcome of each")
    .requiredOption("--problem <file>", "the problem (json, jsonl or parquet)")
    .requiredOption("--candidate <file>", "the program")
    .option("--id <id>", "which problem, if the file holds several")
    .option("--tests <file>", "other tests than the problem's own: a JSON list of the same kind")
    .option(
      "--cpu <seconds>",
      `CPU seconds for each test (default: the problem's own, or ${defaultLimits.caseCpuSeconds})`,
      positiveNumber,
    )
    .option(
      "--memory <megabytes>",
      `memory of the program (default: the problem's own, or ${defaultLimits.memoryBytes / 1024 ** 2})`,
      wholeNumber,
    )
    .option("--json", "print the verdict as JSON");
  addSandboxOptions(command)
    .addHelpText(
      "after",
      "\nExample:\n  $ spar judge --problem examples/add.json --candidate examples/add-wrong.py",
    )
    .action(judge);
}

async function judge(flags: JudgeFlags): Promise<void> {
  const problem = await readOneProblem(flags.problem, flags.id);
  const tests = flags.tests === undefined ? undefined : await readTests(flags.tests, problem);
  const cases: (TestCase | "check")[] = tests ?? [...problem.goldTests];
  if (!tests && problem.check) cases.push("check");
  const program = await readProgram(flags.candidate);
  const sandbox = await openSandbox(flags);
  try {
    const verdict = program.ok
      ? await judgeSource(sandbox, program.source, { problem, tests, flags })
      : refusedProgram(sandbox, program.error, cases);
    const report = verdictReport(verdict, cases, problem.entryPoint);
    if (flags.json) printJson(report);
    else printResult(describe(report));
    if (verdict.outcomes.some(({ kind }) => kind === "infrastructure")) process.exitCode = 1;
  } finally {
    await sandbox.close();
  }
}

function judgeSource(
  sandbox: Sandbox,
  source: string,
  { problem, tests, flags }: { problem: Problem; tests: readonly TestCase[] | undefined; flags: JudgeFlags },
): Promise<Verdict> {
  const request = { sandbox, source, problem, limits: limitsOf(problem, flags) };
  return tests ? judgeProgram({ ...request, cases: tests }) : judgeProblem(request);
}

/** What is asked for here goes over the problem's own limits. */
function limitsOf(problem: Problem, { cpu, memory }: JudgeFlags): Limits {
  const { caseWallSeconds: _, programCpuSeconds: __, ...others } = problem.limits ?? {};
  const limits = {
    ...(cpu === undefined ? problem.limits : { ...others, caseCpuSeconds: cpu }),
    ...(memory !== undefined && { memoryBytes: Math.max(32, memory) * 1024 ** 2 }),
  };
  return limitsFor({ limits }, defaultLimits);
}

/** A file that cannot be a program is a program that does not load. */
function refusedProgram(
  sandbox: Sandbox,
  error: { type: string; message: string },
  cases: readonly unknown[],
): Verdict {
  return {
    loads: false,
    outcomes: cases.map(() => ({ kind: "did-not-load", error })),
    isolation: sandbox.describe().isolation,
    integrity: "values",
    denied: 0,
    cpuSeconds: 0,
  };
}

function describe(report: VerdictReport): string {
  const lines = report.cases.map((entry) => {
    const passed = entry.outcome === "passed";
    const mark = (passed ? pc.green : pc.yellow)(entry.outcome.padEnd(14));
    return `${mark} ${testText(entry.test)}${passed ? "" : pc.dim(detailOf(entry))}`;
  });
  const refused = report.denied > 0 ? `, ${report.denied} system calls refused` : "";
  return [
    ...lines,
    `${report.passed} of ${report.total} passed; the program ${report.loads ? "loads" : "does not load"}; isolation ${report.isolation}${refused}`,
  ].join("\n");
}

function testText(test: CaseReport["test"]): string {
  const text =
    typeof test === "string" ? test : `${JSON.stringify(test.input)} → ${JSON.stringify(test.output)}`;
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

function detailOf(entry: CaseReport): string {
  if (entry.actual !== undefined) return `   got ${entry.actual}`;
  if (entry.error) {
    const line = entry.error.line === undefined ? "" : ` (line ${entry.error.line})`;
    return `   ${entry.error.type}: ${entry.error.message}${line}`;
  }
  return entry.message ? `   ${entry.message}` : "";
}
