/**
 * What every sandbox promises, as tests. An adapter's test file calls `sandboxContract` with a way to start one with
 * two workers, or with the reason why this machine cannot.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PythonValue } from "../values/python-value.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { functionJob, int, returned, stdioJob, text } from "./program-jobs.test.support.ts";
import { type IsolationLevel, isolationLevels, type ProgramJob, type Sandbox } from "./sandbox.ts";
import { closingContract, schedulingContract } from "./scheduling-contract.test.support.ts";

export type StartForContract = () => Promise<Sandbox | string>;

const megabyte = 1024 * 1024;
/** Time enough for any import, and little enough that a hanging case does not take long. */
const limits: Limits = {
  ...defaultLimits,
  caseCpuSeconds: 1,
  caseWallSeconds: 60,
  memoryBytes: 128 * megabyte,
};

export function sandboxContract(start: StartForContract): void {
  let started: Sandbox | string = "not started";
  beforeAll(async () => {
    started = await start();
  });
  afterAll(async () => {
    if (typeof started !== "string") await started.close();
  });

  /** A test that is skipped, with the reason, where there is no sandbox. */
  const promise = (what: string, check: (sandbox: Sandbox) => Promise<void>) =>
    it(what, async (context) => {
      if (typeof started === "string") return context.skip(started);
      await check(started);
    });

  const observe = async (sandbox: Sandbox, job: ProgramJob, more: Partial<Limits> = {}) =>
    (await sandbox.run({ ...job, limits: { ...limits, ...more } })).observations;

  describe("a function program", () => {
    promise("is called for each case, in order, with its own arguments", async (sandbox) => {
      const source = "def f(a, b=[], *, c=0):\n    a.append(c)\n    b.append(1)\n    return [a, len(b)]";
      const job: ProgramJob = {
        source,
        work: {
          style: "function",
          entryPoint: "f",
          calls: [
            { args: [{ type: "list", items: [] }], keywords: {} },
            { args: [{ type: "list", items: [int(5)] }], keywords: { c: int(7) } },
            {
              args: [
                { type: "list", items: [] },
                { type: "list", items: [] },
              ],
              keywords: {},
            },
          ],
        },
        limits,
      };
      const list = (...items: PythonValue[]): PythonValue => ({ type: "list", items });
      expect(await observe(sandbox, job)).toEqual([
        returned(list(list(int(0)), int(1))),
        returned(list(list(int(5), int(7)), int(2))),
        returned(list(list(int(0)), int(1))),
      ]);
    });

    promise("has a new instance for every call of a method", async (sandbox) => {
      const source =
        "class Solution:\n    n = 0\n    def go(self, k):\n        self.n += k\n        return self.n";
      const job = functionJob(source, [[int(1)], [int(2)]], "Solution().go");
      expect(await observe(sandbox, job)).toEqual([returned(int(1)), returned(int(2))]);
    });

    promise("that does something else for each case is seen to do just that", async (sandbox) => {
      const source = `
import os, sys
def f(n):
    if n == 0: return "right"
    if n == 1: raise KeyError("one")
    if n == 2: sys.exit(0)
    if n == 3: os._exit(0)
    if n == 4:
        while True: pass
    if n == 5: return bytearray(1 << 30)
    if n == 6: print("x" * 3000000)
    if n == 7: return "x" * 9000000
    if n == 8: os.abort()
    if n == 9: return open("/nowhere")
    return "right"`;
      const cases = Array.from({ length: 11 }, (_, n) => [int(n)]);
      const observations = await observe(sandbox, functionJob(source, cases));
      expect(observations).toMatchObject([
        { kind: "returned", value: text("right") },
        { kind: "raised", error: { type: "KeyError", message: "'one'", line: 5 } },
        { kind: "raised", error: { type: "SystemExit" } },
        { kind: "raised", error: { type: "Exited" } },
        { kind: "timed-out", limit: "cpu" },
        { kind: "out-of-memory" },
        { kind: "output-flood", what: "printed" },
        { kind: "output-flood", what: "value" },
        { kind: "raised", error: { type: "Killed" } },
        { kind: "raised", error: { type: "FileNotFoundError" } },
        { kind: "returned", value: text("right") },
      ]);
    });

    promise("that does not load says why, for all of its cases", async (sandbox) => {
      const two = [[int(1)], [int(2)]];
      const ends: [string, object][] = [
        ["def f(n:\n    pass", { kind: "did-not-load", error: { type: "SyntaxError", line: 1 } }],
        ["x = 1\n1 / 0", { kind: "did-not-load", error: { type: "ZeroDivisionError", line: 2 } }],
        ["import no_such_module", { kind: "did-not-load", error: { type: "ModuleNotFoundError" } }],
        ["def g(n): pass", { kind: "did-not-load", error: { type: "MissingEntryPoint" } }],
        ["raise SystemExit(0)", { kind: "did-not-load", error: { type: "SystemExit" } }],
        ["import os\nos._exit(0)", { kind: "did-not-load", error: { type: "Exited" } }],
        ["while True: pass", { kind: "timed-out", limit: "cpu" }],
        ["raise MemoryError", { kind: "out-of-memory" }],
        ["while True: print('x' * 100000)", { kind: "output-flood", what: "printed" }],
        ["\u0000", { kind: "did-not-load" }],
        ["f = '\ud800'", { kind: "did-not-load" }],
        [`x = "${"x".repeat(megabyte)}"`, { kind: "did-not-load", error: { type: "SourceTooLarge" } }],
      ];
      for (const [source, end] of ends) {
        const report = await sandbox.run({ ...functionJob(source, two), limits });
        expect(report.loaded, source.slice(0, 40)).toBe(false);
        expect(report.observations, source.slice(0, 40)).toMatchObject([end, end]);
      }
    });

    promise(
      "is not run as a script, and may begin with a mark and end without a line break",
      async (sandbox) => {
        const source = '\ufeffif __name__ == "__main__":\n    1 / 0\ndef f(n): return __name__';
        expect(await observe(sandbox, functionJob(source, [[int(1)]]))).toEqual([returned(text("solution"))]);
      },
    );

    promise("with no cases is loaded all the same", async (sandbox) => {
      const good = await sandbox.run({ ...functionJob("def f(): pass", []), limits });
      expect(good).toMatchObject({ loaded: true, observations: [] });
      const bad = await sandbox.run({ ...functionJob("1 / 0", []), limits });
      expect(bad).toMatchObject({ loaded: false, observations: [] });
    });

    promise("gets and returns every kind of value", async (sandbox) => {
      const values: PythonValue[] = [
        { type: "none" },
        { type: "bool", value: true },
        int(-5),
        { type: "int", value: 10n ** 60n },
        { type: "int", value: -(2n ** 20_000n) },
        { type: "float", value: 0.1 },
        { type: "float", value: -0 },
        { type: "float", value: Number.NaN },
        { type: "float", value: Number.NEGATIVE_INFINITY },
        { type: "complex", real: 1, imaginary: -2.5 },
        text("naïve \u0000 \ud83d\ude00 \ud800"),
        { type: "bytes", hex: "00ff" },
        { type: "list", items: [int(1), { type: "tuple", items: [] }] },
        { type: "set", items: [int(1)] },
        { type: "frozenset", items: [text("a")] },
        {
          type: "dict",
          entries: [
            [
              { type: "tuple", items: [int(1)] },
              { type: "list", items: [] },
            ],
          ],
        },
      ];
      const job = functionJob(
        "def f(x): return x",
        values.map((value) => [value]),
      );
      expect(await observe(sandbox, job)).toEqual(values.map(returned));
    });

    promise("returns the plain data in subclasses, and nothing of other objects", async (sandbox) => {
      const source = `
import collections, dataclasses, enum
Point = collections.namedtuple("Point", "x y")
class Level(enum.IntEnum): HIGH = 3
@dataclasses.dataclass
class Record: n: int
def f(n):
    return [Point(1, 2), collections.Counter("a"), Level.HIGH, bytearray(b"a"), Record(1), f, iter([]), object][n]`;
      const observations = await observe(
        sandbox,
        functionJob(
          source,
          Array.from({ length: 8 }, (_, n) => [int(n)]),
        ),
      );
      const opaque = (typeName: string) => returned({ type: "opaque", typeName, reason: "object" });
      expect(observations).toEqual([
        returned({ type: "tuple", items: [int(1), int(2)] }),
        returned({ type: "dict", entries: [[text("a"), int(1)]] }),
        returned(int(3)),
        returned({ type: "bytes", hex: "61" }),
        opaque("Record"),
        opaque("function"),
        opaque("list_iterator"),
        opaque("type"),
      ]);
    });

    promise("has nothing to read and nothing of the caller's", async (sandbox) => {
      const source = "import os, sys\ndef f():\n    return [sys.stdin.read(), sorted(os.environ), sys.argv]";
      const names = ["HOME", "LANG", "TMPDIR"].map(text);
      expect(await observe(sandbox, functionJob(source, [[]]))).toEqual([
        returned({
          type: "list",
          items: [text(""), { type: "list", items: names }, { type: "list", items: [text("program")] }],
        }),
      ]);
    });

    promise("answers the same every time", async (sandbox) => {
      const source = `
import random
def f():
    return repr([random.random(), hash("text"), list({"apple", "pear", "plum", "fig"}), random.choice(range(1000))])`;
      const runs = await Promise.all(
        Array.from({ length: 6 }, () => observe(sandbox, functionJob(source, [[]]))),
      );
      expect(runs[0]).toMatchObject([{ kind: "returned" }]);
      for (const run of runs) expect(run).toEqual(runs[0]);
    });
  });

  describe("a stdio program", () => {
    promise("runs once for each input, as a script", async (sandbox) => {
      const source =
        'import sys\nif __name__ == "__main__":\n    print(sum(map(int, sys.stdin.read().split())))';
      const job = stdioJob(source, ["1 2\n", "", "3\r\n4"]);
      expect(await observe(sandbox, job)).toEqual(
        ["3\n", "0\n", "7\n"].map((stdout) => ({ kind: "printed", stdout, stderr: "", exitCode: 0 })),
      );
    });

    promise("that ends in some way is seen to end in that way", async (sandbox) => {
      const printed = (stdout: string, more: object = {}) => ({
        kind: "printed",
        stdout,
        exitCode: 0,
        ...more,
      });
      const ends: [string, object][] = [
        ["print(input())\ninput()", { kind: "raised", error: { type: "EOFError" }, stdout: "naïve\n" }],
        ["import sys\nprint(1)\nsys.exit()", printed("1\n")],
        ["import sys\nprint(1)\nsys.exit(3)", printed("1\n", { exitCode: 3 })],
        ["import sys\nsys.exit('bye')", printed("", { exitCode: 1, stderr: "bye\n" })],
        ["import os\nos.write(1, b'1')\nos._exit(4)", printed("1", { exitCode: 4 })],
        ["import sys\nsys.stderr.write('e')\nprint('o', end='')", printed("o", { stderr: "e" })],
        ["import atexit, sys\natexit.register(print, 'end')\nsys.exit(0)", printed("end\n")],
        ["import atexit\natexit.register(print, 'end')\n1 / 0", { kind: "raised", stdout: "end\n" }],
        ["import threading\nthreading.Thread(target=print, args=('t',)).start()", printed("t\n")],
        ["1 / 0", { kind: "raised", error: { type: "ZeroDivisionError", line: 1 } }],
        ["x = (", { kind: "raised", error: { type: "SyntaxError" } }],
        ["import os\nos.abort()", { kind: "raised", error: { type: "Killed" } }],
        ["print(1, flush=True)\nwhile True: pass", { kind: "timed-out", limit: "cpu" }],
        ["while True: print('x' * 1000)", { kind: "output-flood", what: "printed" }],
        ["bytearray(1 << 30)", { kind: "out-of-memory" }],
      ];
      for (const [source, end] of ends) {
        expect(await observe(sandbox, stdioJob(source, ["naïve\n"])), source).toMatchObject([end]);
      }
    });

    promise("gets an input of some megabytes whole", async (sandbox) => {
      const input = "0123456789\n".repeat(400_000);
      const source = "import sys\ntext = sys.stdin.read()\nprint(len(text), text[-5:])";
      expect(await observe(sandbox, stdioJob(source, [input]))).toMatchObject([
        { stdout: "4400000 6789\n\n" },
      ]);
    });
  });

  describe("limits", () => {
    promise("of the whole program end what is left of it", async (sandbox) => {
      const source = "def f(n):\n    while n: pass\n    return n";
      const job = functionJob(source, [[int(0)], [int(1)], [int(1)], [int(1)], [int(0)]]);
      const observations = await observe(sandbox, job, { caseCpuSeconds: 0.3, programCpuSeconds: 0.6 });
      expect(observations[0]).toEqual(returned(int(0)));
      expect(observations.at(-1)).toEqual({ kind: "timed-out", limit: "program" });
      expect(observations.slice(1).every(({ kind }) => kind === "timed-out")).toBe(true);
    });

    promise("of wall time end a program that sleeps", async (sandbox) => {
      const job = functionJob("import time\ndef f(): time.sleep(600)", [[]]);
      expect(await observe(sandbox, job, { caseWallSeconds: 0.3 })).toEqual([
        { kind: "timed-out", limit: "wall" },
      ]);
    });

    promise("of all answers together end what is left of them", async (sandbox) => {
      const job = functionJob(
        "def f(n): return 'x' * 90000",
        Array.from({ length: 12 }, (_, n) => [int(n)]),
      );
      const observations = await observe(sandbox, job, { valueBytes: 100_000 });
      const flooded = observations.findIndex(({ kind }) => kind === "output-flood");
      expect(flooded).toBeGreaterThan(2);
      expect(observations.slice(flooded).every(({ kind }) => kind === "output-flood")).toBe(true);
    });
  });

  schedulingContract(promise, limits);
  closingContract(start, limits);

  promise("describes itself, and puts its level on every report", async (sandbox) => {
    const description = sandbox.describe();
    expect(isolationLevels).toContain(description.isolation);
    expect(description).toMatchObject({ integrity: "values", workers: 2 });
    expect(description.python).toMatch(/^3\.\d+/);
    expect(description.layers.length).toBeGreaterThan(0);
    const report = await sandbox.run({ ...functionJob("def f(): pass", [[]]), limits });
    expect(report.isolation).toBe(description.isolation);
    expect(report.denied).toBe(0);
    expect(report.wallSeconds).toBeGreaterThan(0);
  });

  promise("counts what it refuses", async (sandbox) => {
    if (!refusesCalls(sandbox.describe().isolation)) return;
    const source = `
import os
def f():
    for _ in range(3):
        try: os.fork()
        except (OSError, AttributeError): os.system("true")`;
    const report = await sandbox.run({ ...functionJob(source, [[]]), limits });
    expect(report.denied).toBeGreaterThanOrEqual(3);
  });
}

const refusesCalls = (level: IsolationLevel) => level !== "limits";
