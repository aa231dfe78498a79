/**
 * What all interpreters of this process share: the compiled module, the standard library and, once the first of them
 * has booted, the image. Booting takes about a second, starting from the image about a tenth of that. The image is
 * kept in memory only: a file of it would be trusted code in a place that others may be able to write.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { messageOf, SparringError } from "../../errors.ts";
import { packageRoot } from "../../package-root.ts";
import { libraryPath, ownFolder } from "./boot.ts";
import { withInitialPages } from "./initial-memory.ts";
import { type GuestModule, webAssembly } from "./web-assembly.ts";

export interface InterpreterKit {
  readonly module: GuestModule;
  readonly library: ReadonlyMap<string, Uint8Array>;
  readonly ownFiles: ReadonlyMap<string, Uint8Array>;
}

const ownFileNames = [
  "harness.py",
  "wire.py",
  "wasm_codes.py",
  "wasm_entry.py",
  "wasm_event_loop.py",
  "wasm_library.py",
];

/** A little more than the interpreter's static data and stack. */
const initialPages = 150;

export async function loadInterpreterKit(): Promise<InterpreterKit> {
  try {
    const resolve = createRequire(import.meta.url).resolve;
    const pyodide = path.dirname(resolve("pyodide/package.json"));
    const [code, library, ...own] = await Promise.all([
      readFile(path.join(pyodide, "pyodide.asm.wasm")),
      readFile(path.join(pyodide, "python_stdlib.zip")),
      ...ownFileNames.map((name) => readFile(path.join(packageRoot, "python", "sandbox", name))),
    ]);
    return {
      module: await webAssembly.compile(withInitialPages(code!, initialPages)),
      library: new Map([[libraryPath, shared(library!)]]),
      ownFiles: new Map(ownFileNames.map((name, index) => [`${ownFolder}/${name}`, shared(own[index]!)])),
    };
  } catch (cause) {
    throw new SparringError({
      code: "wasm-missing",
      message: `the WebAssembly Python could not be loaded: ${messageOf(cause)}`,
      hint: "Install the packages again: npm ci",
      cause,
    });
  }
}

/** In memory that threads can share instead of copying it. */
function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
