/**
 * The check program's own process: test code with stubs in place of the judged functions, run on the answers known so
 * far (python/checks/run_check.py says how). The judged program never enters it, so that it can neither read nor patch
 * what judges it.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { packageRoot } from "../package-root.ts";
import type { CheckProgram } from "../problems/problem.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { Observation, Sandbox, SandboxReport } from "../sandbox/sandbox.ts";
import type { PythonValue } from "../values/python-value.ts";
import { runConfirmed } from "./run-confirmed.ts";

/** A call that a check makes; the digest stands for function and arguments. */
export interface CheckCall {
  readonly digest: string;
  readonly name: string;
  readonly args: PythonValue;
  readonly keywords: PythonValue;
}

const reportSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("passed"), calls: z.int() }),
  z.object({
    kind: z.enum(["failed", "raised"]),
    type: z.string(),
    message: z.string(),
    line: z.int(),
    text: z.string(),
    calls: z.int(),
  }),
  /** A call on which the program gave no answer; it is the last one counted. */
  z.object({ kind: z.literal("ended"), calls: z.int() }),
  /** `prefix` calls were as in the log, then came `call`, which is not. */
  z.object({
    kind: z.literal("missing"),
    prefix: z.int(),
    call: z.string(),
    explored: z.array(z.string()),
    calls: z.int(),
  }),
  /** An argument that is not plain data. */
  z.object({ kind: z.literal("argument"), message: z.string(), calls: z.int() }),
  z.object({ kind: z.literal("broken"), message: z.string(), calls: z.int() }),
]);

export type CheckReport = z.infer<typeof reportSchema>;

export interface CheckRun {
  readonly report: CheckReport;
  /** The calls in the report that the log does not hold. */
  readonly fresh: readonly CheckCall[];
}

export interface CheckOrder {
  readonly sandbox: Sandbox;
  readonly check: CheckProgram;
  readonly entryPoint: string;
  /** What the program did on its calls, in order, in the form that run_check.py takes. */
  readonly log: readonly PythonValue[];
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

/** What the sandbox saw, where the check program did not come to its end. */
export type CheckRunResult = CheckRun | { readonly observation: Observation };

export async function runCheckTests(order: CheckOrder): Promise<CheckRunResult> {
  const report = await runConfirmed(
    order.sandbox,
    {
      source: driverSource(order.check.form),
      work: {
        style: "function",
        entryPoint: "run_check",
        calls: [{ args: [orderValue(order)], keywords: {} }],
      },
      limits: testLimits(order.limits),
    },
    order.signal,
  );
  return readResult(report);
}

/**
 * Test code is the data set's, not a model's: it gets the time of a whole program and room for all arguments at once.
 */
function testLimits(limits: Limits): Limits {
  const cpuSeconds = limits.programCpuSeconds;
  return {
    ...limits,
    caseCpuSeconds: cpuSeconds,
    caseWallSeconds: (limits.caseWallSeconds / limits.caseCpuSeconds) * cpuSeconds,
    valueBytes: Math.max(limits.valueBytes, 32 * 1024 * 1024),
  };
}

const drivers = new Map<string, string>();

function driverSource(form: CheckProgram["form"]): string {
  // One program of several files, which may use each other's names.
  const parts = ["explore", "answers", "sessions", "stand_ins", "run_check"];
  if (form === "pytest") parts.splice(-1, 0, "collect_tests");
  const known = drivers.get(form);
  if (known !== undefined) return known;
  const source = parts.map(checkFile).join("\n");
  drivers.set(form, source);
  return source;
}

/** The text of one of the files that make up check programs. */
export function checkFile(name: string): string {
  return readFileSync(path.join(packageRoot, "python", "checks", `${name}.py`), "utf8");
}

function orderValue({ check, entryPoint, log }: CheckOrder): PythonValue {
  const fields: Record<string, PythonValue> = {
    form: text(check.form),
    source: text(check.source),
    support: text(check.support ?? ""),
    functions: { type: "list", items: (check.functions ?? []).map(text) },
    entry: text(entryPoint),
    log: { type: "list", items: log },
  };
  return { type: "dict", entries: Object.entries(fields).map(([name, value]) => [text(name), value]) };
}

function text(value: string): PythonValue {
  return { type: "str", value };
}

function readResult({ observations }: SandboxReport): CheckRunResult {
  const observation = observations[0]!;
  if (observation.kind !== "returned") return { observation };
  return readRun(observation.value) ?? { observation: malformed };
}

/** Only test code that reaches into the driver can bring this about. */
const malformed: Observation = {
  kind: "raised",
  error: { type: "ProtocolViolation", message: "the check program gave no report" },
};

function readRun(value: PythonValue): CheckRun | undefined {
  if (value.type !== "tuple") return undefined;
  const [reportText, described] = value.items;
  if (reportText?.type !== "str" || described?.type !== "list") return undefined;
  const report = reportSchema.safeParse(JSON.parse(reportText.value));
  const fresh = described.items.map(readCall);
  if (!report.success || fresh.includes(undefined)) return undefined;
  return { report: report.data, fresh: fresh as CheckCall[] };
}

function readCall(value: PythonValue): CheckCall | undefined {
  if (value.type !== "tuple") return undefined;
  const [digest, name, args, keywords] = value.items;
  return digest?.type === "str" && name?.type === "str" && args?.type === "tuple" && keywords?.type === "dict"
    ? { digest: digest.value, name: name.value, args, keywords }
    : undefined;
}
