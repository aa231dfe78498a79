import { describe, expect, it } from "vitest";
import type { Observation } from "../sandbox/sandbox.ts";
import { answerOf, limitsOf, runCodeSchema } from "./run-code-protocol.ts";

const request = (fields: object = {}) => runCodeSchema.parse({ code: "", language: "python", ...fields });

function answerTo(observation: Observation) {
  return answerOf(
    {
      loaded: true,
      observations: [observation],
      denied: 0,
      cpuSeconds: 0.1,
      wallSeconds: 0.2,
      underLoad: false,
      isolation: "full",
    },
    limitsOf(request()),
  );
}

describe("limitsOf", () => {
  it("counts run_timeout in CPU seconds and gives wall time room", () => {
    expect(limitsOf(request({ run_timeout: 3 }))).toMatchObject({ caseCpuSeconds: 3, caseWallSeconds: 7 });
  });

  it("takes -1 megabytes for the usual memory and never goes below what an interpreter needs", () => {
    expect(limitsOf(request()).memoryBytes).toBe(512 * 1024 * 1024);
    expect(limitsOf(request({ memory_limit_MB: 100 })).memoryBytes).toBe(100 * 1024 * 1024);
    expect(limitsOf(request({ memory_limit_MB: 1 })).memoryBytes).toBe(32 * 1024 * 1024);
  });
});

describe("runCodeSchema", () => {
  it.each([
    ["an absolute path", { files: { "/etc/passwd": "" } }],
    ["a path that leaves the folder", { files: { "a/../../b": "" } }],
    ["a fetched path that leaves the folder", { fetch_files: [".."] }],
    ["contents that are not base64", { files: { a: "§" } }],
    [
      "more files than anybody has",
      { files: Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [n, ""])) },
    ],
    ["a list of files", { files: ["a"] }],
    ["files that are too large together", { files: { a: "A".repeat(12 * 1024 * 1024) } }],
    ["a time limit of nothing", { run_timeout: 0 }],
    ["a time limit that is no number", { run_timeout: null }],
    ["an infinite time limit", { run_timeout: Number.POSITIVE_INFINITY }],
    ["no code", { code: undefined }],
  ])("refuses %s", (_, fields) => {
    expect(runCodeSchema.safeParse({ code: "", language: "python", ...fields }).success).toBe(false);
  });

  it("skips files without contents, as SandboxFusion does, and ignores fields it does not know", () => {
    expect(request({ files: { a: null }, extra: 1 }).files).toEqual({ a: null });
  });
});

describe("answerOf", () => {
  it("is a success only for a program that ran to its end with code 0", () => {
    expect(answerTo({ kind: "printed", stdout: "a", stderr: "b", exitCode: 0 })).toEqual({
      status: "Success",
      message: "",
      compile_result: null,
      run_result: { status: "Finished", execution_time: 0.2, return_code: 0, stdout: "a", stderr: "b" },
      executor_pod_name: null,
      files: {},
    });
    expect(answerTo({ kind: "printed", stdout: "", stderr: "", exitCode: 3 })).toMatchObject({
      status: "Failed",
      run_result: { status: "Finished", return_code: 3 },
    });
  });

  it.each([
    ["SIGSEGV", "was ended by SIGSEGV", -11],
    ["a number", "was ended by signal 27", -27],
    ["no signal at all", "aborted", -6],
    ["a storm of refused calls", "kept making refused system calls", -31],
  ])("gives the signal of a killed program: %s", (_, message, code) => {
    const answer = answerTo({
      kind: "raised",
      error: { type: "Killed", message: `the program's process ${message}` },
    });
    expect(answer).toMatchObject({ status: "Failed", run_result: { return_code: code } });
  });

  it("gives 1 and a reason for an error, also where the program could not print one", () => {
    const error = { type: "ValueError", message: "no" };
    expect(answerTo({ kind: "raised", error, stdout: "x", stderr: "Traceback" }).run_result).toMatchObject({
      return_code: 1,
      stdout: "x",
      stderr: "Traceback",
    });
    expect(answerTo({ kind: "raised", error }).run_result?.stderr).toContain("ValueError: no");
    expect(answerTo({ kind: "did-not-load", error }).run_result).toMatchObject({ return_code: 1 });
    expect(answerTo({ kind: "out-of-memory" }).run_result).toMatchObject({
      return_code: 1,
      stderr: expect.stringContaining("MemoryError"),
    });
    expect(answerTo({ kind: "output-flood", what: "printed" }).run_result).toMatchObject({
      return_code: -25,
    });
  });

  it("says TimeLimitExceeded without a return code", () => {
    expect(answerTo({ kind: "timed-out", limit: "cpu", stdout: "so far" })).toMatchObject({
      status: "Failed",
      run_result: { status: "TimeLimitExceeded", return_code: null, stdout: "so far" },
    });
  });

  it("never blames the program for the sandbox's failure", () => {
    expect(answerTo({ kind: "infrastructure", message: "the worker was lost" })).toMatchObject({
      status: "SandboxError",
      message: "the worker was lost",
      run_result: { status: "Error", return_code: null },
    });
  });
});
