import { describe, expect, it } from "vitest";
import { defaultLimits } from "../sandbox/limits.ts";
import type { Observation, ProgramJob } from "../sandbox/sandbox.ts";
import {
  callWith,
  firstArguments,
  integer,
  scriptedSandbox,
} from "../sandbox/scripted-sandbox.test.support.ts";
import { runConfirmed } from "./run-confirmed.ts";

const job: ProgramJob = {
  source: "def f(n): return n",
  work: { style: "function", entryPoint: "f", calls: [0n, 1n, 2n, 3n].map(callWith) },
  limits: defaultLimits,
};

const returned = (value: bigint): Observation => ({ kind: "returned", value: integer(value) });
const timedOut = (limit: "cpu" | "wall" | "program"): Observation => ({ kind: "timed-out", limit });
const kinds = (observations: readonly Observation[]) => observations.map(({ kind }) => kind);

describe("runConfirmed", () => {
  it("runs once when nothing timed out", async () => {
    const sandbox = scriptedSandbox((asked) => firstArguments(asked).map(returned));
    const report = await runConfirmed(sandbox, job);
    expect(sandbox.asked).toHaveLength(1);
    expect(report.observations).toEqual([0n, 1n, 2n, 3n].map(returned));
  });

  it("believes a time-out of a program that ran alone", async () => {
    const sandbox = scriptedSandbox((asked) => firstArguments(asked).map(() => timedOut("cpu")), {
      underLoad: false,
    });
    const report = await runConfirmed(sandbox, job);
    expect(sandbox.asked).toHaveLength(1);
    expect(kinds(report.observations)).toEqual(Array(4).fill("timed-out"));
  });

  it("lets one confirmed time-out stand for the others", async () => {
    const sandbox = scriptedSandbox((asked) =>
      firstArguments(asked).map((n) => (n === 1n || n === 3n ? timedOut("cpu") : returned(n))),
    );
    const report = await runConfirmed(sandbox, job);
    expect(sandbox.asked).toHaveLength(2);
    expect(sandbox.asked[1]!.options.alone).toBe(true);
    expect(firstArguments(sandbox.asked[1]!.job)).toEqual([1n]);
    expect(kinds(report.observations)).toEqual(["returned", "timed-out", "returned", "timed-out"]);
    expect(report.cpuSeconds).toBe(2);
  });

  it("runs the whole program again alone when the load was to blame", async () => {
    const sandbox = scriptedSandbox((asked, { alone }) =>
      firstArguments(asked).map((n) => (alone || n === 0n ? returned(n) : timedOut("wall"))),
    );
    const report = await runConfirmed(sandbox, job);
    expect(sandbox.asked.map(({ job: { work }, options }) => [workSize(work), options.alone])).toEqual([
      [4, undefined],
      [1, true],
      [4, true],
    ]);
    expect(report.observations).toEqual([0n, 1n, 2n, 3n].map(returned));
    expect(report.underLoad).toBe(false);
    expect(report.cpuSeconds).toBe(3);
  });

  it("gives a program that used up its budget the same budget again, no larger one", async () => {
    // Two cases fit into the budget, busy or not: running the rest by itself would let all of them through.
    const sandbox = scriptedSandbox((asked) =>
      firstArguments(asked).map((n, index) => (index < 2 ? returned(n) : timedOut("program"))),
    );
    const report = await runConfirmed(sandbox, job);
    expect(kinds(report.observations)).toEqual(["returned", "returned", "timed-out", "timed-out"]);
    expect(sandbox.asked).toHaveLength(2);
    expect(workSize(sandbox.asked[1]!.job.work)).toBe(4);
  });

  it("asks again for a stdio program's input alone", async () => {
    const stdio: ProgramJob = { ...job, work: { style: "stdio", inputs: ["a", "b"] } };
    const sandbox = scriptedSandbox(({ work }) =>
      (work.style === "stdio" ? work.inputs : []).map((input) =>
        input === "b" ? timedOut("wall") : { kind: "printed", stdout: input, stderr: "", exitCode: 0 },
      ),
    );
    const report = await runConfirmed(sandbox, stdio);
    expect(sandbox.asked[1]!.job.work).toEqual({ style: "stdio", inputs: ["b"] });
    expect(kinds(report.observations)).toEqual(["printed", "timed-out"]);
  });

  it("hands the signal to every run", async () => {
    const { signal } = new AbortController();
    const sandbox = scriptedSandbox((asked) => firstArguments(asked).map(() => timedOut("cpu")));
    await runConfirmed(sandbox, job, signal);
    expect(sandbox.asked.map(({ options }) => options.signal)).toEqual([signal, signal]);
  });

  it("does not turn our own failure into a verdict", async () => {
    const broken: Observation = { kind: "infrastructure", message: "the worker was lost" };
    const sandbox = scriptedSandbox((asked, { alone }) =>
      firstArguments(asked).map(() => (alone ? broken : timedOut("cpu"))),
    );
    const report = await runConfirmed(sandbox, job);
    expect(kinds(report.observations)).toEqual(Array(4).fill("infrastructure"));
  });
});

function workSize(work: ProgramJob["work"]): number {
  return work.style === "function" ? work.calls.length : work.inputs.length;
}
