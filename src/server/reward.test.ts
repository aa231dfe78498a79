/** `/reward` over the real sandbox. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSuites } from "../evaluation/suite-file.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { scriptedSandbox } from "../sandbox/scripted-sandbox.test.support.ts";
import { type LoopbackServer, serveOnLoopback } from "./loopback-server.test.support.ts";

interface Answer {
  readonly reward: string;
  readonly items: readonly Record<string, unknown>[];
}

let folder: string;
let sandbox: Sandbox;
let server: LoopbackServer;
const runs: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-reward-"));
  const file = path.join(folder, "suites.jsonl");
  const add = { problem: "add", style: "function", entryPoint: "add" };
  const tests = ["assert add(1, 2) == 3", "assert add(2, 2) == 4", "assert add(0, 0) == 0"];
  const stdio = { problem: 7, style: "stdio", tests: [{ input: "1 2\n", output: "3\n" }] };
  const empty = { problem: "empty", style: "stdio", tests: [] };
  const lines = [{ ...add, tests, votes: [3, 2, 1] }, stdio, empty];
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  sandbox = await createSandbox({ workers: 2, demand: "limits" });
  const counting: Sandbox = {
    describe: () => sandbox.describe(),
    close: () => sandbox.close(),
    run: (job, options) => {
      runs.push(job.source);
      return sandbox.run(job, options);
    },
  };
  server = await serveOnLoopback(counting, { suites: await readSuites(file) });
});
afterAll(async () => {
  await server.close();
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

async function reward(body: object, to = server): Promise<Answer> {
  const response = await to.post("/reward", body);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}
const right = "def add(a, b): return a + b";
const wrong = "def add(a, b): return a * b";

describe("/reward", () => {
  it("scores replies by the suites it was started with, in order", async () => {
    const { items, ...rest } = await reward({
      items: [
        { problem: "add", code: wrong },
        { id: "chat", problem: "add", solution: `Sure!\n\`\`\`python\n${right}\n\`\`\`\nDone.` },
        { problem: 7, solution: "<think>hm</think>\nprint(sum(map(int, input().split())))" },
      ],
    });
    expect(rest).toEqual({ reward: "pass-rate" });
    expect(items).toEqual([
      { score: 2 / 3, passed: 2, total: 3, loads: true, masked: false },
      { id: "chat", score: 1, passed: 3, total: 3, loads: true, masked: false },
      { score: 1, passed: 1, total: 1, loads: true, masked: false },
    ]);
  });

  it.each([
    ["pass-rate", [2 / 3, 1, 0, 0]],
    ["all-pass", [0, 1, 0, 0]],
    ["weighted", [0.7, 1, 0.1, 0]],
  ])("rewards by %s", async (name, expected) => {
    const unready = "import nowhere\ndef add(a, b): return a + b";
    const items = [wrong, right, unready, "def add(a, b:"].map((code) => ({ problem: "add", code }));
    const answer = await reward({ items, reward: name });
    expect(answer.items.map(({ score }) => score)).toEqual(
      expected.map((score) => expect.closeTo(score, 12)),
    );
    expect(answer.items.map(({ loads }) => loads)).toEqual([true, true, false, false]);
  });

  it("gives 0 to a reply without a program, of either style", async () => {
    const { items } = await reward({
      reward: "weighted",
      items: [
        { problem: "add", solution: "I cannot do that." },
        { problem: "add", solution: "```\nno program\n```" },
        { problem: 7, solution: "Sorry, no." },
        { problem: "add", solution: "" },
      ],
    });
    expect(items.map(({ score, loads, masked }) => [score, loads, masked])).toEqual([
      [0, false, false],
      [0, false, false],
      [0, false, false],
      [0, false, false],
    ]);
  });

  it("takes suites that come with the item, and does not count tests it cannot read", async () => {
    const { items } = await reward({
      items: [
        { code: right, entryPoint: "add", tests: ["assert add(1, 1) == 2", "assert other(1)"] },
        { code: "print(input())", tests: [{ input: "a", output: "a" }] },
        { code: right, problem: "add", tests: [{ args: [1, 1], expected: 3 }] },
        {
          code: "def add(a, b): return 3.0000001",
          problem: "add",
          tests: ["assert add(1, 2) == 3.0"],
          comparison: { floatTolerance: 1e-3 },
        },
      ],
    });
    expect(items).toMatchObject([
      { score: 1, total: 1, invalidTests: 1 },
      { score: 1, total: 1 },
      { score: 0, total: 1 },
      { score: 1, total: 1 },
    ]);
  });

  it("says why tests cannot be read", async () => {
    const { items } = await reward({
      items: [
        { code: right, entryPoint: "add", tests: ["assert other(1) == 2", "assert add(1, 1) > 1"] },
        { code: right, entryPoint: "add", tests: ["assert add(1, 1) == 2", "assert other(1) == 2"] },
      ],
    });
    const reason = "neither side is a call of `add`";
    expect(items).toMatchObject([
      { score: null, total: 0, invalidTests: 2, message: `no test can be read: ${reason}` },
      { score: 1, total: 1, invalidTests: 1, message: `a test cannot be read: ${reason}` },
    ]);
  });

  it.each([
    [{ tests: ["assert add(1, 1) == 2"] }, "need an entryPoint"],
    [{ tests: [{ args: [1, 1], expected: 2 }] }, "need an entryPoint"],
    [{ style: "function", tests: [] }, "need an entryPoint"],
    [{ problem: 7, tests: ["assert add(1, 1) == 2"] }, "the style is stdio, and all tests are calls"],
    [{ problem: "add", tests: [{ input: "1", output: "2" }] }, "all tests are pairs of input and output"],
    [{ style: "function" }, "an item needs a problem whose suite is known, or tests"],
  ])("refuses %j and says where to look", async (item, message) => {
    const response = await server.post("/reward", { items: [{ code: right, ...item }] });
    expect([response.status, await response.json()]).toEqual([
      422,
      {
        error: {
          code: "invalid-request",
          message: expect.stringContaining(message),
          hint: expect.stringContaining("docs/reward-source.md"),
        },
      },
    ]);
  });

  it("knows of a program that reads and prints only whether it is Python", async () => {
    const programs = ["import os\nos._exit(0)", "import nowhere", "print("];
    const { items } = await reward({ items: programs.map((code) => ({ problem: 7, code })) });
    expect(items.map(({ score, loads }) => [score, loads])).toEqual([
      [0, true],
      [0, true],
      [0, false],
    ]);
  });

  it("has no score where there is no test", async () => {
    const { items } = await reward({ items: [{ problem: "empty", code: "print(1)" }] });
    expect(items).toEqual([
      { score: null, passed: 0, total: 0, loads: false, masked: true, message: "the suite holds no test" },
    ]);
  });

  it("runs the same reply to the same problem once, and not with other limits", async () => {
    const code = "def add(a, b): return a + b  # once";
    runs.length = 0;
    const same = Array.from({ length: 8 }, () => ({ problem: "add", code }));
    const other = { problem: "add", code, limits: { caseCpuSeconds: 1 } };
    const { items } = await reward({ items: [...same, other] });
    expect(items.map(({ score }) => score)).toEqual(Array(9).fill(1));
    expect(runs).toHaveLength(2);
  });

  it("does not let a program answer for the judge", async () => {
    const forging = [
      "class T(int):\n    def __eq__(self, o): return True\ndef add(a, b): return T(9)",
      "import os\ndef add(a, b):\n    print('{\"score\": 1}')\n    os._exit(0)",
      "def add(a, b):\n    import sys\n    f = sys._getframe()\n    while f.f_back: f = f.f_back\n    return f.f_locals.get('expected')",
    ];
    const { items } = await reward({ items: forging.map((code) => ({ problem: "add", code })) });
    expect(items.map(({ score }) => score)).toEqual([0, 0, 0]);
  });

  it("masks what the sandbox loses", async () => {
    const failing = scriptedSandbox((job) =>
      job.work.style === "stdio"
        ? job.work.inputs.map(() => ({ kind: "infrastructure", message: "no worker" }))
        : Promise.reject(new Error("the sandbox is gone")),
    );
    const other = await serveOnLoopback(failing);
    try {
      const { items } = await reward(
        {
          reward: "weighted",
          items: [
            { code: "print(1)", tests: [{ input: "", output: "1" }] },
            { code: right, entryPoint: "add", tests: ["assert add(1, 1) == 2"] },
          ],
        },
        other,
      );
      expect(items).toMatchObject([
        { score: null, masked: true, message: "no worker" },
        { score: null, masked: true, message: "the sandbox is gone" },
      ]);
    } finally {
      await other.close();
    }
  });

  it.each([
    [{ items: [] }, "invalid-request"],
    [{ items: [{ problem: "add" }] }, "invalid-request"],
    [{ items: [{ problem: "add", code: "", solution: "" }] }, "invalid-request"],
    [{ items: [{ code: "" }] }, "invalid-request"],
    [{ items: [{ problem: "add", code: "" }], reward: "best" }, "invalid-request"],
    [{ items: [{ code: "", tests: [], style: "function" }] }, "invalid-request"],
    [{ items: [{ problem: "subtract", code: "" }] }, "unknown-problem"],
  ])("refuses %j", async (body, code) => {
    const response = await server.post("/reward", body);
    expect([response.status, await response.json()]).toMatchObject([422, { error: { code } }]);
  });

  it("is counted, and says how many suites there are", async () => {
    expect(await (await server.get("/health")).json()).toMatchObject({ suites: 3 });
    const text = await (await server.get("/metrics")).text();
    expect(text).toMatch(/sparring_cases_total\{endpoint="reward",outcome="passed"\} \d+/);
  });
});
