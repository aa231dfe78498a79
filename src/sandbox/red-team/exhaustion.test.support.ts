/** Attacks on the machine's patience: time, memory, output, processes, files. All of them must end, and soon. */
import {
  type Attack,
  attack,
  inHarness,
  raised,
  refusedOrWrong,
  timedOut,
  wrong,
} from "./attack.test.support.ts";

const once = { cases: 1 };

const loops: ReadonlyArray<readonly [string, string]> = [
  ["an endless loop", "while True: pass"],
  [
    "a loop that swallows everything",
    "while True:\n        try:\n            while True: pass\n        except BaseException: pass",
  ],
  ["C code that never looks up", "return sum(range(10 ** 13))"],
  ["a regular expression that backtracks for ever", "return re.match('(a+)+$', 'a' * 60 + 'b')"],
  ["a power of a power", "return len(str(7 ** (7 ** 9)))"],
  ["an endless loop in C", "return collections.deque(itertools.repeat(1), 0)"],
  ["an import that never ends", "exec('while True: import re')"],
  ["a sort that never agrees", "return sorted(itertools.count(), key=lambda k: -k)"],
  [
    "a destructor that never ends",
    "class D:\n        def __del__(self):\n            while True: pass\n    D()",
  ],
];

export const exhaustionAttacks: readonly Attack[] = [
  ...loops.map(([name, body]) =>
    attack(
      name,
      "a worker that is busy for ever",
      `import collections, itertools, re\ndef f(n):\n    ${body}`,
      ["timed-out", "out-of-memory"],
      { ...once, wasm: ["timed-out", "out-of-memory", "raised"] },
    ),
  ),
  attack("never loads", "a limit that only counts calls", "while True: pass", timedOut),
  attack(
    "blocks all signals and cancels all alarms",
    "a limit that depends on a signal the program can refuse",
    `
import signal
def f(n):
    signal.setitimer(signal.ITIMER_REAL, 0); signal.setitimer(signal.ITIMER_PROF, 0); signal.alarm(0)
    for number in range(1, 65):
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError, RuntimeError): pass
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    while True: pass`,
    timedOut,
    { ...once, wasm: ["timed-out", "raised"] },
  ),
  attack(
    "hands over to another thread and leaves",
    "a process whose first thread is gone and whose clock cannot be read",
    `
import ctypes, threading
def spin():
    while True: pass
def f(n):
    threading.Thread(target=spin, daemon=True).start()
    ctypes.CDLL(None).syscall(60, 0)`,
    timedOut,
    { ...once, wasm: ["timed-out", "raised"] },
  ),
  attack(
    "spins in many threads",
    "more processor time than one limit",
    `
import hashlib, threading
def spin():
    while True: hashlib.sha256(b"x" * 1000000)
def f(n):
    threading.stack_size(262144)
    for _ in range(20): threading.Thread(target=spin, daemon=True).start()
    spin()`,
    timedOut,
    { ...once, wasm: ["timed-out", "raised"] },
  ),
  attack(
    "starts threads without end",
    "all threads that the machine has",
    `
import threading, time
def f(n):
    threading.stack_size(65536)
    count = 0
    try:
        while count < 5000:
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
            count += 1
    except RuntimeError: pass
    return count < 200`,
    ["wrong-answer", "out-of-memory"],
    { ...once, wasm: ["wrong-answer", "timed-out"], limits: { caseWallSeconds: 3 } },
  ),
  attack("sleeps", "a worker that waits for ever", "import time\ndef f(n): time.sleep(600)", timedOut, {
    ...once,
    limits: { caseWallSeconds: 0.5 },
  }),
  attack(
    "sleeps a little in every case",
    "a worker that is held by patience",
    "import time\ndef f(n): time.sleep(0.3)",
    ["wrong-answer", "timed-out"],
    { cases: 40, limits: { caseWallSeconds: 0.5, caseCpuSeconds: 0.5, programCpuSeconds: 1.5 } },
  ),
  attack(
    "stops itself",
    "a process that neither runs nor ends",
    "import os, signal\ndef f(n): os.kill(os.getpid(), signal.SIGSTOP)",
    timedOut,
    { ...once, wasm: ["wrong-answer", "raised", "timed-out"], limits: { caseWallSeconds: 0.5 } },
  ),
  attack(
    "waits for itself",
    "a process that neither runs nor ends",
    `
import os, threading
def f(n):
    reader, writer = os.pipe()
    os.read(reader, 1)`,
    timedOut,
    { ...once, wasm: ["raised", "timed-out"], limits: { caseWallSeconds: 0.5 } },
  ),
  attack(
    "takes all memory at once",
    "the machine's memory",
    "def f(n): return len(bytearray(1 << 40)) if n == 3 else len(bytearray(1 << 30))",
    ["out-of-memory"],
    { cases: 2, wasm: ["out-of-memory", "raised"] },
  ),
  attack(
    "takes memory bit by bit",
    "the machine's memory",
    "def f(n):\n    kept = []\n    while True: kept.append(bytearray(1 << 20))",
    ["out-of-memory"],
    { ...once, limits: { caseCpuSeconds: 5 } },
  ),
  attack(
    "takes memory in small pieces and ignores that there is none",
    "the machine's memory",
    `
def f(n):
    kept = []
    while True:
        try:
            while True: kept.append([None] * 100)
        except MemoryError: pass`,
    ["timed-out", "out-of-memory", "raised"],
    once,
  ),
  attack(
    "takes memory where no limit counts it",
    "memory behind descriptors, shared mappings, pipes and compressed data",
    `
import fcntl, mmap, os, zlib
def f(n):
    got = []
    def attempt(name, action):
        try:
            action()
            got.append(name)
        except (OSError, MemoryError, AttributeError, ValueError): pass
    def memory_files():
        for _ in range(40):
            descriptor = os.memfd_create("m")
            for _ in range(16): os.write(descriptor, bytes(1 << 20))
    attempt("memory files", memory_files)
    attempt("shared mapping", lambda: mmap.mmap(-1, 1 << 30)[:1])
    attempt("bomb", lambda: zlib.decompress(zlib.compress(bytes(1 << 26), 1) * 1) and bytes(1 << 30))
    return " ".join(got)`,
    ["wrong-answer", "out-of-memory", "raised"],
    {
      ...once,
      reachesNothingFrom: "filtered",
      wasm: ["wrong-answer", "raised"],
      limits: { caseCpuSeconds: 3 },
    },
  ),
  attack(
    "forks without end",
    "all processes that the machine has",
    `
import os
def f(n):
    while True:
        try: os.fork()
        except OSError: pass`,
    raised,
    { ...once, wasm: ["raised", "timed-out"] },
  ),
  attack(
    "forks without end, one floor down",
    "all processes, around a guard in the os module",
    `
import posix
def f(n):
    while True:
        try: posix.fork()
        except OSError: pass`,
    raised,
    { ...once, wasm: ["raised", "timed-out"] },
  ),
  attack(
    "leaves a daemon behind",
    "a process that outlives its program",
    `
import os, time
def f(n):
    try:
        if os.fork() == 0:
            os.setsid()
            if os.fork(): os._exit(0)
            time.sleep(600)
    except OSError: pass
    return "gone"`,
    wrong,
    { wasm: refusedOrWrong },
  ),
  ...["sys.stdout", "sys.stderr"].map((stream) =>
    attack(
      `floods ${stream}`,
      "the judge's memory",
      `import sys\ndef f(n):\n    while True: ${stream}.write("x" * 100000)`,
      ["output-flood"],
    ),
  ),
  attack(
    "prints a gigabyte in one go",
    "the judge's memory",
    `
import os
def f(n):
    block = b"x" * (1 << 24)
    for _ in range(64): os.write(1, block)`,
    ["output-flood"],
  ),
  attack(
    "fills the scratch",
    "the disk, and the scratch of the next program",
    `
import os
def f(n):
    def until_full(action):
        k = 0
        try:
            while k < 3000:
                action(k)
                k += 1
        except OSError: pass
    until_full(lambda k: open("f%d" % k, "wb").write(bytes(1 << 20)))
    until_full(lambda k: os.mkdir("d%d" % k))
    until_full(lambda k: os.symlink("/etc/passwd", "l%d" % k))
    until_full(lambda k: os.truncate("f0", 1 << 40))
    return "full"`,
    ["wrong-answer", "raised", "timed-out"],
    { ...once, limits: { caseCpuSeconds: 3 } },
  ),
  attack(
    "digs a very deep folder",
    "a clean-up that gives up, and the next program's scratch",
    `
import os
def f(n):
    try:
        for _ in range(1500):
            os.mkdir("d")
            os.chdir("d")
            open("f", "w").close()
    except OSError: pass
    return "deep"`,
    ["wrong-answer", "timed-out"],
    { ...once, limits: { caseCpuSeconds: 3 } },
  ),
  attack(
    "uses up all descriptors",
    "a harness that needs one",
    `
import os
kept = []
def f(n):
    try:
        while True: kept.append(os.pipe())
    except OSError: return len(kept)`,
    wrong,
    { wasm: refusedOrWrong },
  ),
  attack(
    "closes all descriptors",
    "a harness that cannot report",
    "import os\ndef f(n):\n    os.closerange(0, 1000)\n    return 'key-00000-yek'",
    wrong,
    { wasm: raised },
  ),
  attack(
    "recurses without end",
    "a crash that is taken for ours",
    "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(n): return f(n) + 1",
    ["raised", "out-of-memory", "timed-out"],
    { ...once, limits: { caseCpuSeconds: 3 } },
  ),
  attack(
    "recurses in C",
    "a crash that is taken for ours",
    `
import sys
sys.setrecursionlimit(10 ** 6)
def f(n):
    a, b = [], []
    for _ in range(500000): a, b = [a], [b]
    return a == b`,
    ["raised", "out-of-memory", "timed-out", "wrong-answer"],
    { ...once, limits: { caseCpuSeconds: 3 } },
  ),
  attack(
    "crashes",
    "a crash that is taken for ours",
    "import ctypes\ndef f(n): return ctypes.c_int.from_address(n).value",
    raised,
    { wasm: refusedOrWrong },
  ),
  attack(
    "kills itself",
    "a death that is taken for ours",
    "import os, signal\ndef f(n): os.kill(os.getpid(), [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT][n % 3])",
    raised,
    { wasm: ["raised", "wrong-answer"] },
  ),
  attack(
    "lowers its own limits",
    "a death that is taken for ours",
    `
import resource
def f(n):
    for limit in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU):
        resource.setrlimit(limit, (0, 0))
    return [0] * 100000`,
    ["wrong-answer", "out-of-memory", "raised"],
    { wasm: ["did-not-load"] },
  ),
  attack(
    "asks for what is refused, for ever",
    "a worker that does nothing but refuse",
    `
import os
def f(n):
    while True:
        try: os.setuid(0)
        except OSError: pass`,
    raised,
    { wasm: ["raised", "timed-out"], cases: 1 },
  ),
  attack(
    "lets signals interrupt what is refused",
    "a worker that waits for a refused call which is gone",
    `
import os, signal
def f(n):
    signal.signal(signal.SIGALRM, lambda *a: None)
    signal.setitimer(signal.ITIMER_REAL, 0.00005, 0.00005)
    for _ in range(500):
        try: os.setuid(0)
        except OSError: pass
    signal.setitimer(signal.ITIMER_REAL, 0)
    return "survived"`,
    wrong,
    { wasm: refusedOrWrong, cases: 1 },
  ),
  attack(
    "goes on after the last answer",
    "a worker that waits for a program that has nothing left to say",
    `${inHarness}
import atexit, os, threading, time
def leave(code): time.sleep(600)
os._exit = leave
atexit.register(leave, 0)
def f(n): return "key-00000-yek"`,
    wrong,
    { limits: { caseWallSeconds: 0.5 } },
  ),
];
