/** The same programs do the same things here, on a host of ours, and on SandboxFusion hosts of two kinds. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveOnLoopback } from "../../server/loopback-server.test.support.ts";
import { hasPython } from "../../values/run-python.test.support.ts";
import { defaultLimits } from "../limits.ts";
import { createNativeSandbox } from "../native/native-sandbox.ts";
import type { Observation, ProgramJob, Sandbox } from "../sandbox.ts";
import { startPlainFusionHost } from "./plain-fusion-host.test.support.ts";
import { createRemoteSandbox } from "./remote-sandbox.ts";

const limits = {
  ...defaultLimits,
  caseCpuSeconds: 0.3,
  memoryBytes: 256 * 1024 * 1024,
  outputBytes: 512 * 1024,
};

const calls = [1n, 2n, 3n].map((value) => ({ args: [{ type: "int", value } as const], keywords: {} }));
const functionPrograms: Record<string, string> = {
  "an honest one":
    "def f(n):\n    print('working', n)\n    return {'n': (n, [n / 2, None, b'x', 10 ** 40, {1, 2}])}",
  "one that remembers": "seen = []\ndef f(n):\n    seen.append(n)\n    return seen",
  "one that raises": "def f(n):\n    raise KeyError('n' * n)",
  "one that hangs on one case": "def f(n):\n    while n == 2: pass\n    return n",
  "one that hangs in C": "def f(n):\n    return sum(range(10 ** 12)) if n == 2 else n",
  "one that leaves on one case": "import os\ndef f(n):\n    if n == 2: os._exit(3)\n    return n",
  "one that calls sys.exit": "import sys\ndef f(n):\n    if n == 2: sys.exit(0)\n    return n",
  "one that crashes on one case":
    "import os\ndef f(n):\n    if n == 2: os.kill(os.getpid(), 11)\n    return n",
  "one that takes too much memory": "def f(n):\n    return len(bytearray(1 << 30)) if n == 2 else n",
  "one that prints too much": "def f(n):\n    while n == 2: print('x' * 1000)\n    return n",
  "one that prints much, but not too much": "def f(n):\n    if n == 1: print('x' * 300000)\n    return n",
  "one that returns much": "def f(n):\n    return 'x' * 300000 + str(n)",
  "one that returns much and then hangs": "def f(n):\n    while n == 3: pass\n    return 'x' * 300000",
  "one that returns too much": "def f(n):\n    return 'x' * 5000000 if n == 2 else n",
  "one that returns an object":
    "class Friend:\n    def __eq__(self, other): return True\ndef f(n):\n    return Friend()",
  "one that does not load": "def f(n:\n    return n",
  "one that exits while it loads": "import sys\nsys.exit(0)\ndef f(n): return n",
  "one that leaves while it loads": "import os\nos._exit(0)\ndef f(n): return n",
  "one without the function": "def g(n): return n",
  "one that prints what looks like our records":
    'print(\'sparring-0 begin\')\nprint(\'sparring-0 frame 0 {"k":"returned","v":1}\')\ndef f(n):\n    print(\'{"k":"returned","v":1}\')\n    return -n',
  "one that imports our modules":
    "import sys\ndef f(n):\n    return [name in sys.modules for name in ('harness', 'wire')]",
};

const inputs = ["1 2\n", "ä\0", ""];
const stdioPrograms: Record<string, string> = {
  "an honest one": "import sys\nprint(sys.stdin.read()[::-1])\nprint('note', file=sys.stderr)",
  "one that raises": "print('before')\nraise ValueError('no')",
  "one that exits": "import sys\nprint('bye')\nsys.exit(7)",
  "one that leaves": "import os\nprint('bye', flush=True)\nos._exit(7)",
  "one that hangs": "import sys\nwhile sys.stdin.read(1) == '1': \n    while True: pass",
  "one that prints much": "print('x' * 300000)",
  "one that prints too much": "while True: print('x' * 1000)",
  "one that prints too much by hand": "import os\nwhile True: os.write(1, b'x' * 1000)",
  "one that takes too much memory": "print(len(bytearray(1 << 30)))",
  "one that works at the end": "import atexit\natexit.register(lambda: print('last'))\nprint('first')",
  "one that is a script": "def main():\n    print(__name__)\nif __name__ == '__main__':\n    main()",
};

/** Each finds the driver that shares its process and abuses it. The best it may reach is another value of its own. */
const find = (kind: string) =>
  `import gc, os\nfound = next(o for o in gc.get_objects() if type(o).__name__ == '${kind}')\n`;
const hostilePrograms: Record<string, string> = {
  "announces a file that never comes": `${find("Records")}found.put('spill')\nos._exit(0)\ndef f(n): return n`,
  "writes broken frames": `${find("Records")}found.put('frame', '0', '{')\nfound.put('frame', 'x')\ndef f(n): return n`,
  "writes records without end": `${find("Records")}\nwhile True: found.put('frame', '0', 'x' * 9999)\ndef f(n): return n`,
  "writes on every descriptor without end":
    "import os\ndef f(n):\n    while True:\n        for d in range(1, 30):\n            try: os.write(d, b'x' * 9999)\n            except OSError: pass",
  "closes every descriptor": "import os\nos.closerange(0, 64)\ndef f(n): return n",
  "takes the clocks away and hangs":
    "import signal\ndef f(n):\n    signal.signal(signal.SIGPROF, signal.SIG_IGN)\n    while True: pass",
  "leaves no memory to speak of it":
    "hoard = []\ndef f(n):\n    for size in (1 << 20, 1 << 10, 1 << 4):\n        try:\n            while True: hoard.append(bytearray(size))\n        except MemoryError: pass\n    raise ValueError",
  "replaces what we use":
    "import os, json, builtins\nos.write = os.fstat = json.dumps = builtins.sum = None\ndef f(n): return n",
};

/**
 * What a timed-out program had printed until then is lost on SandboxFusion hosts, and which of its limits it meets first
 * depends on how busy the machine is; nobody judges by either.
 */
function comparable(observation: Observation): unknown {
  return observation.kind === "timed-out" ? "timed-out" : observation;
}

describe.runIf(process.platform === "linux" && hasPython)("a program does the same", () => {
  const sandboxes: Record<string, Sandbox> = {};
  const closing: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    const native = await createNativeSandbox({ workers: 2 });
    const server = await serveOnLoopback(native);
    const plain = await startPlainFusionHost();
    const remote = (url: string, protocol: "auto" | "sandbox-fusion") =>
      createRemoteSandbox({ hosts: [{ url }], protocol });
    sandboxes.native = native;
    sandboxes.ours = await remote(server.url, "auto");
    sandboxes.fusion = await remote(server.url, "sandbox-fusion");
    sandboxes.plain = await remote(plain.url, "auto");
    // A real SandboxFusion host, where somebody has one at hand.
    const given = process.env.SPARRING_TEST_FUSION_HOST;
    if (given) sandboxes.given = await remote(given, "sandbox-fusion");
    closing.push(...Object.values(sandboxes).slice(1), server, plain, native);
  });

  afterAll(async () => {
    for (const thing of closing) await thing.close();
  });

  it("whatever is said of the hosts", () => {
    expect(sandboxes.ours!.describe()).toMatchObject({
      kind: "remote",
      isolation: sandboxes.native!.describe().isolation,
    });
    expect(sandboxes.ours!.describe().layers[0]!.detail).toContain("sparring");
    for (const name of ["fusion", "plain"]) {
      expect(sandboxes[name]!.describe()).toMatchObject({ kind: "remote", isolation: "limits" });
      expect(sandboxes[name]!.describe().layers[0]!.detail).toContain("sandbox-fusion");
    }
  });

  async function expectTheSame(job: ProgramJob): Promise<void> {
    const { native, ...others } = sandboxes;
    const expected = await native!.run(job);
    await Promise.all(
      Object.entries(others).map(async ([name, sandbox]) => {
        const { loaded, observations } = await sandbox.run(job);
        expect([name, loaded, observations.map(comparable)]).toEqual([
          name,
          expected.loaded,
          expected.observations.map(comparable),
        ]);
      }),
    );
    expect(expected.observations.map(({ kind }) => kind)).not.toContain("infrastructure");
  }

  it.each(Object.entries(functionPrograms))("function: %s", async (_, source) => {
    await expectTheSame({ source, work: { style: "function", entryPoint: "f", calls }, limits });
  });

  it.each(Object.entries(stdioPrograms))("stdio: %s", async (_, source) => {
    await expectTheSame({ source, work: { style: "stdio", inputs }, limits });
  });

  it.each(Object.entries(hostilePrograms))("and none passes for our own failure: %s", async (_, source) => {
    const one = calls.slice(0, 1);
    const quick = { ...limits, caseWallSeconds: 1 };
    const job: ProgramJob = {
      source,
      work: { style: "function", entryPoint: "f", calls: one },
      limits: quick,
    };
    for (const name of Object.keys(sandboxes).slice(2)) {
      const { observations } = await sandboxes[name]!.run(job);
      expect([name, observations.map(({ kind }) => kind)]).not.toEqual([name, ["infrastructure"]]);
      expect(observations).toHaveLength(1);
    }
  });

  it("and a report from a SandboxFusion host counts as under load unless it was run alone", async () => {
    const job: ProgramJob = { source: "print(1)", work: { style: "stdio", inputs: [""] }, limits };
    expect((await sandboxes.plain!.run(job)).underLoad).toBe(true);
    expect((await sandboxes.plain!.run(job, { alone: true })).underLoad).toBe(false);
  });
});
