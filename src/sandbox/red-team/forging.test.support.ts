/** Attacks on the verdict: make a wrong program look right, or its failure look like ours. */
import { type Attack, attack, inHarness, raised, refusedOrWrong, wrong } from "./attack.test.support.ts";

const lookEverywhere = `
def find_key(roots):
    seen, waiting = set(), list(roots)
    while waiting and len(seen) < 20000:
        item = waiting.pop()
        if id(item) in seen: continue
        seen.add(id(item))
        if type(item) is str and "key-" in item and len(item) < 40 and item[4:9].isdigit(): return item
        if type(item) in (list, tuple, set, frozenset): waiting.extend(item)
        elif type(item) is dict: waiting.extend(item.keys()); waiting.extend(item.values())
        elif hasattr(item, "__dict__"): waiting.append(vars(item))
    return "nothing found"
`;

export const forgingAttacks: readonly Attack[] = [
  attack(
    "reads the callers' frames",
    "an expected answer in a local or global of the harness",
    `${lookEverywhere}
import sys
def f(n):
    roots, frame = [], sys._getframe()
    while frame:
        roots += [dict(frame.f_locals), dict(frame.f_globals)]
        frame = frame.f_back
    return find_key(roots)`,
    wrong,
  ),
  attack(
    "asks the garbage collector",
    "an expected answer anywhere in the interpreter",
    `${lookEverywhere}
import gc
def f(n):
    return find_key(gc.get_objects())`,
    wrong,
  ),
  attack(
    "searches the memory it inherited",
    "the answers or the text of the program that ran before in this worker",
    `
import ctypes, os, re
def f(n):
    libc = ctypes.CDLL(None)
    libc.write.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
    libc.sbrk.restype = ctypes.c_void_p
    reader, writer = os.pipe()
    heap, objects = libc.sbrk(0), id([]) >> 12 << 12
    pattern, pages = re.compile(b"key-[0-9]{5}" + b"-y" + b"ek"), 0
    for start, size in ((heap - (16 << 20), 16 << 20), (objects - (24 << 20), 48 << 20)):
        for address in range(start, start + size, 4096):
            if libc.write(writer, address, 4096) == 4096:
                pages += 1
                found = pattern.search(os.read(reader, 4096))
                if found: return found.group().decode()
    return "nothing in %d pages" % pages if pages > 500 else "could not look"`,
    wrong,
    { cases: 1, limits: { caseCpuSeconds: 3 }, wasm: "skip" },
  ),
  attack(
    "searches the memory of the WebAssembly interpreter",
    "the answers or the text of the program that ran before in this interpreter",
    `
import ctypes, re
def f(n):
    pattern, found = re.compile(b"key-[0-9]{5}" + b"-y" + b"ek"), None
    for address in range(65536, 28 << 20, 1 << 20):
        found = found or pattern.search((ctypes.c_char * (1 << 20)).from_address(address).raw)
    return found.group().decode() if found else "nothing"`,
    ["wrong-answer", "raised"],
    { cases: 1, limits: { caseCpuSeconds: 3 } },
  ),
  attack(
    "returns a friendly object",
    "an object that says it equals everything",
    `
class Friend:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __bool__(self): return True
    def __repr__(self): return "'key-00000-yek'"
def f(n): return Friend()`,
    wrong,
  ),
  ...(["str", "int", "float", "list", "tuple", "dict", "bytes", "complex", "set"] as const).map((base) =>
    attack(
      `returns a friendly ${base}`,
      "a subclass of a plain type that lies about itself",
      `
class Friend(${base}):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __iter__(self): return iter(["key-00000-yek"])
    def __str__(self): return "key-00000-yek"
    def __len__(self): return 13
    def items(self): return [("key", 1)]
    real = imag = property(lambda self: Friend())
    def __getattribute__(self, name): return lambda *a, **k: True
def f(n): return Friend()`,
      refusedOrWrong,
    ),
  ),
  attack(
    "claims another class",
    "a check by isinstance that believes __class__",
    `
class Spoof:
    @property
    def __class__(self): return str
    def __str__(self): return "key-00000-yek"
def f(n): return Spoof()`,
    refusedOrWrong,
  ),
  attack(
    "returns every possible answer",
    "a comparison that looks for the answer inside what was returned",
    `def f(n):
    keys = ["key-%05d-yek" % k for k in range(10007)]
    return [keys, set(keys), {k: k for k in keys}, "\\n".join(keys)][n % 4]`,
    wrong,
    { cases: 4 },
  ),
  attack(
    "prints markers and leaves",
    "a harness that reads verdicts from standard output or the exit code",
    `
import os, sys
def f(n):
    for i in range(12):
        print("__GEN_PASS__0_%d" % i, "__PASS__", "PASSED", "OK", flush=True)
    sys.stderr.write("1 passed\\n")
    os._exit(0)`,
    raised,
  ),
  attack(
    "raises SystemExit(0)",
    "an exit code that counts as success",
    "def f(n):\n    raise SystemExit(0)",
    raised,
  ),
  attack(
    "leaves while loading",
    "tests that never ran counting as passed",
    "import sys\nsys.exit(0)\ndef f(n): pass",
    ["did-not-load"],
  ),
  attack(
    "leaves while loading, at once",
    "tests that never ran counting as passed",
    "import os\nos._exit(0)",
    ["did-not-load"],
  ),
  attack(
    "writes frames to every descriptor",
    "the private channel of the harness",
    `
import json, os, struct
def f(n):
    body = json.dumps({"k": "returned", "v": "key-00000-yek"}).encode()
    for descriptor in range(3, 64):
        try: os.write(descriptor, (struct.pack("<I", len(body)) + body) * 20)
        except OSError: pass
    return "key-00000-yek"`,
    wrong,
  ),
  attack(
    "answers through the harness's own function",
    "answers for all cases at once",
    `${inHarness}
def f(n):
    send = in_harness("send")
    for _ in range(20): send('{"k":"returned","v":"key-00000-yek"}')
    return "key-00000-yek"`,
    refusedOrWrong,
  ),
  ...[
    '{"k":"infrastructure","message":"the worker was lost"}',
    '{"k":"full"}',
    "{",
    '{"k":"returned","v":{"i":"1e9"}}',
    '{"k":"returned","v":{"d":[[1]]}}',
    '{"k":"returned","v":{"__proto__":[]}}',
    '{"k":"exited","c":0}',
    '{"k":"loaded"}',
    `{"k":"returned","v":${"[".repeat(3000)}${"]".repeat(3000)}}`,
  ].map((frame, index) =>
    attack(
      `says something unheard of, ${index + 1}`,
      "an outcome that is masked or retried instead of punished",
      `${inHarness}
def f(n):
    in_harness("send")('${frame}')
    return "key-00000-yek"`,
      ["wrong-answer", "raised", "did-not-load", "output-flood"],
    ),
  ),
  attack(
    "pretends to have moved on",
    "a fresh time limit for the same case, again and again",
    `${inHarness}
import struct, time
def f(n):
    memory, length = in_harness("send").__self__.memory, struct.Struct("<I")
    (used,) = length.unpack_from(memory, 0)
    started = time.process_time()
    while time.process_time() - started < 3:
        length.pack_into(memory, 0, used + 4)
        length.pack_into(memory, 0, used + 100)
        length.pack_into(memory, 0, used)
    return "key-00000-yek"`,
    ["timed-out", "did-not-load", "raised"],
    { cases: 1, wasm: raised },
  ),
  attack(
    "gives an answer and takes it back",
    "time for one case that is charged to another",
    `${inHarness}
import struct, time
def f(n):
    send = in_harness("send")
    memory, length = send.__self__.memory, struct.Struct("<I")
    before = length.unpack_from(memory, 0)
    started = time.process_time()
    while time.process_time() - started < 0.55:
        if time.process_time() - started > 0.3 and length.unpack_from(memory, 0) == before: send('{"k":"flood"}')
    length.pack_into(memory, 0, *before)
    return "key-00000-yek"`,
    ["did-not-load", "timed-out", "output-flood"],
    { wasm: raised },
  ),
  attack(
    "replaces the harness's encoder",
    "a value that is built by the program itself",
    `${inHarness}
def f(n):
    frame = sys._getframe()
    while "wire" not in frame.f_globals: frame = frame.f_back
    names = frame.f_globals
    names["wire"].Encoder.encode = lambda self, value, depth=0: {"s": [{"o": ["str", "object"]}] * 3}
    names["dumps"] = lambda value: '"key-00000-yek","v":"key-11111-yek"'
    return 1`,
    refusedOrWrong,
  ),
  attack(
    "patches everything it can",
    "a harness that trusts builtins, json, os or its own loop",
    `
import builtins, io, json, os, struct, sys
def yes(*a, **k): return True
for module in (json, os, struct, io):
    for name in dir(module):
        if not name.startswith("__"):
            try: setattr(module, name, yes)
            except Exception: pass
for name in ("isinstance", "type", "len", "hex", "str", "compile", "exec", "print", "getattr", "id"):
    setattr(builtins, name, yes)
def f(n): return "key-00000-yek"`,
    ["wrong-answer", "raised", "did-not-load", "timed-out"],
    { limits: { caseWallSeconds: 3 } },
  ),
  attack(
    "installs import hooks, traces and audits",
    "running code of its own inside the harness",
    `
import sys
class Finder:
    def find_spec(self, *a): raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
sys.path_hooks.insert(0, Finder)
def trace(frame, event, argument):
    if event == "return" and frame.f_code.co_name == "run_call": frame.f_locals.clear()
    return trace
sys.settrace(trace); sys.setprofile(trace)
sys.addaudithook(lambda *a: None)
sys.unraisablehook = sys.excepthook = sys.displayhook = lambda *a: None
def f(n): return "key-00000-yek"`,
    refusedOrWrong,
  ),
  attack(
    "returns a pickle that runs a command",
    "code that runs where the value is unpacked",
    `
import os, pickle
class Bomb:
    def __reduce__(self): return (os.system, ("touch /tmp/sparring-pickled",))
    def __getstate__(self): raise KeyboardInterrupt
def f(n): return [Bomb(), pickle.dumps(Bomb())]`,
    wrong,
  ),
  attack(
    "changes the answer after giving it",
    "a value that is read twice",
    `
import threading
def f(n):
    answer = ["key-00000-yek"] * 5
    def spoil():
        for k in range(300): answer[k % 5] = ["key-00000-yek", 7, None][k % 3]
    for _ in range(3): threading.Thread(target=spoil, daemon=True).start()
    return answer`,
    refusedOrWrong,
  ),
  attack(
    "makes the exit impossible",
    "a child that goes on as if it were the worker",
    `
import os
os._exit = os.abort = os.kill = lambda *a: None
def f(n): return "key-00000-yek"`,
    wrong,
  ),
  attack(
    "raises something that cannot be described",
    "an error inside the harness's error handling",
    `
class Odd(BaseException):
    def __str__(self): raise self
    __repr__ = __str__
    def __getattribute__(self, name): raise SystemExit(0)
    __traceback__ = property(lambda self: 1 / 0)
Odd.__name__ = "x" * 100000
def f(n): raise Odd`,
    raised,
  ),
  attack(
    "pretends to be short of memory",
    "an outcome that is somebody else's fault",
    "def f(n): raise MemoryError",
    ["out-of-memory"],
  ),
  attack(
    "replaces itself in sys.modules",
    "another function being called than the one that was loaded",
    `
import sys, types
class Any(types.ModuleType):
    def __getattr__(self, name): return lambda *a: True
for name in list(sys.modules): sys.modules[name] = Any(name)
f = Any("f")`,
    refusedOrWrong,
  ),
  ...[
    ["a generator", "(k for k in ['key-00000-yek'])"],
    ["an endless iterator", "__import__('itertools').count()"],
    ["a coroutine", "co()"],
    ["itself", "f"],
    ["NotImplemented", "NotImplemented"],
    ["a mock", "__import__('unittest.mock').mock.ANY"],
    ["nan", "float('nan')"],
    ["a memory view", "memoryview(b'key-00000-yek')"],
    ["lone surrogates", "'key-\\ud800\\udfff-yek'"],
    ["an exception", "SystemExit('key-00000-yek')"],
    ["a range", "range(10**30)"],
    ["a proxy", "__import__('types').MappingProxyType({'key': 1})"],
  ].map(([what, expression]) =>
    attack(
      `returns ${what}`,
      "a value that the comparison was not made for",
      `async def co(): return "key-00000-yek"\ndef f(n): return ${expression}`,
      wrong,
      { limits: { caseCpuSeconds: 5 } },
    ),
  ),
  ...[
    ["cyclic", "a = []; a.append(a); b = {}; b['b'] = b; a.append(b)"],
    ["shared a million times over", "a = []\n    for _ in range(60): a = [a, a]"],
    ["nested without end", "a = []\n    for _ in range(200000): a = [a]"],
    ["one huge integer", "a = 1 << 40_000_000"],
    ["many tiny things", "a = [[] for _ in range(400000)]"],
    ["one long text", "a = '\\U0001f600' * 6_000_000"],
    ["nan in every place", "a = {float('nan'): {float('nan')} for _ in range(9)}; a = [a, {1: a}]"],
  ].map(([what, statement]) =>
    attack(
      `returns a value that is ${what}`,
      "a comparison or an encoding that never ends or takes all memory",
      `def f(n):\n    ${statement}\n    return a`,
      ["wrong-answer", "output-flood", "out-of-memory", "raised"],
      { limits: { caseCpuSeconds: 5, valueBytes: 512 * 1024 } },
    ),
  ),
];
