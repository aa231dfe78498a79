/**
 * Programs must not be able to tell each other anything: one tries to leave a mark wherever it can, the next one in
 * the same worker looks for it. What both may see (the time, a process number) is not looked at.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defaultLimits } from "../limits.ts";
import { nativeKinds, startNative } from "../native/native-for-tests.test.support.ts";
import type { Sandbox } from "../sandbox.ts";
import { createWasmSandbox } from "../wasm/wasm-sandbox.ts";

/** Tries each statement by itself; whatever cannot be done is not done. */
const leave = `
import builtins, ctypes, gc, json, locale, os, random, signal, string, struct, sys, time, types
scratch = os.getcwd()
source = getattr(os, "__file__", "/lib/python.zip")
MARKS = """
open("mark", "w").write("x")
os.mkdir(".hidden")
os.symlink("/", "link")
os.chmod(scratch, 0o700)
os.chmod(scratch, 0)
os.utime(scratch, (1, 1))
os.utime(source, (1, 1))
os.chmod(source, 0o600)
os.umask(0o777)
os.chdir("/")
os.environ.update(MARK="x")
os.nice(3)
setattr(builtins, "mark", 1)
setattr(json, "mark", 1)
setattr(string, "digits", "mark")
sys.modules.update(mark=types.ModuleType("mark"))
sys.path.append("mark")
sys.setrecursionlimit(77)
sys.set_int_max_str_digits(1000)
random.seed(77)
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
signal.alarm(1000)
gc.disable()
gc.set_threshold(1, 1, 1)
locale.setlocale(locale.LC_ALL, "C")
__import__("resource").setrlimit(7, (20, 20))
__import__("threading").stack_size(1 << 20)
__import__("decimal").getcontext().__setattr__("prec", 3)
memory_marks()
"""
def memory_marks():
    block, marked = 65536, 0
    if struct.calcsize("P") == 8: return
    for address in range(1 << 20, 8 << 20, block):
        if not any((ctypes.c_char * block).from_address(address).raw):
            ctypes.c_int.from_address(address + 64).value = 0x5eed5eed
            marked += 1
            if marked == 3: return
def f():
    for line in MARKS.strip().splitlines():
        try: exec(line)
        except BaseException: pass
`;

const look = `
import builtins, ctypes, decimal, gc, json, locale, os, random, signal, string, struct, sys, threading
def f():
    scratch = os.getcwd()
    status, source = os.stat(scratch), getattr(os, "__file__", "/lib/python.zip")
    def limits():
        import resource
        return [resource.getrlimit(number) for number in range(10) if number != 0]
    def words():
        if struct.calcsize("P") == 8: return 0
        return sum(ctypes.c_int.from_address(at + 64).value == 0x5eed5eed for at in range(1 << 20, 8 << 20, 65536))
    def quietly(action):
        try: return action()
        except Exception as error: return type(error).__name__
    seen = [
        sorted(os.listdir(scratch)), oct(status.st_mode), status.st_mtime < 1e9, sorted(os.environ.items()),
        oct(os.stat(source).st_mode), os.stat(source).st_mtime < 1e9, hasattr(builtins, "mark"), hasattr(json, "mark"),
        string.digits, "mark" in sys.modules, sys.path, sys.getrecursionlimit(), random.random(), gc.isenabled(),
        gc.get_threshold(), locale.setlocale(locale.LC_ALL), threading.stack_size(), decimal.getcontext().prec,
        quietly(sys.get_int_max_str_digits), quietly(limits), quietly(words), quietly(lambda: os.umask(0o22)),
        quietly(lambda: os.nice(0)), quietly(lambda: signal.getsignal(signal.SIGUSR1)), quietly(lambda: signal.alarm(0)),
        quietly(lambda: sorted(signal.pthread_sigmask(signal.SIG_BLOCK, []))), os.path.relpath(os.getcwd(), scratch),
        quietly(lambda: open("usable", "w").write("x")),
    ]
    return repr(seen)
`;

const grounds: ReadonlyArray<
  readonly [string, () => Promise<string | { sandboxes: Sandbox[]; release: () => void }>]
> = [
  ...nativeKinds.map((kind) => [`native, ${kind.name}`, () => startNative(kind, 1)] as const),
  ["wasm", async () => ({ sandboxes: [await createWasmSandbox({ workers: 1 })], release: () => {} })],
];

describe.each(grounds)("%s", (_, start) => {
  let ground: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    ground = await start();
  });
  afterAll(async () => {
    if (typeof ground === "string") return;
    await Promise.all(ground.sandboxes.map((sandbox) => sandbox.close()));
    ground.release();
  });

  it("shows every program the same world", async (context) => {
    if (typeof ground === "string") return context.skip(ground);
    const sandbox = ground.sandboxes[0]!;
    const first = await answer(sandbox, look);
    expect(first).toContain("LANG");
    for (let round = 0; round < 2; round += 1) {
      await answer(sandbox, leave);
      expect(await answer(sandbox, look)).toBe(first);
    }
  });
});

async function answer(sandbox: Sandbox, source: string): Promise<string> {
  const { observations } = await sandbox.run({
    source,
    work: { style: "function", entryPoint: "f", calls: [{ args: [], keywords: {} }] },
    limits: { ...defaultLimits, caseCpuSeconds: 10, caseWallSeconds: 60 },
  });
  const [observation] = observations;
  if (observation?.kind !== "returned") throw new Error(JSON.stringify(observation));
  return observation.value.type === "str" ? observation.value.value : "";
}
