/** Programs that try to get out, to stay, to wear the sandbox down or to fool it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../sandbox.ts";
import { answerOf, int, runFunction, runStdio, text } from "./programs.test.support.ts";
import { createWasmSandbox } from "./wasm-sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createWasmSandbox({ workers: 1 });
});
afterAll(() => sandbox.close());

const honest = async () => {
  const { observations } = await runFunction(sandbox, "def f(x):\n    return x + 1", [[int(1)]]);
  expect(observations).toEqual([{ kind: "returned", value: int(2) }]);
};

/** Whatever it raises is a no; what it returns is what it got. */
const attempt = (body: string) => `
def f():
    try:
        got = attempt()
    except BaseException as error:
        return "no"
    return "got " + repr(got)[:200]
def attempt():
${body.trim().replace(/^/gm, "    ")}
`;

describe("ways out", () => {
  it.each([
    ["a shell", 'import os\nreturn os.system("id") == 0 or 1 / 0'],
    ["a shell, by the module below", 'import posix\nreturn posix.system("id") == 0 or 1 / 0'],
    ["a process", 'import subprocess\nreturn subprocess.run(["id"])'],
    ["a process, lower down", "import _posixsubprocess as p\nreturn p.fork_exec()"],
    ["a process, lower still", 'import os\nreturn os.posix_spawn("/bin/sh", ["sh"], {})'],
    ["a fork", "import os\nreturn os.fork()"],
    ["another program", 'import os\nreturn os.execv("/bin/sh", ["sh"])'],
    ["a pipe to a program", 'import os\nreturn os.popen("id").read() or 1 / 0'],
    ["a socket", "import socket\nreturn socket.socket()"],
    ["a socket, by the module below", "import _socket\nreturn _socket.socket(2, 1)"],
    ["a connection", 'import socket\nreturn socket.create_connection(("127.0.0.1", 22), 1)'],
    ["a name", 'import socket\nreturn socket.getaddrinfo("localhost", 80)'],
    ["a page", 'import urllib.request\nreturn urllib.request.urlopen("http://127.0.0.1/").read()'],
    ["JavaScript", "import js\nreturn js"],
    ["JavaScript, run", 'from pyodide.code import run_js\nreturn run_js("process.pid")'],
    ["JavaScript, proxied", "import _pyodide_core\nreturn _pyodide_core"],
    ["JavaScript's pyodide", "import pyodide_js\nreturn pyodide_js"],
    ["a password file", 'return open("/etc/passwd").read()'],
    ["its own process", 'return open("/proc/self/environ").read()'],
    ["the parent's files", 'import os\nreturn os.listdir("/home") or os.listdir("/root")'],
    ["a file outside the scratch", 'return open("/outside", "w")'],
    ["the library, to write", 'return open("/lib/python.zip", "r+b")'],
    ["a symbolic link out", 'import os\nos.symlink("/etc/passwd", "/tmp/l")\nreturn open("/tmp/l").read()'],
    ["dots", 'return open("/tmp/../../../../etc/passwd").read()'],
    ["the C library", 'import ctypes\nreturn ctypes.CDLL("libc.so.6").getpid()'],
    ["Python's own C functions", "import ctypes\nreturn ctypes.pythonapi.Py_GetVersion()"],
    ["a module for itself", 'import importlib.util\nreturn importlib.util.find_spec("harness").origin'],
    ["a signal", "import os\nreturn os.kill(os.getppid(), 0) or 1 / 0"],
  ])("lead nowhere: %s", async (_, body) => {
    expect(await answerOf(sandbox, attempt(body))).toBe("no");
  });

  it("ends a program that calls C functions", async () => {
    const source = "import ctypes\ndef f():\n    return ctypes.string_at(65536, 16)";
    expect(await answerOf(sandbox, source)).toBe("Killed");
    await honest();
  });

  it("shows an environment of three names and nothing of ours", async () => {
    const source = `
import os, sys
def f():
    return repr([sorted(os.environ), sys.argv, sys.path, os.getcwd(), sorted(os.listdir("/")), os.listdir("/tmp")])`;
    expect(await answerOf(sandbox, source)).toBe(
      "[['HOME', 'LANG', 'TMPDIR'], ['program'], ['/lib/python.zip'], '/tmp', ['dev', 'lib', 'tmp'], []]",
    );
  });

  it.each([
    ["a shell", 'import os\nos.system("id")', 1],
    ["sockets", "import socket\nfor _ in range(3):\n    try: socket.socket()\n    except OSError: pass", 3],
    ["a process", 'import subprocess\ntry: subprocess.run("id")\nexcept OSError: pass', 1],
    ["JavaScript", "try: import js\nexcept ImportError: pass", 1],
    ["nothing", "import os, json, ctypes\nos.listdir('/tmp')\nopen('/tmp/x', 'w').close()", 0],
  ])("count what was refused: %s", async (_, body, denied) => {
    const source = `def f():\n${body.replace(/^/gm, "    ")}`;
    const report = await runFunction(sandbox, source);
    expect(report.observations).toMatchObject([{ kind: "returned" }]);
    expect(report.denied).toBe(denied);
  });

  it("end a program that never stops trying", async () => {
    const source = "import os\ndef f():\n    while True: os.system('id')";
    const report = await runFunction(sandbox, source);
    expect(report.observations).toMatchObject([{ kind: "raised", error: { type: "Killed" } }]);
    expect(report.denied).toBe(5001);
  });
});

describe("staying behind", () => {
  const traces = `
import atexit, builtins, gc, json, math, os, random, sys, threading
def f():
    return repr([
        len([1]), json.dumps([1]), math.floor(math.pi * 1000), random.random(), sorted(os.listdir("/tmp")), os.getcwd(),
        os.environ.get("LEFT"), atexit._ncallbacks(), threading.active_count(), sys.getrecursionlimit(),
        gc.isenabled(), "evil" in sys.modules, hasattr(builtins, "left"), sys.gettrace(), len(sys.meta_path),
        sorted(set(sys.modules) & {"solution", "__main__"}),
    ])`;

  it.each([
    [
      "in modules, builtins and the harness",
      `
import builtins, json, math, random, sys, types
builtins.left = builtins.len = lambda *a: 7
json.dumps = json.loads = lambda *a, **k: "forged"
math.pi = 4
sys.modules["evil"] = types.ModuleType("evil")
sys.meta_path.clear()
import gc
for thing in gc.get_objects():
    if type(thing) is dict and "PROGRAM_FILE" in thing:
        thing["run_call"] = lambda *a: '{"k":"returned","v":"forged"}'
        thing["dumps"] = lambda *a: '"forged"'
def f(): return 1`,
    ],
    [
      "in files, handlers, threads and settings",
      `
import atexit, gc, os, random, sys, threading
open("/tmp/left", "w").write("x" * 1000)
os.mkdir("/tmp/folder"); os.chdir("/tmp/folder")
os.environ["LEFT"] = "x"
atexit.register(print, "late")
random.seed(5); gc.disable(); sys.setrecursionlimit(9999); sys.settrace(lambda *a: None)
class Stay(threading.Thread):
    def run(self): pass
Stay(daemon=True).start()
for descriptor in range(10):
    try: os.close(descriptor)
    except OSError: pass
def f(): return 1`,
    ],
    ["by exiting in the middle", "import os, builtins\nbuiltins.left = 1\nos._exit(0)"],
    ["by crashing", "import os, builtins\nbuiltins.left = 1\nos.abort()"],
    ["by being killed in C", "import builtins\nbuiltins.left = 1\nsum(range(10**12))\ndef f(): pass"],
  ])("is not possible %s", async (_, source) => {
    const fresh = await answerOf(sandbox, traces);
    expect(fresh).toContain("[1, '[1]', 3141,");
    await runFunction(sandbox, source);
    expect(await answerOf(sandbox, traces)).toBe(fresh);
  });

  it("is not possible from one input of a stdio program to the next", async () => {
    const source = `
import builtins, os
print(hasattr(builtins, "left"), os.listdir("/tmp"), input())
builtins.left = 1
open("/tmp/left", "w").close()`;
    const { observations } = await runStdio(sandbox, source, ["a", "b"]);
    expect(observations).toMatchObject([{ stdout: "False [] a\n" }, { stdout: "False [] b\n" }]);
  });
});

describe("wearing down", () => {
  it.each([
    ["one large block", "def f():\n    return len(bytearray(1 << 30))"],
    ["many small blocks", "def f():\n    kept = []\n    while True: kept.append(bytearray(10_000))"],
    ["a growing string", "def f():\n    s = 'x'\n    while True: s += s"],
    ["a huge number", "def f():\n    return 1 << (1 << 31)"],
    ["a list that holds itself", "def f():\n    a = [0] * 1000\n    while True: a = a + a"],
  ])("by memory: %s", async (_, source) => {
    expect(await answerOf(sandbox, source)).toMatch(/^(out-of-memory|MemoryError|OverflowError)$/);
    await honest();
  });

  it.each([
    [
      "swallowing every exception",
      "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    ],
    ["finally", "while True:\n    try:\n        while True: pass\n    finally: continue"],
    ["a C loop", "sum(range(10**12))"],
    ["a regular expression", 'import re\nre.match("(a+)+$", "a" * 40 + "b")'],
    ["powers of large numbers", "pow(3, 10**8).bit_length()"],
    ["digits of a large number", "import sys\nsys.set_int_max_str_digits(0)\nlen(str(7 ** 10**7))"],
    ["a generator that never ends", "max(iter(int, 1))"],
    ["a lock that nobody opens", "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()"],
    ["a tracing function", "import sys\nsys.settrace(lambda *a: max(iter(int, 1)))\nlen([])\n(lambda: 0)()"],
    ["an object's end", "class A:\n    def __del__(self):\n        while True: pass\nA()"],
  ])("by time: %s", async (_, body) => {
    const source = `def f():\n${body.replace(/^/gm, "    ")}`;
    const report = await runFunction(sandbox, source, [[]], { limits: { caseCpuSeconds: 0.3 } });
    expect(report.observations).toMatchObject([{ kind: "timed-out" }]);
    await honest();
  });

  it.each([
    ["printing without a newline", "import sys\ndef f():\n    while True: sys.stdout.write('x')"],
    ["printing to stderr", "import os\ndef f():\n    while True: os.write(2, b'x' * 999)"],
    ["filling the channel", "import os\ndef f():\n    while True: os.write(3, b'\\xff' * 999)"],
    ["a frame that never ends", "import os\ndef f():\n    os.write(3, b'\\xff\\xff\\xff\\x7f')"],
  ])("by output: %s", async (_, source) => {
    const { observations } = await runFunction(sandbox, source);
    expect(observations).toMatchObject([{ kind: "output-flood" }]);
    await honest();
  });

  it.each([
    ["large files", "open('/tmp/a', 'wb').truncate(1 << 40)"],
    ["much in files", "for n in range(100):\n    open(f'/tmp/{n}', 'wb').write(b'x' * 10**6)"],
    ["many files", "for n in range(10**5):\n    open(f'/tmp/{n}', 'w').close()"],
    ["many descriptors", "kept = [open('/dev/null') for _ in range(10**4)]"],
    ["long paths", "import os\nfor _ in range(10**4):\n    os.mkdir('x' * 200); os.chdir('x' * 200)"],
  ])("by files: %s", async (_, body) => {
    const source = `def f():\n${body.replace(/^/gm, "    ")}`;
    expect(await answerOf(sandbox, source)).toBe("OSError");
    await honest();
  });

  it.each([
    ["Python calls", "import sys\nsys.setrecursionlimit(10**8)\ndef f(n=0):\n    return f(n + 1)"],
    ["C calls", "import sys\nsys.setrecursionlimit(10**8)\ndef f(n=0):\n    return sorted([1], key=f)"],
    ["nested values", "def f():\n    a = ()\n    for _ in range(10**6): a = (a,)\n    return hash(a)"],
    [
      "nested iterators",
      "def f():\n    i = iter([1])\n    for _ in range(10**6): i = map(abs, i)\n    return next(i)",
    ],
    ["nested source", "def f():\n    return eval('[' * 10**5)"],
    ["nested JSON", "import json\ndef f():\n    return json.loads('[' * 10**6)"],
    [
      "a nested pickle",
      "import pickle\ndef f():\n    a = []\n    for _ in range(10**5): a = [a]\n    return pickle.dumps(a)",
    ],
    ["a crash on purpose", "import faulthandler\ndef f():\n    faulthandler._sigsegv()"],
    [
      "a bad code object",
      "def f():\n    g = lambda: 0\n    g.__code__ = g.__code__.replace(co_code=b'\\xff' * 100)\n    return g()",
    ],
    [
      "memory written at random",
      "import ctypes\ndef f():\n    for a in range(0, 1 << 25, 64): ctypes.c_int.from_address(a).value = a",
    ],
  ])("by depth and corruption: %s", async (_, source) => {
    const { observations } = await runFunction(sandbox, source, [[]], { limits: { caseCpuSeconds: 3 } });
    expect(["raised", "out-of-memory", "returned"]).toContain(observations[0]!.kind);
    await honest();
  });

  it("lets go of long chains without overflowing any stack", async () => {
    const source = `
class Node: pass
def f():
    head = None
    for _ in range(300_000):
        node = Node(); node.next = head; head = node
    nested = []
    for _ in range(300_000): nested = [nested]
    del head, node, nested
    return "fine"`;
    const { observations } = await runFunction(sandbox, source, [[]], {
      limits: { caseCpuSeconds: 5, memoryBytes: 256 * 1024 * 1024 },
    });
    expect(observations).toEqual([{ kind: "returned", value: text("fine") }]);
  });

  it("keeps its memory flat over a thousand programs", async () => {
    const run = (index: number) =>
      runFunction(sandbox, `def f(x):\n    return [x] * ${index % 7}, "${index}"`, [[int(index)], [int(1)]]);
    for (let index = 0; index < 200; index++) await run(index);
    const before = process.memoryUsage().rss;
    for (let index = 0; index < 1000; index++) {
      const { observations } = await run(index);
      expect(observations[0]!.kind).toBe("returned");
    }
    // A leak of what one program takes (20 MB of memory, a tree of files, its answers) would be gigabytes.
    expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
  });
});
