/**
 * The walls of the sealed interpreter. A WebAssembly module can touch nothing but its own memory and the functions it
 * is given, so what stands here is everything that an untrusted program can ever reach: files in memory, clocks,
 * random bytes, a bounded heap. The interpreter's remaining imports (JavaScript objects, sockets, shell commands,
 * dynamic libraries, foreign calls, about two hundred) are refused and counted. Pyodide's own JavaScript, which would
 * answer them, is never loaded.
 */
import { randomFillSync } from "node:crypto";
import { errno } from "./errno.ts";
import type { GuestMemory } from "./guest-memory.ts";
import { GuestStop } from "./guest-stop.ts";
import {
  type FunctionTable,
  type GuestFunction,
  type GuestModule,
  type ImportObject,
  webAssembly,
} from "./web-assembly.ts";

/** What the imports need to know about the program that runs. */
export interface ProcessState {
  /** Bytes the guest's memory may grow to. */
  readonly memoryLimit: number;
  /** Called often while the program computes; throws to stop it. */
  checkTime(): void;
  /** Called when the guest was not given the memory it asked for. */
  memoryRefused(): void;
  /** Called for every refused import; throws when there were too many. */
  refused(): void;
}

const growthStep = 1024 * 1024;

/** What the imports use of the guest. */
export interface GuestFunctions {
  readonly __indirect_function_table: FunctionTable;
  malloc(bytes: number): number;
  free(address: number): void;
}

/** All that a program sees of an environment; the same as in the native sandbox. */
const environment = ["HOME=/tmp", "TMPDIR=/tmp", "LANG=C.UTF-8"];

export function processCalls(memory: GuestMemory, guest: () => GuestFunctions, state: () => ProcessState) {
  const functions: GuestFunction[] = [];

  /** Guest functions by number. The lookup is slow and the table never changes, so each is looked up once. */
  function guestFunction(index: number): GuestFunction {
    const known = functions[index];
    if (known) return known;
    const found = guest().__indirect_function_table.get(index);
    if (!found) throw new RangeError("call of a missing function");
    functions[index] = found;
    return found;
  }

  function writeEnvironment(pointers: number, text: number): number {
    let address = text;
    environment.forEach((entry, index) => {
      memory.setU32(pointers + 4 * index, address);
      memory.setText(address, entry);
      address += entry.length + 1;
    });
    return 0;
  }

  const exit = (code: number): never => {
    throw new GuestStop({ kind: "exited", code: code & 0xff });
  };
  const abort = (): never => {
    throw new GuestStop({ kind: "aborted" });
  };

  return {
    env: {
      // C functions are called through here where their declared and actual parameters may differ in number.
      _PyEM_TrampolineCall_JS: (index: number, first: number, second: number, third: number) =>
        guestFunction(index)(first, second, third),
      __call_sighandler: (index: number, signal: number) => {
        guestFunction(index)(signal);
      },
      _Py_CheckEmscriptenSignals_Helper: () => {
        state().checkTime();
        return 0;
      },
      emscripten_get_heap_max: () => state().memoryLimit,
      emscripten_resize_heap: (bytes: number) => {
        const [wanted, most] = [bytes >>> 0, state().memoryLimit];
        // Growing takes a while, so small wishes are rounded up.
        const size = Math.min(most, Math.max(wanted, memory.size + growthStep));
        if (wanted <= most && memory.growTo(size)) return 1;
        state().memoryRefused();
        return 0;
      },
      // ctypes makes a callback when it is imported. It gets one, but no code is behind it: calling it is a fault.
      ffi_closure_alloc_js: (bytes: number, code: number) => {
        memory.setU32(code, 0);
        return guest().malloc(bytes);
      },
      ffi_prep_closure_loc_js: () => 0,
      ffi_closure_free_js: (address: number) => guest().free(address),
      exit,
      _abort_js: abort,
      __assert_fail: abort,
      __syscall_getuid32_js: () => 1000,
      __syscall_umask_js: () => 0o022,
      _emscripten_get_progname: (address: number) => memory.setText(address, "python3"),
      _Py_emscripten_runtime: () => 0,
      // The interpreter asks before it would wait for JavaScript; there is none to wait for.
      can_run_sync_js: () => 0,
      _maybe_poll_async: () => null,
      _try_fcntl64: () => 0,
      __hiwire_deduplicate_new: () => null,
      emscripten_runtime_keepalive_push: () => {},
      emscripten_runtime_keepalive_pop: () => {},
      _emscripten_runtime_keepalive_clear: () => {},
    },
    wasi_snapshot_preview1: {
      proc_exit: exit,
      environ_sizes_get: (count: number, bytes: number) => {
        memory.setU32(count, environment.length);
        memory.setU32(
          bytes,
          environment.reduce((sum, entry) => sum + entry.length + 1, 0),
        );
        return 0;
      },
      environ_get: writeEnvironment,
      random_get: (address: number, length: number) => {
        randomFillSync(memory.slice(address, length));
        return 0;
      },
    },
  };
}

/** What a refused import answers where the caller can take no for an answer; every other one ends the program. */
const refusals: Record<string, number> = {
  _emscripten_system: -errno.ENOSYS,
  getaddrinfo: -4, // EAI_FAIL
  getnameinfo: -4,
  getprotobyname: 0,
  _emscripten_lookup_name: 0,
  _dlopen_js: 0,
  _dlsym_js: 0,
  _mmap_js: -errno.ENOSYS,
  _msync_js: -errno.ENOSYS,
  _munmap_js: -errno.ENOSYS,
  _setitimer_js: -errno.ENOSYS,
};

/** One function for each import of the module: the allowed ones, and refusals for all others. */
export function sealedImports(
  module: GuestModule,
  allowed: readonly ImportObject[],
  state: () => ProcessState,
): ImportObject {
  const imports: ImportObject = {};
  for (const { module: from, name, kind } of webAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] =
      kind === "global"
        ? // Addresses of optional functions (graphics, console): -1 is the linker's mark for "not there".
          new webAssembly.Global({ value: "i32", mutable: true }, -1)
        : (allowed.find((calls) => calls[from]?.[name])?.[from]?.[name] ?? refusal(name, state));
  }
  return imports;
}

function refusal(name: string, state: () => ProcessState): () => number {
  const answer = refusals[name] ?? (name.startsWith("__syscall_") ? -errno.ENOSYS : undefined);
  return () => {
    state().refused();
    if (answer === undefined) throw new GuestStop({ kind: "aborted" });
    return answer;
  };
}
