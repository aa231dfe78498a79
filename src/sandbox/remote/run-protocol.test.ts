import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryValue } from "../../values/arbitrary-value.test.support.ts";
import { defaultLimits } from "../limits.ts";
import type { Observation, ProgramJob, SandboxReport } from "../sandbox.ts";
import { decodeReport, encodeReport, encodeRunJob, runRequestSchema } from "./run-protocol.ts";

const report = (observations: readonly Observation[]): SandboxReport => ({
  loaded: true,
  observations,
  denied: 1,
  cpuSeconds: 0.5,
  wallSeconds: 1,
  underLoad: true,
  isolation: "full",
});
const overTheWire = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
const oneCall: ProgramJob["work"] = {
  style: "function",
  entryPoint: "f",
  calls: [{ args: [], keywords: {} }],
};
const oneInput: ProgramJob["work"] = { style: "stdio", inputs: ["x"] };
const error = { type: "ValueError", message: "no", line: 3 };

describe("jobs", () => {
  it("arrive as they were sent, whatever their arguments", () => {
    fc.assert(
      fc.property(fc.array(arbitraryValue), fc.dictionary(fc.string(), arbitraryValue), (args, keywords) => {
        const work = { style: "function", entryPoint: "f", calls: [{ args, keywords }] } as const;
        const job: ProgramJob = { source: "x", work, limits: defaultLimits };
        const { jobs } = runRequestSchema.parse(overTheWire({ jobs: [encodeRunJob(job, { alone: true })] }));
        expect(jobs[0]).toEqual({ ...job, alone: true });
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it("of a stdio program too, with texts that are hard on encodings", () => {
    const work = { style: "stdio", inputs: ["", "ä\n\0", "\ud800"] } as const;
    const job: ProgramJob = { source: "print('\u2028')", work, limits: defaultLimits };
    const { jobs } = runRequestSchema.parse(overTheWire({ jobs: [encodeRunJob(job, {})] }));
    expect(jobs[0]).toEqual({ ...job, alone: false });
  });
});

describe("reports", () => {
  it("arrive as they were sent", () => {
    fc.assert(
      fc.property(arbitraryValue, (value) => {
        const sent = report([{ kind: "returned", value }]);
        expect(decodeReport(overTheWire(encodeReport(sent)), oneCall)).toEqual(sent);
      }),
      { seed: 1, numRuns: 200 },
    );
    const others: Observation[] = [
      { kind: "raised", error, stdout: "a", stderr: "b" },
      { kind: "raised", error: { type: "Exited", message: "" } },
      { kind: "timed-out", limit: "wall" },
      { kind: "out-of-memory" },
      { kind: "output-flood", what: "value" },
      { kind: "did-not-load", error },
      { kind: "infrastructure", message: "lost" },
    ];
    for (const observation of others) {
      const sent = report([observation]);
      expect(decodeReport(overTheWire(encodeReport(sent)), oneCall)).toEqual(sent);
    }
    const printed = report([{ kind: "printed", stdout: "1", stderr: "", exitCode: 3 }]);
    expect(decodeReport(overTheWire(encodeReport(printed)), oneInput)).toEqual(printed);
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "ok"],
    ["no observations", { ...report([]), observations: undefined }],
    ["too few observations", report([])],
    ["too many observations", report([{ kind: "out-of-memory" }, { kind: "out-of-memory" }])],
    ["an unknown observation", { ...report([]), observations: [{ kind: "passed" }] }],
    ["a value that is none", { ...report([]), observations: [{ kind: "returned", value: { q: 1 } }] }],
    ["no value", { ...report([]), observations: [{ kind: "returned" }] }],
    ["an unknown isolation", { ...report([{ kind: "out-of-memory" }]), isolation: "perfect" }],
    ["a negative time", { ...report([{ kind: "out-of-memory" }]), cpuSeconds: -1 }],
    ["what only a stdio program does", report([{ kind: "printed", stdout: "", stderr: "", exitCode: 0 }])],
  ])("with %s are not taken", (_, body) => {
    expect(decodeReport(body, oneCall)).toHaveProperty("complaint");
  });
});
