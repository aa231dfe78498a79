import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { arenaPairs } from "../../problems/arena/attack-pairs.ts";
import type { Problem } from "../../problems/problem.ts";
import { defaultLimits } from "../../sandbox/limits.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { scriptedSandbox } from "../../sandbox/scripted-sandbox.test.support.ts";
import { doubling, doublingFunction, openTestSandbox } from "../court.test.support.ts";
import { checkPairs, isCorrect } from "./check-pairs.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
});
afterAll(() => sandbox?.close());

const limits = defaultLimits;
const check = async (problem: Problem, buggy: string) =>
  (await checkPairs({ sandbox, limits, pairs: [{ id: "it", problem, buggy }] }))[0];

describe("checkPairs", () => {
  it("finds every pair of the arena usable, in both styles", async () => {
    for (const style of ["function", "stdio"] as const) {
      const pairs = arenaPairs({ split: "held-out", style, perProblem: 3, limit: 12 });
      const findings = await checkPairs({ sandbox, limits, pairs });
      expect(findings).toEqual(pairs.map(() => ({ kind: "usable" })));
    }
  });

  it.each([
    [doubling, "print(int(input()) * 2)"],
    [doublingFunction, "def double(x):\n    return x + x"],
  ])("refuses a program that is not wrong (%#)", async (problem, buggy) => {
    const count = problem.goldTests.length;
    expect(await check(problem, buggy)).toEqual({
      kind: "refused",
      reason: `the wrong program is not known to be wrong: it passes all ${count} gold tests`,
    });
  });

  it.each([
    [doubling, "print("],
    [doublingFunction, "def double(x) return x"],
    [doublingFunction, "def triple(x):\n    return x"],
  ])("refuses a program that does not load (%#)", async (problem, buggy) => {
    expect(await check(problem, buggy)).toEqual({
      kind: "refused",
      reason: expect.stringMatching(/^the wrong program does not load \(\w+: /),
    });
  });

  it.each([
    [doubling, "raise ValueError"],
    [doubling, "print(0)"],
    [doublingFunction, "def double(x):\n    raise ValueError"],
  ])("takes a program that loads and fails (%#)", async (problem, buggy) => {
    expect(await check(problem, buggy)).toEqual({ kind: "usable" });
  });

  it("does not let a program hang through all tests, nor take a slow one for wrong", async () => {
    const goldTests = Array.from({ length: 8 }, (_, x) => ({
      style: "stdio" as const,
      input: `${x}\n`,
      expected: `${2 * x}\n`,
    }));
    const problem = { ...doubling, goldTests, limits: { caseCpuSeconds: 0.4, programCpuSeconds: 30 } };
    const runs: number[] = [];
    const counting: Sandbox = {
      describe: () => sandbox.describe(),
      close: () => sandbox.close(),
      run: async (job, options) => {
        const report = await sandbox.run(job, options);
        if (job.source !== problem.reference) runs.push(report.cpuSeconds);
        return report;
      },
    };
    const hanging = { id: "it", problem, buggy: "while True: pass" };
    expect(await checkPairs({ sandbox: counting, limits, pairs: [hanging] })).toEqual([{ kind: "usable" }]);
    expect(Math.max(...runs)).toBeLessThan(8 * 0.4);
    const slow = "import time\nx = int(input())\nwhile time.process_time() < 0.2: pass\nprint(2 * x)";
    expect(await check(problem, slow)).toMatchObject({
      kind: "refused",
      reason: expect.stringContaining("passes all 8 gold tests"),
    });
  });

  it("refuses a reference that fails its own tests, and says where", async () => {
    const problem = { ...doubling, reference: "print(int(input()) + 1)" };
    expect(await check(problem, "print(1)")).toEqual({
      kind: "refused",
      reason: expect.stringMatching(/^goldTests\[0\]: the reference gives/),
    });
  });

  it("cannot check a problem without tests, and says so", async () => {
    expect(await check({ ...doubling, goldTests: [] }, "print(1)")).toEqual({ kind: "unchecked" });
  });

  it("does not take our own failure for the pair's", async () => {
    const broken = scriptedSandbox(() =>
      doubling.goldTests.map(() => ({ kind: "infrastructure", message: "lost" })),
    );
    const pairs = [{ id: "it", problem: doubling, buggy: "print(1)" }];
    expect(await checkPairs({ sandbox: broken, limits, pairs })).toEqual([
      { kind: "infrastructure", message: "lost" },
    ]);
  });
});

it("isCorrect asks for all tests", async () => {
  expect(await isCorrect(doubling, "x = int(input())\nprint(x + x)", { sandbox, limits })).toBe(true);
  expect(await isCorrect(doubling, "print(0)", { sandbox, limits })).toBe(false);
  expect(await isCorrect({ ...doubling, goldTests: [] }, "print(0)", { sandbox, limits })).toBe(false);
});
