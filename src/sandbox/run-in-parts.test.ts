import { describe, expect, it } from "vitest";
import { defaultLimits } from "./limits.ts";
import { functionJob, int, returned, stdioJob } from "./program-jobs.test.support.ts";
import { type PartFailure, type PartOrder, type PartRecord, runInParts } from "./run-in-parts.ts";
import type { ProgramJob } from "./sandbox.ts";

const loaded = '{"k":"loaded"}';
const answer = (n: number) => `{"k":"returned","v":${n}}`;
const threeCases = functionJob("source", [[int(1)], [int(2)], [int(3)]]);

const part = (more: Partial<PartRecord>): PartRecord => ({
  frames: [],
  end: { kind: "exited", code: 0 },
  stdout: "",
  stderr: "",
  denied: 1,
  cpuSeconds: 1,
  wallSeconds: 1,
  ...more,
});

/** Runs the job with these parts, one after the other. */
async function run(job: ProgramJob, parts: readonly (PartRecord | PartFailure)[]) {
  const orders: PartOrder[] = [];
  const report = await runInParts(job, async (order) => {
    orders.push(order);
    const next = parts[orders.length - 1];
    if (!next) throw new Error("there was one part too many");
    return next;
  });
  expect(orders).toHaveLength(parts.length);
  return { report, orders };
}

describe("runInParts", () => {
  it("needs one part for a program that answers everything", async () => {
    const { report, orders } = await run(threeCases, [
      part({ frames: [loaded, answer(1), answer(2), answer(3)] }),
    ]);
    expect(report).toEqual({
      loaded: true,
      observations: [1, 2, 3].map((n) => returned(int(n))),
      denied: 1,
      cpuSeconds: 1,
      wallSeconds: 1,
    });
    expect(orders[0]).toMatchObject({ cases: 3, programCpuSeconds: defaultLimits.programCpuSeconds });
  });

  it("goes on after a case that ended its interpreter, with the cases and the time that are left", async () => {
    const { report, orders } = await run(threeCases, [
      part({ frames: [loaded], end: { kind: "timed-out", limit: "cpu" }, cpuSeconds: 2 }),
      part({ frames: [loaded, answer(2), answer(3)] }),
    ]);
    expect(report.observations).toEqual([
      { kind: "timed-out", limit: "cpu" },
      returned(int(2)),
      returned(int(3)),
    ]);
    expect(report).toMatchObject({ loaded: true, denied: 2, cpuSeconds: 3 });
    expect(orders[1]).toMatchObject({ cases: 2, programCpuSeconds: defaultLimits.programCpuSeconds - 2 });
    expect(orders[1]!.body).not.toContain('"calls":[[[1]');
  });

  it("times out what is left when the program's time is used up", async () => {
    const { report } = await run(threeCases, [
      part({ frames: [loaded, answer(1)], end: { kind: "timed-out", limit: "cpu" }, cpuSeconds: 31 }),
    ]);
    expect(report.observations).toEqual([
      returned(int(1)),
      { kind: "timed-out", limit: "cpu" },
      { kind: "timed-out", limit: "program" },
    ]);
  });

  it("charges a program that only waits as much as one that computes", async () => {
    const { orders } = await run(threeCases, [
      part({ frames: [loaded], end: { kind: "timed-out", limit: "wall" }, cpuSeconds: 0, wallSeconds: 8 }),
      part({ frames: [loaded, answer(2), answer(3)] }),
    ]);
    // How long a case may wait depends on how busy this machine is, what it costs does not.
    const { caseWallSeconds, programCpuSeconds, programWallSeconds } = orders[0]!;
    expect(programWallSeconds / caseWallSeconds).toBeCloseTo(
      programCpuSeconds / defaultLimits.caseCpuSeconds,
    );
    const cost = (8 / caseWallSeconds) * defaultLimits.caseCpuSeconds;
    expect(orders[1]!.programCpuSeconds).toBeCloseTo(programCpuSeconds - cost);
  });

  it("has nothing to go on with when a program does not load", async () => {
    const failed = '{"k":"failed","t":"SyntaxError","m":"no"}';
    const { report } = await run(threeCases, [part({ frames: [failed] })]);
    expect(report.loaded).toBe(false);
    expect(report.observations.map(({ kind }) => kind)).toEqual(Array(3).fill("did-not-load"));
    const later = await run(threeCases, [part({ frames: [loaded] }), part({ frames: [failed] })]);
    expect(later.report.loaded).toBe(true);
    expect(later.report.observations.map(({ kind }) => kind)).toEqual([
      "raised",
      "did-not-load",
      "did-not-load",
    ]);
  });

  it("marks what is left as our failure when a part could not be run", async () => {
    const { report } = await run(threeCases, [
      part({ frames: [loaded, answer(1)], end: { kind: "died", how: "crashed" } }),
      { failure: "the worker was lost" },
    ]);
    expect(report.observations).toMatchObject([
      returned(int(1)),
      { kind: "raised" },
      { kind: "infrastructure", message: "the worker was lost" },
    ]);
  });

  it("gives every input of a stdio program a part of its own, and the input apart from the job", async () => {
    const exited = '{"k":"exited","c":0}';
    const { report, orders } = await run(stdioJob("source", ["first\n", "second\n"]), [
      part({ frames: [exited], stdout: "1" }),
      part({ frames: [exited], stdout: "2" }),
    ]);
    expect(orders.map(({ input, cases }) => [input, cases])).toEqual([
      ["first\n", 0],
      ["second\n", 0],
    ]);
    expect(orders[0]!.body).not.toContain("first");
    expect(report.observations).toMatchObject([{ stdout: "1" }, { stdout: "2" }]);
  });

  it("stops taking values when they are too much together", async () => {
    const large = `{"k":"returned","v":"${"x".repeat(defaultLimits.valueBytes)}"}`;
    const parts = Array.from({ length: 6 }, () => part({ frames: [loaded, large], cpuSeconds: 0.1 }));
    const job = functionJob(
      "source",
      Array.from({ length: 6 }, (_, n) => [int(n)]),
    );
    const { report } = await run(
      job,
      parts.map((each) => ({ ...each, frames: [...each.frames, '{"k":"full"}'] })),
    );
    const kinds = report.observations.map(({ kind }) => kind);
    expect(kinds).toEqual([
      "returned",
      "returned",
      "returned",
      "output-flood",
      "output-flood",
      "output-flood",
    ]);
  });
});
