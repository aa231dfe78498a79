import { describe, expect, it } from "vitest";
import type { Problem } from "../problems/problem.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import type { Observation } from "../sandbox/sandbox.ts";
import { callWith, integer, scriptedSandbox } from "../sandbox/scripted-sandbox.test.support.ts";
import { exactComparison } from "../values/compare.ts";
import type { PythonValue } from "../values/python-value.ts";
import { judgeProblem, limitsFor } from "./judge-problem.ts";

const problem: Problem = {
  id: "plus",
  question: "Add one.",
  style: "function",
  entryPoint: "f",
  reference: "def f(x): return x + 1",
  goldTests: [{ style: "function", call: callWith(1n), expected: integer(2n) }],
  difficulty: undefined,
  comparison: exactComparison,
  metadata: {},
};

describe("judgeProblem", () => {
  it("gives the outcomes of the gold tests", async () => {
    const sandbox = scriptedSandbox(() => [{ kind: "returned", value: integer(2n) }]);
    const verdict = await judgeProblem({ sandbox, source: "", problem, limits: defaultLimits });
    expect(verdict.outcomes).toEqual([{ kind: "passed", actual: "2" }]);
  });

  it("gives the outcome of the check program last, and counts what both were refused", async () => {
    const text = (value: string): PythonValue => ({ type: "str", value });
    const broken = JSON.stringify({ kind: "broken", message: "it is empty", calls: 0 });
    const report: PythonValue = { type: "tuple", items: [text(broken), { type: "list", items: [] }] };
    const sandbox = scriptedSandbox(
      (job): Observation[] => [
        { kind: "returned", value: job.source.includes("run_check") ? report : integer(3n) },
      ],
      { denied: 1 },
    );
    const check = { form: "check", source: "…" } as const;
    const verdict = await judgeProblem({
      sandbox,
      source: "",
      problem: { ...problem, check },
      limits: defaultLimits,
    });
    expect(verdict.outcomes).toEqual([
      { kind: "wrong-answer", actual: "3" },
      { kind: "infrastructure", message: "the problem's check program cannot be used: it is empty" },
    ]);
    expect(verdict.loads).toBe(true);
  });
});

describe("limitsFor", () => {
  it("puts the problem's limits over the usual ones", () => {
    expect(limitsFor({}, defaultLimits)).toEqual(defaultLimits);
    expect(limitsFor({ limits: { memoryBytes: 2 ** 30 } }, defaultLimits)).toEqual({
      ...defaultLimits,
      memoryBytes: 2 ** 30,
    });
  });

  it("lets wall time and budget grow with the CPU time of a case, unless the problem sets them", () => {
    expect(limitsFor({ limits: { caseCpuSeconds: 20 } }, defaultLimits)).toMatchObject({
      caseCpuSeconds: 20,
      caseWallSeconds: 80,
      programCpuSeconds: 80,
    });
    const own = { caseCpuSeconds: 20, caseWallSeconds: 30, programCpuSeconds: 40 };
    expect(limitsFor({ limits: own }, defaultLimits)).toMatchObject(own);
    expect(limitsFor({ limits: { caseCpuSeconds: 0.5 } }, defaultLimits)).toMatchObject({
      caseCpuSeconds: 0.5,
      caseWallSeconds: defaultLimits.caseWallSeconds,
    });
  });
});
