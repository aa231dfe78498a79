/**
 * Starts CPython inside the sealed module by its C interface (PEP 741) and prepares it for programs: fixed hash seed,
 * no environment, no site packages, the common modules already imported. The image is that of a second interpreter,
 * which finds compiled what the first one had to compile; python/sandbox/wasm_codes.py says why.
 */
import { SparringError } from "../../errors.ts";
import { ByteStore } from "./byte-store.ts";
import { newFileState } from "./file-state.ts";
import { FileTree, scratchFolder } from "./file-tree.ts";
import { GuestStop } from "./guest-stop.ts";
import { type GuestState, Interpreter, type InterpreterImage } from "./interpreter.ts";
import { DescriptorTable, OpenSink } from "./open-files.ts";
import type { GuestModule } from "./web-assembly.ts";

const megabyte = 1024 * 1024;
/**
 * All of it is cleared after every program, so it is not larger than recursion through C code needs: about 9,000 calls
 * of a cached function, each of which takes some 450 bytes. Plain Python calls take nothing of it.
 */
const stackBytes = 4 * megabyte;

export const libraryPath = "/lib/python.zip";
/** Where our own Python files lie while the interpreter boots; no program ever sees them there. */
export const ownFolder = "/sparring";

const integerOptions: Record<string, number> = {
  isolated: 1,
  use_environment: 0,
  site_import: 0,
  safe_path: 1,
  use_hash_seed: 1,
  hash_seed: 0,
  utf8_mode: 1,
  write_bytecode: 0,
  install_signal_handlers: 0,
  parse_argv: 0,
  module_search_paths_set: 1,
};
const textOptions: Record<string, string> = {
  program_name: "python3",
  executable: "/usr/bin/python3",
  home: "/",
};

/** `files` are the standard library at `libraryPath` and our own files below `ownFolder`. */
export function bootTwice(
  module: GuestModule,
  files: ReadonlyMap<string, Uint8Array>,
): { interpreter: Interpreter; image: InterpreterImage } {
  const compiling = bootState(files);
  boot(new Interpreter(module), compiling);
  const interpreter = new Interpreter(module);
  const image = boot(interpreter, bootState(new Map([...files, ...codesIn(compiling)])));
  return { interpreter, image };
}

function boot(interpreter: Interpreter, state: BootState): InterpreterImage {
  const { printed } = state;
  const call = (name: string, ...values: Array<number | bigint>) => interpreter.call(state, name, ...values);
  const text = (value: string) => {
    const address = call("malloc", value.length + 1);
    interpreter.memory.setText(address, value);
    return address;
  };
  const fail = (what: string): never => {
    throw new SparringError({
      code: "wasm-boot-failed",
      message: `the WebAssembly Python did not start (${what}): ${Buffer.from(printed.copy()).toString("utf8").slice(-500)}`,
      hint: "Reinstall the packages (npm ci); the sandbox needs exactly the pyodide version that Sparring names.",
    });
  };

  try {
    interpreter.placeStack(stackBytes);
    call("__wasm_call_ctors");
    const config = call("PyInitConfig_Create");
    const check = (what: string, failed: number) => {
      if (failed !== 0) fail(what);
    };
    for (const [name, value] of Object.entries(integerOptions)) {
      check(name, call("PyInitConfig_SetInt", config, text(name), BigInt(value)));
    }
    for (const [name, value] of Object.entries(textOptions)) {
      check(name, call("PyInitConfig_SetStr", config, text(name), text(value)));
    }
    const paths = [libraryPath, ownFolder];
    const list = call("malloc", 4 * paths.length);
    paths.forEach((path, index) => {
      interpreter.memory.setU32(list + 4 * index, text(path));
    });
    check("paths", call("PyInitConfig_SetStrList", config, text("module_search_paths"), paths.length, list));
    check("initialisation", call("Py_InitializeFromInitConfig", config));
    call("PyInitConfig_Free", config);

    const entryModule = call("PyImport_ImportModule", text("wasm_entry"));
    if (entryModule === 0) {
      call("PyErr_Print");
      fail("wasm_entry");
    }
    if (call("PyObject_CallNoArgs", call("PyObject_GetAttrString", entryModule, text("prepare"))) === 0) {
      call("PyErr_Print");
      fail("wasm_entry.prepare");
    }
    const entry = call("PyObject_GetAttrString", entryModule, text("run"));
    const python = call("PyUnicode_AsUTF8", call("PyObject_GetAttrString", entryModule, text("version")));
    if (entry === 0 || python === 0) fail("wasm_entry.run");
    // From now on the interpreter asks us every few instructions whether it may go on.
    interpreter.memory.setU32(interpreter.address("Py_EMSCRIPTEN_SIGNAL_HANDLING"), 1);
    return interpreter.capture(state, { entry, python: interpreter.memory.path(python) });
  } catch (error) {
    if (error instanceof SparringError) throw error;
    return fail(error instanceof GuestStop ? error.reason.kind : String(error));
  }
}

interface BootState extends GuestState {
  readonly printed: ByteStore;
}

/** While booting nobody else's code runs, so nothing is limited. */
function bootState(files: ReadonlyMap<string, Uint8Array>): BootState {
  const printed = new ByteStore();
  const descriptors = new DescriptorTable();
  for (const descriptor of [0, 1, 2]) {
    descriptors.put(descriptor, new OpenSink((bytes) => printed.add(bytes)));
  }
  const tree = new FileTree({ library: files, scratchBytes: 64 * megabyte, now: () => 0 });
  return {
    printed,
    memoryLimit: 256 * megabyte,
    files: newFileState(tree, descriptors),
    checkTime() {},
    memoryRefused() {},
    refused() {},
    pause() {},
  };
}

/** The compiled modules that a boot has left in its scratch folder. */
function* codesIn(state: BootState): Generator<[string, Uint8Array]> {
  const scratch = state.files.tree.get(scratchFolder);
  if (scratch.kind !== "directory") return;
  for (const [name, node] of scratch.entries) {
    if (node.kind === "file") yield [`${ownFolder}/codes/${name}`, node.data.subarray(0, node.size)];
  }
}
