/** `/judge` over the real sandbox. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNativeSandbox } from "../sandbox/native/native-sandbox.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { hasPython } from "../values/run-python.test.support.ts";
import { type LoopbackServer, linesOf, serveOnLoopback } from "./loopback-server.test.support.ts";

interface Line {
  readonly id: string | number;
  readonly cases: readonly { readonly test: unknown; readonly outcome: string; readonly actual?: string }[];
  readonly passed: number;
  readonly total: number;
}

describe.runIf(process.platform === "linux" && hasPython)("/judge", () => {
  let sandbox: Sandbox;
  let server: LoopbackServer;

  beforeAll(async () => {
    sandbox = await createNativeSandbox({ workers: 2 });
    server = await serveOnLoopback(sandbox);
  });
  afterAll(async () => {
    await server.close();
    await sandbox.close();
  });

  async function judge(...jobs: object[]): Promise<Line[]> {
    const response = await server.post("/judge", { jobs });
    expect(response.status).toBe(200);
    return (await linesOf(response)) as Line[];
  }

  const add = { style: "function", entryPoint: "add" };

  it("gives an outcome for each test, in the public shape", async () => {
    const tests = ["assert add(1, 2) == 3", "assert add(1, 2) == 4", { args: [2, 2], expected: 4 }];
    const [line] = await judge({ id: "a", problem: add, source: "def add(a, b): return a + b", tests });
    expect(line).toEqual({
      id: "a",
      loads: true,
      cases: [
        { test: tests[0], outcome: "passed", actual: "3" },
        { test: tests[1], outcome: "wrong-answer", actual: "3" },
        { test: "assert add(2, 2) == 4", outcome: "passed", actual: "4" },
      ],
      passed: 2,
      total: 3,
      isolation: sandbox.describe().isolation,
      integrity: "values",
      denied: 0,
    });
  });

  it("does not hold a broken test against the program", async () => {
    const tests = [
      "assert add(1, 2) == 3",
      "assert other(1)",
      "assert add(1, x) == 3",
      { input: "1", output: "2" },
    ];
    const [line] = await judge({ problem: add, source: "def add(a, b): return a + b", tests });
    expect(line).toMatchObject({
      id: 0,
      cases: [
        { outcome: "passed" },
        { test: tests[1], outcome: "invalid", message: expect.stringContaining("other") },
        { outcome: "invalid" },
        { outcome: "invalid" },
      ],
      passed: 1,
      total: 1,
    });
  });

  it("gives a whole batch, each job for itself", async () => {
    const tests = ["assert add(1, 2) == 3", "assert add(0, 0) == 0"];
    const sources = [
      "def add(a, b): return a + b",
      "def add(a, b:",
      "def add(a, b):\n    if a == 0: raise ValueError('zero')\n    return a + b",
      "def add(a, b):\n    while a: pass\n    return 0",
      "import os\ndef add(a, b): os._exit(0)",
      "class T(int):\n    def __eq__(self, o): return True\ndef add(a, b): return T(9)",
    ];
    const limits = { caseCpuSeconds: 0.3 };
    const lines = await judge(...sources.map((source, id) => ({ id, problem: add, source, tests, limits })));
    const outcomes = lines
      .sort((a, b) => Number(a.id) - Number(b.id))
      .map(({ cases }) => cases.map(({ outcome }) => outcome));
    expect(outcomes).toEqual([
      ["passed", "passed"],
      ["did-not-load", "did-not-load"],
      ["passed", "raised"],
      ["timed-out", "passed"],
      ["raised", "raised"],
      ["wrong-answer", "wrong-answer"],
    ]);
  });

  it("compares as the problem says", async () => {
    const source = "def add(a, b): return (a + b) * 1.0000001 if a else True";
    const tests = ["assert add(1, 2) == 3.0", "assert add(0, 1) == 1"];
    const comparison = { floatTolerance: 1e-6, booleans: "as-integers" };
    const [strict] = await judge({ problem: add, source, tests });
    const [loose] = await judge({ problem: { ...add, comparison }, source, tests });
    expect([strict!.passed, loose!.passed]).toEqual([0, 2]);
  });

  it("judges programs that read and print", async () => {
    const tests = [{ input: "1 2\n", output: "3\n" }, { input: "5 5", output: "11" }, "assert add(1)"];
    const [line] = await judge({
      problem: { style: "stdio" },
      source: "print(sum(map(int, input().split())))",
      tests,
    });
    expect(line).toMatchObject({
      cases: [
        { outcome: "passed", actual: "3\n" },
        { outcome: "wrong-answer", actual: "10\n" },
        { outcome: "invalid" },
      ],
      passed: 1,
      total: 2,
    });
  });

  it("says whether a program loads even when there is nothing to test", async () => {
    const [good] = await judge({ problem: add, source: "def add(): pass", tests: [] });
    const [bad] = await judge({ problem: add, source: "def add(:", tests: [] });
    const [stdio] = await judge({ problem: { style: "stdio" }, source: "print(1)", tests: ["no pair"] });
    expect([good, bad, stdio]).toMatchObject([{ loads: true, total: 0 }, { loads: false }, { total: 0 }]);
  });

  it("refuses a function problem without a function", async () => {
    const response = await server.post("/judge", {
      jobs: [{ problem: { style: "function" }, source: "", tests: [] }],
    });
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { error: { code: "invalid-request" } },
    ]);
  });

  it("counts outcomes for whoever watches", async () => {
    const text = await (await server.get("/metrics")).text();
    expect(text).toMatch(/sparring_cases_total\{endpoint="judge",outcome="passed"\} \d+/);
    expect(text).toMatch(/sparring_job_cpu_seconds_count [1-9]/);
  });
});
