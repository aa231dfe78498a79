import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../sandbox.ts";
import { functionJob, int, runFunction, runStdio, testLimits, text } from "./programs.test.support.ts";
import { createWasmSandbox } from "./wasm-sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createWasmSandbox({ workers: 2 });
});
afterAll(() => sandbox.close());

const add = "def f(x, y=1):\n    return x + y";
const forever = "def f(x=0):\n    while True: pass";
const foreverInC = "def f(x=0):\n    return sum(range(10**12))";

describe("function programs", () => {
  it("calls the entry point for each case and brings the values back", async () => {
    const report = await runFunction(sandbox, add, [[int(1), int(2)], [int(5)]]);
    expect(report).toMatchObject({
      loaded: true,
      observations: [
        { kind: "returned", value: int(3) },
        { kind: "returned", value: int(6) },
      ],
      denied: 0,
      isolation: "full",
      underLoad: false,
    });
    expect(report.wallSeconds).toBeGreaterThan(0);
  });

  it("calls methods of Solution on a new instance each time", async () => {
    const source =
      "class Solution:\n    def __init__(self): self.n = 0\n    def go(self):\n        self.n += 1\n        return self.n";
    const { observations } = await sandbox.run({
      source,
      work: {
        style: "function",
        entryPoint: "Solution().go",
        calls: [
          { args: [], keywords: {} },
          { args: [], keywords: {} },
        ],
      },
      limits: testLimits,
    });
    expect(observations).toEqual([
      { kind: "returned", value: int(1) },
      { kind: "returned", value: int(1) },
    ]);
  });

  it("passes keyword arguments", async () => {
    const { observations } = await sandbox.run({
      source: add,
      work: { style: "function", entryPoint: "f", calls: [{ args: [int(1)], keywords: { y: int(9) } }] },
      limits: testLimits,
    });
    expect(observations).toEqual([{ kind: "returned", value: int(10) }]);
  });

  it.each([
    [
      "raises",
      "def f():\n    return 1 // 0",
      { kind: "raised", error: { type: "ZeroDivisionError", line: 2 } },
    ],
    ["exits", "import sys\ndef f():\n    sys.exit(0)", { kind: "raised", error: { type: "SystemExit" } }],
    [
      "ends its process",
      "import os\ndef f():\n    os._exit(7)",
      { kind: "raised", error: { type: "Exited" } },
    ],
    ["aborts", "import os\ndef f():\n    os.abort()", { kind: "raised", error: { type: "Killed" } }],
    ["recurses", "def f():\n    return f()", { kind: "raised", error: { type: "RecursionError" } }],
    ["takes too much memory", "def f():\n    return bytearray(10**9)", { kind: "out-of-memory" }],
    ["prints too much", "def f():\n    print('x' * 10**6)", { kind: "output-flood", what: "printed" }],
    ["returns too much", "def f():\n    return 'x' * 10**6", { kind: "output-flood", what: "value" }],
    ["loops", "def f():\n    while True: pass", { kind: "timed-out", limit: "cpu" }],
    [
      "writes into the channel",
      "import os\ndef f():\n    os.write(3, b'\\x03\\0\\0\\0???')",
      { kind: "raised", error: { type: "ProtocolViolation" } },
    ],
    ["does not parse", "def f(:", { kind: "did-not-load", error: { type: "SyntaxError", line: 1 } }],
    ["lacks the function", "x = 1", { kind: "did-not-load", error: { type: "MissingEntryPoint" } }],
    ["exits while loading", "import os\nos._exit(0)", { kind: "did-not-load", error: { type: "Exited" } }],
    ["loops while loading", "while True: pass", { kind: "timed-out", limit: "cpu" }],
  ])("a program that %s", async (_, source, expected) => {
    const { observations } = await runFunction(sandbox, source);
    expect(observations).toMatchObject([expected]);
  });

  it("charges a hanging, crashing or flooding case to that case alone", async () => {
    const source = `
import os
def f(x):
    if x == 1: return sum(range(10**12))
    if x == 3: os._exit(0)
    if x == 5: print("y" * 10**6)
    if x == 7:
        while True: pass
    return x`;
    const { observations } = await runFunction(
      sandbox,
      source,
      Array.from({ length: 9 }, (_, index) => [int(index)]),
    );
    expect(observations.map(({ kind }) => kind)).toEqual([
      "returned",
      "timed-out",
      "returned",
      "raised",
      "returned",
      "output-flood",
      "returned",
      "timed-out",
      "returned",
    ]);
  });

  it("times out unrun what the program's budget does not cover", async () => {
    const cases = Array.from({ length: 5 }, (_, index) => [int(index)]);
    const limits = { caseCpuSeconds: 0.2, programCpuSeconds: 0.5 };
    const { observations } = await runFunction(sandbox, forever, cases, { limits });
    expect(observations[0]).toEqual({ kind: "timed-out", limit: "cpu" });
    expect(observations.at(-1)).toEqual({ kind: "timed-out", limit: "program" });
    expect(observations).toHaveLength(5);
  });

  it("ends a sleeper by wall time, without computing meanwhile", async () => {
    const source = "import time\ndef f():\n    time.sleep(3600)";
    const limits = { caseWallSeconds: 0.2 };
    const report = await runFunction(sandbox, source, [[]], { limits });
    expect(report.observations).toEqual([{ kind: "timed-out", limit: "wall" }]);
    expect(report.cpuSeconds).toBeLessThan(0.4);
  });

  it("carries large values and many of them", async () => {
    const source = "def f(n):\n    return list(range(n))";
    const { observations } = await runFunction(
      sandbox,
      source,
      Array.from({ length: 10 }, () => [int(20_000)]),
      { limits: { valueBytes: 1_000_000 } },
    );
    for (const observation of observations) {
      expect(observation.kind === "returned" && observation.value.type === "list").toBe(true);
      if (observation.kind === "returned" && observation.value.type === "list") {
        expect(observation.value.items).toHaveLength(20_000);
      }
    }
  });

  it("keeps what was answered before a thread had to be ended, however large", async () => {
    const source = "def f(x):\n    return [x] * 60_000 if x < 3 else sum(range(10**12))";
    const { observations } = await runFunction(sandbox, source, [[int(1)], [int(2)], [int(3)]], {
      limits: { valueBytes: 1_000_000, caseCpuSeconds: 0.3 },
    });
    expect(observations.map(({ kind }) => kind)).toEqual(["returned", "returned", "timed-out"]);
  });
});

describe("stdio programs", () => {
  const printed = (stdout: string, stderr = "", exitCode = 0) => ({
    kind: "printed",
    stdout,
    stderr,
    exitCode,
  });

  it.each([
    ["input()", "print(int(input()) + int(input()))"],
    ["sys.stdin.read()", "import sys\nprint(sum(map(int, sys.stdin.read().split())))"],
    ["sys.stdin.buffer", "import sys\nprint(sum(map(int, sys.stdin.buffer.read().split())))"],
    ["sys.stdin lines", "import sys\nprint(sum(int(line) for line in sys.stdin))"],
    ["sys.stdin.readline", "import sys\nr = sys.stdin.readline\nprint(int(r()) + int(r()))"],
    ["open(0)", "print(sum(map(int, open(0).read().split())))"],
    ["os.read(0)", "import os\nprint(sum(map(int, os.read(0, 1000).split())))"],
    ["fileinput", "import fileinput\nprint(sum(int(line) for line in fileinput.input()))"],
  ])("reads its input by %s", async (_, source) => {
    const { observations } = await runStdio(sandbox, source, ["3\n4\n", "10\n-1\n"]);
    expect(observations).toEqual([printed("7\n"), printed("9\n")]);
  });

  it("runs as __main__, afresh for each input", async () => {
    const source = `
import os
open("/tmp/count", "a").write("x")
if __name__ == "__main__":
    print(os.path.getsize("/tmp/count"), input())`;
    const { observations } = await runStdio(sandbox, source, ["a", "b"]);
    expect(observations).toEqual([printed("1 a\n"), printed("1 b\n")]);
  });

  it.each([
    ["sys.exit()", "import sys\nprint('out')\nsys.exit()", printed("out\n")],
    ["sys.exit(3)", "import sys\nprint('out')\nsys.exit(3)", printed("out\n", "", 3)],
    ["sys.exit('why')", "import sys\nsys.exit('why')", printed("", "why\n", 1)],
    ["os._exit(4), losing what was not flushed", "import os\nprint('out')\nos._exit(4)", printed("", "", 4)],
    [
      "atexit handlers",
      "import atexit\natexit.register(print, 'late')\nprint('early')",
      printed("early\nlate\n"),
    ],
    ["bytes that are no UTF-8", "import os\nos.write(1, b'a\\xffb')", printed("a\ufffdb")],
    ["both streams", "import sys\nprint('o')\nprint('e', file=sys.stderr)", printed("o\n", "e\n")],
    ["a closed stdout", "import sys\nprint('x', flush=True)\nsys.stdout.close()", printed("x\n")],
    [
      "a thread for a deeper stack",
      "import sys, threading\ndef main():\n    print(input())\nthreading.stack_size(1 << 27)\nt = threading.Thread(target=main)\nt.start()\nt.join()",
      printed("in\n"),
    ],
    ["a demo that reads nothing", "print('é€😀')", printed("é€😀\n")],
  ])("ends by %s", async (_, source, expected) => {
    const { observations } = await runStdio(sandbox, source, ["in\n"]);
    expect(observations).toEqual([expected]);
  });

  it("reports an exception with what was printed before it", async () => {
    const { observations } = await runStdio(sandbox, "print('before')\nprint(1 // 0)");
    expect(observations).toMatchObject([
      { kind: "raised", error: { type: "ZeroDivisionError", line: 2 }, stdout: "before\n" },
    ]);
    const [observation] = observations;
    expect(observation?.kind === "raised" && observation.stderr).toContain("ZeroDivisionError");
  });

  it("ends floods without a newline and endless loops, each for its input only", async () => {
    const source = `
import sys
what = input()
while what == "flood": sys.stdout.write("x" * 1000)
while what == "loop": pass
print(what)`;
    const { observations } = await runStdio(sandbox, source, ["flood", "loop", "fine"]);
    expect(observations).toMatchObject([
      { kind: "output-flood", what: "printed" },
      { kind: "timed-out", limit: "cpu" },
      printed("fine\n"),
    ]);
  });
});

describe("scheduling", () => {
  it("runs as many programs at a time as it has threads and answers all", async () => {
    const reports = await Promise.all(
      Array.from({ length: 40 }, (_, index) => runFunction(sandbox, add, [[int(index)]])),
    );
    expect(reports.map(({ observations }) => observations[0])).toEqual(
      Array.from({ length: 40 }, (_, index) => ({ kind: "returned", value: int(index + 1) })),
    );
    expect(reports.some(({ underLoad }) => underLoad)).toBe(true);
  });

  it("runs a lone job without company", async () => {
    const others = Array.from({ length: 6 }, () => runFunction(sandbox, add, [[int(1)]]));
    const lone = await runFunction(sandbox, add, [[int(1)]], { alone: true });
    expect(lone.underLoad).toBe(false);
    await Promise.all(others);
  });

  it("gives up queued and running jobs when asked, and goes on with others", async () => {
    const stop = new AbortController();
    const jobs = [forever, foreverInC, forever, add].map((source) =>
      runFunction(sandbox, source, [[int(1)]], { signal: stop.signal, limits: { caseCpuSeconds: 60 } }),
    );
    // Long enough for the first two to be in the middle of it.
    setTimeout(() => stop.abort(new Error("not needed")), 100);
    await Promise.all(jobs.map((job) => expect(job).rejects.toThrow("not needed")));
    await expect(runFunction(sandbox, add, [[int(1)]], { signal: stop.signal })).rejects.toThrow(
      "not needed",
    );
    const { observations } = await runFunction(sandbox, add, [[int(1)]]);
    expect(observations).toEqual([{ kind: "returned", value: int(2) }]);
  });

  it("rejects a malformed job and stays usable", async () => {
    const opaque = { type: "opaque", typeName: "X", reason: "object" } as const;
    await expect(runFunction(sandbox, add, [[opaque]])).rejects.toThrow(TypeError);
    const { observations } = await runFunction(sandbox, "def f(s):\n    return s.upper()", [[text("ok")]]);
    expect(observations).toEqual([{ kind: "returned", value: text("OK") }]);
  });

  it("refuses a source that is too large to be a program", async () => {
    const { observations } = await runFunction(sandbox, "#".repeat(2_000_000));
    expect(observations).toMatchObject([{ kind: "did-not-load", error: { type: "SourceTooLarge" } }]);
  });

  it("ends running jobs when closed and takes no more", async () => {
    const other = await createWasmSandbox({ workers: 2 });
    const job = functionJob(forever, [[int(1)]]);
    const limits = { ...testLimits, caseCpuSeconds: 60 };
    const running = [forever, foreverInC, add].map((source) => other.run({ ...job, source, limits }));
    const refused = running.map((run) => expect(run).rejects.toMatchObject({ code: "sandbox-closed" }));
    await Promise.all([other.close(), ...refused]);
    await expect(other.run(job)).rejects.toMatchObject({ code: "sandbox-closed" });
    await other.close();
  });

  it("describes itself", () => {
    expect(sandbox.describe()).toMatchObject({
      kind: "wasm",
      isolation: "full",
      integrity: "values",
      workers: 2,
    });
    expect(sandbox.describe().python).toMatch(/^3\.\d+\.\d+$/);
    expect(sandbox.describe().layers.every(({ active }) => active)).toBe(true);
  });
});
