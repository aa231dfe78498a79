/** Real checks in real sandboxes: every verdict must be the one that calling the program live would give. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { messageOf } from "../errors.ts";
import type { CheckProgram } from "../problems/problem.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import { createNativeSandbox } from "../sandbox/native/native-sandbox.ts";
import type { ProgramJob, Sandbox } from "../sandbox/sandbox.ts";
import { createWasmSandbox } from "../sandbox/wasm/wasm-sandbox.ts";
import { judgeCheck } from "./check-program.ts";
import type { Outcome } from "./outcome.ts";

const limits = { ...defaultLimits, caseCpuSeconds: 0.5, programCpuSeconds: 3 };

interface Trial {
  readonly name: string;
  readonly check: CheckProgram | string;
  readonly program: string;
  readonly outcome: Outcome["kind"];
  /** Part of what a person is told. */
  readonly told?: string;
  readonly entryPoint?: string;
}

const tolerance =
  "def check(candidate):\n    assert abs(candidate(1.5) - 0.5) < 1e-6\n    assert candidate(3.25) == 0.25\n";
const roundTrip = `
def check(candidate):
    import random
    for _ in range(20):
        x = random.randint(0, 1000)
        assert candidate(candidate(x)) == x
`;
const inPlace = `
def check(candidate):
    values, table = [3, 1, 2], {"b": 1}
    assert candidate(values, table=table) is None
    assert values == [1, 2, 3] and table == {"a": 0}
`;
const raising = `
import pytest
from solution import f

@pytest.mark.parametrize("x, y", [(1, 2), (5, 6)])
def test_values(x, y):
    assert f(x) == y

class TestErrors:
    def test_error(self):
        with pytest.raises(ValueError, match="neg"):
            f(-1)

@pytest.fixture
def ten():
    yield 10

def test_fixture(ten):
    assert f(ten) == pytest.approx(11.0000001)
`;
const raisingProgram = (error: string) =>
  `class Own(ValueError): pass\ndef f(x):\n    if x < 0: raise ${error}\n    return x + 1\n`;

const trials: readonly Trial[] = [
  {
    name: "a tolerance that is kept",
    check: tolerance,
    program: "def f(x): return x % 1",
    outcome: "passed",
    told: "2 calls",
  },
  {
    name: "a tolerance that is not kept",
    check: tolerance,
    program: "def f(x): return 0.5 if x == 1.5 else 0.3",
    outcome: "wrong-answer",
    told: "f(3.25) gave 0.3; line 3: assert candidate(3.25) == 0.25",
  },
  {
    name: "an answer that the test code cannot even use",
    check: tolerance,
    program: "def f(x): return None",
    outcome: "wrong-answer",
    told: "f(1.5) gave None",
  },
  {
    name: "calls that depend on answers",
    check: roundTrip,
    program: "def f(x): return -x",
    outcome: "passed",
    told: "40 calls",
  },
  {
    name: "calls that depend on wrong answers",
    check: roundTrip,
    program: "def f(x): return x + 1",
    outcome: "wrong-answer",
  },
  {
    name: "a second condition that is reached only if the first is false",
    check: "def check(candidate):\n    assert candidate(1) == 5 or candidate(2) == 3\n",
    program: "def f(x): return x + 1",
    outcome: "passed",
    told: "2 calls",
  },
  {
    name: "work in place",
    check: inPlace,
    program: "def f(values, table):\n    values.sort()\n    table.clear()\n    table['a'] = 0",
    outcome: "passed",
  },
  {
    name: "work in place that is not done",
    check: inPlace,
    program: "def f(values, table):\n    values = sorted(values)",
    outcome: "wrong-answer",
  },
  {
    name: "state that a program keeps between calls",
    check: "def check(candidate):\n    assert [candidate() for _ in range(3)] == [1, 2, 3]\n",
    program: "n = 0\ndef f():\n    global n\n    n += 1\n    return n",
    outcome: "passed",
  },
  {
    name: "a pytest file",
    check: { form: "pytest", source: raising },
    program: raisingProgram("ValueError('negative')"),
    outcome: "passed",
    told: "4 calls",
  },
  {
    name: "an error of the program's own class, by its base",
    check: { form: "pytest", source: raising },
    program: raisingProgram("Own('negative')"),
    outcome: "passed",
  },
  {
    name: "an error with another message",
    check: { form: "pytest", source: raising },
    program: raisingProgram("ValueError('other')"),
    outcome: "wrong-answer",
    told: "does not match",
  },
  {
    name: "an error that nobody expects",
    check: { form: "pytest", source: raising },
    program: raisingProgram("KeyError('negative')"),
    outcome: "raised",
    told: "KeyError",
  },
  {
    name: "an error that is missing",
    check: { form: "pytest", source: raising },
    program: "def f(x): return x + 1",
    outcome: "wrong-answer",
    told: "did not raise",
  },
  {
    name: "unittest cases",
    check: {
      form: "pytest",
      source:
        "import unittest\nclass T(unittest.TestCase):\n    def setUp(self): self.x = 2\n    def test_a(self):\n        self.assertEqual(f(self.x), 3)\n        with self.assertRaises(TypeError): f('a')\n",
    },
    program: "def f(x): return x + 1",
    outcome: "passed",
  },
  {
    name: "what is printed",
    check: {
      form: "pytest",
      source:
        "def test_print(capsys):\n    f(3)\n    out, err = capsys.readouterr()\n    assert out == '3\\n'\n",
    },
    program: "def f(x): print(x)",
    outcome: "passed",
  },
  {
    name: "numpy's allclose",
    check:
      "import numpy as np\ndef check(candidate):\n    assert np.allclose(candidate(2), [1.0, 2.0], rtol=1e-7, atol=1e-6)\n    assert not isinstance(candidate(2), np.ndarray)\n",
    program: "def f(n): return [1, 2.0000001]",
    outcome: "passed",
  },
  {
    name: "helpers of the prompt and other functions",
    check: {
      form: "script",
      source: "assert decode(encode('ab')) == shout('ab')",
      support: "def shout(text): return text.upper()",
      functions: ["encode"],
    },
    entryPoint: "decode",
    program: "def encode(text): return text[::-1]\ndef decode(text): return text[::-1].upper()",
    outcome: "passed",
  },
  {
    name: "a method",
    check: "def check(candidate):\n    assert candidate(a=1) < 3\n    assert Solution().f(2) == 3\n",
    entryPoint: "Solution().f",
    program: "class Solution:\n    def f(self, a): return a + 1",
    outcome: "passed",
  },
  {
    name: "an object that is only asked for its truth",
    check:
      "def check(candidate):\n    assert candidate('ab') and not isinstance(candidate('ab'), bool)\n    assert not candidate('x')\n",
    program: "import re\ndef f(text): return re.match('a', text)",
    outcome: "passed",
  },
  {
    name: "an object that is looked into",
    check: "def check(candidate):\n    assert candidate() == 3\n",
    program: "class Friend:\n    def __eq__(self, other): return True\ndef f(): return Friend()",
    outcome: "wrong-answer",
    told: "Friend object",
  },
  {
    name: "objects inside an answer",
    check: "def check(candidate):\n    assert candidate() == [3]\n",
    program: "class Friend:\n    def __eq__(self, other): return True\ndef f(): return [Friend()]",
    outcome: "wrong-answer",
    told: "not plain data",
  },
  {
    name: "a program that hangs",
    check: tolerance,
    program: "def f(x):\n    while x: pass",
    outcome: "timed-out",
  },
  {
    name: "a program that hangs on a call that is never reached",
    check: "def check(candidate):\n    assert candidate(1) == 0\n    candidate(2)\n",
    program: "def f(x):\n    while x == 2: pass\n    return x",
    outcome: "wrong-answer",
  },
  {
    name: "a program that ends its process",
    check: tolerance,
    program: "import os\ndef f(x): os._exit(0)",
    outcome: "raised",
  },
  {
    name: "a program that leaves politely",
    check: tolerance,
    program: "import sys\ndef f(x): sys.exit(0)",
    outcome: "raised",
    told: "SystemExit",
  },
  { name: "a program that does not load", check: tolerance, program: "def f(x:", outcome: "did-not-load" },
  {
    name: "a program without the function",
    check: tolerance,
    program: "def g(x): return 0.5",
    outcome: "did-not-load",
    told: "does not define f",
  },
  {
    name: "a program with names of its own for everything",
    check: tolerance,
    program:
      "def exec(*a): return 7\nstr = list = type = getattr = isinstance = globals = print = None\ndef f(x): return x % 1",
    outcome: "passed",
  },
];

/** Replaces how answers are put on the wire, in the harness that the program shares its process with. */
const forge = (wire: string) => `
import sys
class Encoder:
    def __init__(self, *args): pass
    def encode(self, *args): return ${wire}
frame = sys._getframe()
while "wire" not in frame.f_globals: frame = frame.f_back
frame.f_globals["wire"].Encoder = Encoder
def f(x): return 0
`;

/** Attacks on the verdict: none may pass, and none may look like our own failure. */
const attacks: Readonly<Record<string, string>> = {
  "patched arithmetic": "import builtins\nbuiltins.abs = lambda x: 0\ndef f(x): return 0.25",
  "a forged answer": forge("{'t': ['passed', 1]}"),
  "an answer that no Python has": forge("{'t': ['returned', {'d': [[[1], 2]]}, [], '']}"),
  "an answer too deep to hand on": "def f(x):\n    y = x\n    for _ in range(95): y = [y]\n    return y",
  "a claimed success": "def f(x): return ('passed', 2)",
  "an assertion of its own": "def f(x): raise AssertionError('fine')",
  "a global that calls later": "__sparring_call__ = lambda *a: ('returned', 0.5, [], '')\ndef f(x): return 0",
};

/** Checks that say nothing about any program. */
const brokenChecks: Readonly<Record<string, readonly [CheckProgram | string, string]>> = {
  "not Python": ["def check(candidate:", "SyntaxError"],
  "without check": ["def test(candidate): pass", "KeyError"],
  "that calls nothing": ["def check(candidate):\n    assert True\n", "never calls"],
  "that needs what is not there": ["import pandas\ndef check(candidate):\n    candidate(1)\n", "pandas"],
  "that uses more of numpy": ["import numpy\nx = numpy.array([1])\ndef check(c): c(x)\n", "numpy.array"],
  "that hands over an object": ["def check(candidate):\n    candidate(object())\n", "not plain data"],
  "without a test function": [{ form: "pytest", source: "def helper(): pass" }, "no test function"],
  "with an unknown fixture": [{ form: "pytest", source: "def test_a(tmp_path): f(1)" }, "fixture tmp_path"],
  "that never ends": ["while True: pass", "timed-out"],
};

const asCheck = (check: CheckProgram | string): CheckProgram =>
  typeof check === "string" ? { form: "check", source: check } : check;

const grounds = {
  native: () => createNativeSandbox({ workers: 1, demand: "limits" }),
  wasm: () => createWasmSandbox({ workers: 1 }),
};

describe.each(Object.entries(grounds))("check programs in the %s sandbox", (_, start) => {
  let sandbox: Sandbox | undefined;
  let missing = "";
  beforeAll(async () => {
    sandbox = await start().catch((error) => {
      missing = messageOf(error);
      return undefined;
    });
  });
  afterAll(() => sandbox?.close());

  const judge = (check: CheckProgram | string, source: string, entryPoint = "f") =>
    judgeCheck({ sandbox: sandbox!, source, check: asCheck(check), entryPoint, limits });

  it.each(trials)("judge $name", async ({ check, program, outcome, told, entryPoint }) => {
    if (!sandbox) return;
    const verdict = await judge(check, program, entryPoint);
    expect(verdict.outcome).toMatchObject({ kind: outcome });
    if (told) expect(JSON.stringify(verdict.outcome)).toContain(told.replaceAll('"', '\\"'));
  });

  it.each(Object.entries(attacks))("are not fooled by %s", async (_name, program) => {
    if (!sandbox) return;
    const { outcome } = await judge(tolerance, program);
    expect(["wrong-answer", "raised"]).toContain(outcome.kind);
  });

  it.each(Object.entries(brokenChecks))("%s blame no program", async (_name, [check, reason]) => {
    if (!sandbox) return;
    const verdict = await judge(check, "def f(x): return x");
    expect(verdict.outcome.kind).toBe("infrastructure");
    expect(verdict.brokenCheck).toContain(reason);
  });

  it("run here, or say why not", () => {
    expect(sandbox !== undefined || missing !== "").toBe(true);
  });
});

describe("what a program is told by a check", () => {
  let sandbox: Sandbox;
  const jobs: ProgramJob[] = [];
  beforeAll(async () => {
    const real = await grounds.native().catch(grounds.wasm);
    sandbox = {
      describe: () => real.describe(),
      close: () => real.close(),
      run: (job, options) => {
        jobs.push(job);
        return real.run(job, options);
      },
    };
  });
  afterAll(() => sandbox.close());

  const callsOf = (job: ProgramJob) =>
    job.work.style === "function" ? job.work.calls.map(({ args }) => JSON.stringify(args[1], bigints)) : [];
  const bigints = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);

  it("is the arguments, and never a call that follows from an answer it has not given", async () => {
    const source =
      "def check(candidate):\n    assert candidate(candidate(20)) == 22\n    assert candidate(7) == 8\n";
    const request = { check: asCheck(source), entryPoint: "f", limits, sandbox };
    const { outcome, rounds } = await judgeCheck({ ...request, source: "def f(x): return x + 1" });
    expect(outcome.kind).toBe("passed");
    expect(rounds).toBe(2);
    const program = jobs.filter((job) => job.source.startsWith("def f"));
    const told = program.map((job) => callsOf(job).join(" "));
    expect(told[0]).toContain('"value":20');
    expect(told[0]).toContain('"value":7');
    expect(told[0]).not.toContain('"value":21');
    expect(told[1]).toContain('"value":21');
    for (const job of program) expect(job.source).not.toContain("assert");
  });

  it("comes from one look at the check, however many programs are judged", async () => {
    const source = "def check(candidate):\n    assert candidate(5) > 5\n";
    const request = { check: asCheck(source), entryPoint: "f", limits, sandbox };
    jobs.length = 0;
    const programs = [1, 2, 3].map((n) => `def f(x): return x + ${n}`);
    await Promise.all(programs.map((program) => judgeCheck({ ...request, source: program })));
    // One to find the calls, then for each program one run of it and one of the check.
    expect(jobs).toHaveLength(1 + 2 * programs.length);
  });

  it("is followed for a bounded number of rounds", async () => {
    const source =
      "def check(candidate):\n    x = 1\n    for _ in range(200):\n        x = candidate(x)\n    assert x == 201\n";
    const request = { check: asCheck(source), entryPoint: "f", limits, sandbox };
    const { outcome, rounds } = await judgeCheck({ ...request, source: "def f(x): return x + 1" });
    expect(outcome).toEqual({ kind: "timed-out", limit: "program" });
    expect(rounds).toBe(32);
  });
});
