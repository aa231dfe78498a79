/**
 * Starts CPython inside the sealed module by its C interface (PEP 741) and prepares it for programs: fixed hash seed,
 * no environment, no site packages, the common modules already imported.
 */
import { SparringError } from "../../errors.ts";
import { ByteStore } from "./byte-store.ts";
import { newFileState } from "./file-state.ts";
import { FileTree } from "./file-tree.ts";
import { GuestStop } from "./guest-stop.ts";
import type { GuestState, Interpreter, InterpreterImage } from "./interpreter.ts";
import { DescriptorTable, OpenSink } from "./open-files.ts";

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

/** `library` holds the standard library at `libraryPath` and our own files below `ownFolder`. */
export function boot(interpreter: Interpreter, library: ReadonlyMap<string, Uint8Array>): InterpreterImage {
  const printed = new ByteStore();
  const state = bootState(library, printed);
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

/** While booting nobody else's code runs, so nothing is limited. */
function bootState(library: ReadonlyMap<string, Uint8Array>, printed: ByteStore): GuestState {
  const descriptors = new DescriptorTable();
  for (const descriptor of [0, 1, 2]) {
    descriptors.put(descriptor, new OpenSink((bytes) => printed.add(bytes)));
  }
  return {
    memoryLimit: 256 * 1024 * 1024,
    files: newFileState(new FileTree({ library, scratchBytes: 0, now: () => 0 }), descriptors),
    checkTime() {},
    refused() {},
    pause() {},
  };
}
