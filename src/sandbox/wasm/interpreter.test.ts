/** The interpreter itself, without threads around it: what its imports let through, and that a reset is complete. */
import { beforeAll, describe, expect, it } from "vitest";
import { bootTwice } from "./boot.ts";
import { GuestMemory } from "./guest-memory.ts";
import { GuestStop } from "./guest-stop.ts";
import { processCalls, sealedImports } from "./import-table.ts";
import type { Interpreter, InterpreterImage } from "./interpreter.ts";
import { type InterpreterKit, loadInterpreterKit } from "./interpreter-kit.ts";
import { JournalReader, JournalWriter, newJournal } from "./journal.ts";
import { ProgramRun } from "./program-run.ts";
import { ownClock } from "./thread-clock.ts";
import { webAssembly } from "./web-assembly.ts";

let kit: InterpreterKit;
let interpreter: Interpreter;
let image: InterpreterImage;

beforeAll(async () => {
  kit = await loadInterpreterKit();
  ({ interpreter, image } = bootTwice(kit.module, new Map([...kit.library, ...kit.ownFiles])));
  interpreter.restore(image);
});

const limits = {
  caseCpuSeconds: 0.3,
  caseWallSeconds: 10,
  programCpuSeconds: 5,
  programWallSeconds: 50,
  memoryBytes: 64 * 1024 * 1024,
  outputBytes: 10_000,
  valueBytes: 100_000,
  scratchBytes: 1_000_000,
};

/** Runs `f()` of a program; gives the end of the run and the last thing it said. */
function run(source: string) {
  const journal = newJournal();
  const request = {
    job: JSON.stringify({ style: "function", source, entry: "f", calls: [[[], {}]], valueBytes: 100_000 }),
    input: "",
    cases: 1,
    limits,
  };
  const program = new ProgramRun({
    request,
    library: kit.library,
    imageBytes: image.memory.byteLength,
    clock: ownClock(),
    journal: new JournalWriter(journal, () => {}),
  });
  const end = interpreter.run(image, program);
  const said = new JournalReader(journal).remainder().toString("latin1");
  return { end, said };
}

/** Where the memory differs from a fresh interpreter's. */
function differences(): string[] {
  const saved = Buffer.from(image.memory);
  const now = Buffer.from(interpreter.memory.slice(0, interpreter.memory.size));
  const found: string[] = [];
  if (!now.subarray(0, saved.length).equals(saved)) found.push("image");
  const beyond = now.subarray(saved.length);
  if (!beyond.equals(Buffer.alloc(beyond.length))) found.push("beyond the image");
  return found;
}

const pollution: ReadonlyArray<readonly [string, string]> = [
  ["ordinary work", "def f():\n    return sorted(str(i) for i in range(1000))[:3]"],
  [
    "builtins, modules and the harness rewritten",
    `
import builtins, json, sys, gc, random, math
def f():
    builtins.len = builtins.sorted = builtins.print = lambda *a, **k: 42
    builtins.__import__ = None
    json.loads = json.dumps = json.JSONEncoder = None
    sys.modules.clear(); sys.path.clear(); sys.meta_path.clear()
    math.pi = 3
    random.seed(99)
    for thing in gc.get_objects():
        if type(thing) is dict and "PROGRAM_FILE" in thing:
            thing["run_call"] = thing["run_function"] = None`,
  ],
  [
    "files, handlers and settings left behind",
    `
import atexit, gc, os, sys, warnings
def f():
    open("/tmp/left", "w").write("behind")
    os.mkdir("/tmp/folder"); os.chdir("/tmp/folder")
    os.environ["LEFT"] = "behind"; os.putenv("LEFT", "behind")
    atexit.register(print)
    sys.setrecursionlimit(50_000); gc.disable(); warnings.simplefilter("error")
    sys.settrace(lambda *a: None)
    os.dup2(1, 9); os.close(2)`,
  ],
  ["much memory", "def f():\n    global kept\n    kept = [bytearray(100_000) for _ in range(300)]"],
  ["deep recursion", "def f():\n    return f()"],
  ["an abort", "import os\ndef f():\n    os.abort()"],
  ["an exit", "import os\ndef f():\n    os._exit(3)"],
  ["a loop", "def f():\n    while True: pass"],
  [
    "memory written at random",
    `
import ctypes
def f():
    for address in range(4096, 15_000_000, 4096):
        ctypes.c_int.from_address(address).value = 0x5eed5eed`,
  ],
  [
    "one word far down the stack",
    `
import ctypes
def f():
    block = 65536
    unused = (at for at in range(1 << 20, 16 << 20, block) if not any((ctypes.c_char * block).from_address(at).raw))
    ctypes.c_int.from_address(next(unused)).value = 0x5eed5eed`,
  ],
];

describe("restore", () => {
  it.each(pollution)("undoes every byte of %s", (_, source) => {
    run(source);
    expect(differences()).not.toEqual([]);
    interpreter.restore(image);
    expect(differences()).toEqual([]);
  });

  it("leaves an interpreter that answers the same every time", () => {
    const source = `
import random, os, sys
def f():
    return [random.random(), hash("text"), list({"a", "b", "c"}), os.listdir("/tmp"), os.getcwd(),
            sorted(os.environ), len(sys.modules), sys.getrecursionlimit()]`;
    const first = run(source);
    interpreter.restore(image);
    for (const [, other] of pollution) {
      run(other);
      interpreter.restore(image);
    }
    expect(run(source)).toEqual(first);
    interpreter.restore(image);
    expect(first.said).toContain('"returned"');
  });
});

describe("sealedImports", () => {
  it("refuses and counts every import that is not on the list", () => {
    let refused = 0;
    const state = {
      memoryLimit: 0,
      checkTime() {},
      memoryRefused() {},
      refused() {
        refused++;
      },
    };
    const imports = sealedImports(kit.module, [], () => state);
    const functions = webAssembly.Module.imports(kit.module).filter(({ kind }) => kind === "function");
    expect(functions.length).toBeGreaterThan(200);
    for (const { module, name } of functions) {
      const before = refused;
      const call = imports[module]?.[name] as (...values: number[]) => number;
      try {
        expect(call(0, 0, 0), name).toBeLessThanOrEqual(0);
      } catch (error) {
        expect(error, name).toBeInstanceOf(GuestStop);
      }
      expect(refused, name).toBe(before + 1);
    }
  });

  it("allows no import that reaches JavaScript, sockets, shells or libraries", () => {
    const calls = processCalls(
      new GuestMemory(),
      () => {
        throw new Error("no guest");
      },
      () => {
        throw new Error("no program");
      },
    );
    const allowed = [...Object.keys(calls.env), ...Object.keys(calls.wasi_snapshot_preview1)];
    const suspicious = /js_|_js$|Js[A-Z]|hiwire|proxy|socket|connect|system|dlopen|dlsym|ffi_call|asm_const/;
    expect(allowed.filter((name) => suspicious.test(name)).sort()).toEqual([
      "__hiwire_deduplicate_new", // answers null
      "__syscall_getuid32_js",
      "__syscall_umask_js",
      "_abort_js",
      "can_run_sync_js", // answers no
      "ffi_closure_alloc_js", // memory without code
      "ffi_closure_free_js",
      "ffi_prep_closure_loc_js",
    ]);
  });
});
