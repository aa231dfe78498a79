/**
 * SandboxFusion's `POST /run_code`, field by field, and how a run of ours is told in its words.
 *
 * `run_timeout` counts CPU seconds, so that a busy server does not make time-outs; wall time is a backstop at twice
 * that and a second. Python is not compiled, so `compile_timeout` is accepted and has no effect.
 *
 *   ran to its end                   Finished, the program's return code
 *   raised                           Finished, 1, the traceback on stderr
 *   ended by signal N                Finished, −N, as Python's subprocess says it
 *   out of memory, printed too much  Finished, 1 or −25 (SIGXFSZ), the reason on stderr
 *   timed out                        TimeLimitExceeded, no return code
 *   the sandbox failed               Error, and SandboxError for the whole answer
 */
import { constants } from "node:os";
import { z } from "zod";
import { defaultLimits, type Limits, scratchBytes } from "../sandbox/limits.ts";
import type { Observation, SandboxReport } from "../sandbox/sandbox.ts";

const megabyte = 1024 * 1024;
const printedBytes = 16 * megabyte;
/** Leaves the program room in its scratch folder. */
const filesBytes = scratchBytes / 2;
const least = { seconds: 0.01, memoryBytes: 32 * megabyte };

const maximumFiles = 1000;

function isPathBelow(path: string): boolean {
  const parts = path.split("/");
  return path.length <= 500 && !path.includes("\0") && !parts.includes("..") && parts[0] !== "";
}

const pathSchema = z
  .string()
  .refine(isPathBelow, { error: "must be a relative path below the working folder" });
const base64Schema = z.base64();

/** Read by hand, so that it stops at the first fault of many. */
const filesSchema = z
  .unknown()
  .default({})
  .transform((files, context): Readonly<Record<string, string | null>> => {
    const complaint = complaintAbout(files);
    if (complaint === undefined) return files as Record<string, string | null>;
    context.addIssue({ code: "custom", message: complaint });
    return z.NEVER;
  });

function complaintAbout(files: unknown): string | undefined {
  if (typeof files !== "object" || files === null || Array.isArray(files)) return "must be an object";
  const entries = Object.entries(files);
  if (entries.length > maximumFiles) return `may hold ${maximumFiles} files`;
  let characters = 0;
  for (const [path, content] of entries) {
    if (!isPathBelow(path)) return `${JSON.stringify(path)} is not a relative path below the working folder`;
    if (content === null) continue;
    if (!base64Schema.safeParse(content).success)
      return `the contents of ${JSON.stringify(path)} are not base64`;
    characters += (content as string).length;
  }
  return characters * 0.75 > filesBytes ? `may hold ${filesBytes / megabyte} MB together` : undefined;
}

export const runCodeSchema = z.object({
  code: z.string(),
  language: z.string().max(50),
  compile_timeout: z.number().nonnegative().default(10),
  run_timeout: z.number().positive().max(3600).default(10),
  memory_limit_MB: z
    .int()
    .max(64 * 1024)
    .default(-1),
  stdin: z.string().nullish(),
  files: filesSchema,
  fetch_files: z.array(pathSchema).max(100).default([]),
});

export type RunCodeRequest = z.infer<typeof runCodeSchema>;

/** The languages of SandboxFusion. Only the first one is spoken here. */
export const knownLanguages: ReadonlySet<string> = new Set(
  `python cpp nodejs go go_test java php csharp bash typescript sql rust cuda lua R perl D_ut ruby scala julia pytest
  junit kotlin_script jest verilog python_gpu lean swift racket`.split(/\s+/),
);

interface CommandResult {
  readonly status: "Finished" | "Error" | "TimeLimitExceeded";
  readonly execution_time: number | null;
  readonly return_code: number | null;
  readonly stdout: string | null;
  readonly stderr: string | null;
}

export interface RunCodeAnswer {
  readonly status: "Success" | "Failed" | "SandboxError";
  readonly message: string;
  readonly compile_result: null;
  readonly run_result: CommandResult | null;
  readonly executor_pod_name: null;
  readonly files: Readonly<Record<string, string>>;
}

export function limitsOf(request: RunCodeRequest): Limits {
  const seconds = Math.max(request.run_timeout, least.seconds);
  return {
    ...defaultLimits,
    caseCpuSeconds: seconds,
    caseWallSeconds: 2 * seconds + 1,
    programCpuSeconds: seconds + 1,
    memoryBytes:
      request.memory_limit_MB <= 0
        ? defaultLimits.memoryBytes
        : Math.max(request.memory_limit_MB * megabyte, least.memoryBytes),
    outputBytes: printedBytes,
  };
}

export function sandboxError(message: string, run_result: CommandResult | null = null): RunCodeAnswer {
  return {
    status: "SandboxError",
    message,
    compile_result: null,
    run_result,
    executor_pod_name: null,
    files: {},
  };
}

/** The answer for a run; files are filled in by whoever fetched them. */
export function answerOf(report: SandboxReport, limits: Limits): RunCodeAnswer {
  const observation = report.observations[0]!;
  const result = resultOf(observation, limits, report.wallSeconds);
  if (result.status === "Error") return sandboxError(result.stderr ?? "", result);
  return {
    status: result.status === "Finished" && result.return_code === 0 ? "Success" : "Failed",
    message: "",
    compile_result: null,
    run_result: result,
    executor_pod_name: null,
    files: {},
  };
}

function resultOf(observation: Observation, limits: Limits, seconds: number): CommandResult {
  const finished = (return_code: number, stdout: string, stderr: string): CommandResult => ({
    status: "Finished",
    execution_time: seconds,
    return_code,
    stdout,
    stderr,
  });
  switch (observation.kind) {
    case "printed":
      return finished(observation.exitCode, observation.stdout, observation.stderr);
    case "raised": {
      const { error, stdout = "", stderr = "" } = observation;
      return finished(codeOf(error), stdout, stderr || `${error.type}: ${error.message}\n`);
    }
    case "did-not-load":
      return finished(1, "", `${observation.error.type}: ${observation.error.message}\n`);
    case "out-of-memory":
      return finished(1, "", `MemoryError: the program may use ${limits.memoryBytes / megabyte} MB\n`);
    case "output-flood":
      return finished(
        -constants.signals.SIGXFSZ,
        "",
        `the program printed more than ${limits.outputBytes / megabyte} MB\n`,
      );
    case "timed-out": {
      const { stdout = "", stderr = "" } = observation;
      return {
        status: "TimeLimitExceeded",
        execution_time: seconds,
        return_code: null,
        stdout,
        stderr,
      };
    }
    default: {
      const message =
        observation.kind === "infrastructure" ? observation.message : "a stdio program cannot return";
      return { status: "Error", execution_time: null, return_code: null, stdout: null, stderr: message };
    }
  }
}

/** The sandbox names the signal in the message, by name or by number. */
function codeOf(error: { type: string; message: string }): number {
  if (error.type !== "Killed") return 1;
  const [, name, number] = /\b(SIG[A-Z]+)\b|\bsignal (\d+)/.exec(error.message) ?? [];
  const signals: Readonly<Record<string, number | undefined>> = constants.signals;
  const signal = name === undefined ? Number(number) : signals[name];
  if (signal) return -signal;
  return error.message.includes("refused") ? -constants.signals.SIGSYS : -constants.signals.SIGABRT;
}
