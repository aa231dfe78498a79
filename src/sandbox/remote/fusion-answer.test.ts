import { describe, expect, it } from "vitest";
import { endOf, readRecords, runOf } from "./fusion-answer.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const finished = (return_code: number) => ({ status: "Finished", return_code }) as const;

describe("runOf", () => {
  const run = { status: "Finished", return_code: 0, stdout: "", stderr: "", execution_time: 0.1 };

  it("gives the run and the files", () => {
    const body = {
      status: "Success",
      message: "",
      compile_result: null,
      run_result: run,
      files: { a: "eA==" },
    };
    expect(runOf(body)).toEqual({ run, files: { a: "eA==" } });
  });

  it.each([
    ["a sandbox error", { status: "SandboxError", message: "full", run_result: null }, "unreachable"],
    ["an error of the run", { status: "Failed", run_result: { status: "Error" } }, "unreachable"],
    ["no run", { status: "Success", run_result: null }, "malformed"],
    ["no return code", { status: "Success", run_result: { ...run, return_code: null } }, "malformed"],
    ["another status", { status: "Fine", run_result: run }, "malformed"],
    ["a text", "ok", "malformed"],
  ])("is the host's fault with %s", (_, body, kind) => {
    expect(() => runOf(body)).toThrow(expect.objectContaining({ name: "HostFault", kind }));
  });
});

describe("readRecords", () => {
  it("reads the lines that carry the marker and no others", () => {
    const text = [
      "noise",
      "M begin",
      'M frame 0.25 {"k":"loaded"}',
      'X frame 9 {"k":"returned","v":1}',
      ' M frame 9 {"k":"returned","v":1}',
      'Mframe 9 {"k":"returned","v":1}',
      `M out ${base64("ä\nM stop value\n")}`,
      `M err ${base64("oops")}`,
      'M frame 0.5 {"k":"raised","t":"A B","m":"with  spaces"}\r',
      "M frame nonsense",
      "M something else",
    ].join("\n");
    expect(readRecords(text, "M")).toEqual({
      began: true,
      frames: ['{"k":"loaded"}', '{"k":"raised","t":"A B","m":"with  spaces"}', ""],
      stdout: "ä\nM stop value\n",
      stderr: "oops",
      cpuSeconds: 0.5,
      flooded: undefined,
      spilled: false,
    });
  });

  it("sees nothing begun in an answer to somebody else", () => {
    expect(readRecords("M begin\nM frame 0 {}", "N")).toMatchObject({ began: false, frames: [] });
  });
});

describe("endOf", () => {
  const records = readRecords("M begin", "M");

  it.each([
    ["an exit", finished(3), { kind: "exited", code: 3 }],
    ["a signal", finished(-11), { kind: "died", how: "was ended by SIGSEGV" }],
    ["a signal behind a shell", finished(139), { kind: "died", how: "was ended by SIGSEGV" }],
    ["the CPU clock", finished(-27), { kind: "timed-out", limit: "cpu" }],
    ["the CPU clock behind a shell", finished(155), { kind: "timed-out", limit: "cpu" }],
    ["the wall clock", finished(-14), { kind: "timed-out", limit: "wall" }],
    ["too much output", finished(-25), { kind: "flooded", what: "printed" }],
    ["the host's clock", { status: "TimeLimitExceeded" } as const, { kind: "timed-out", limit: "wall" }],
  ])("knows %s", (_, run, end) => {
    expect(endOf(run, records)).toEqual(end);
  });

  it("believes the script about floods before the return code", () => {
    const stopped = readRecords("M begin\nM stop value", "M");
    expect(endOf(finished(0), stopped)).toEqual({ kind: "flooded", what: "value" });
  });
});
