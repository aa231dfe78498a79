import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the installed package: both `src/` and `dist/` lie directly below it. */
export const packageRoot = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/**
 * The compiled file of a source module, for worker threads: they are started by path and Node 20 cannot load
 * TypeScript. From `dist/` it is the module's neighbour; from `src/` (tests) the same path below `dist/`.
 */
export function compiledModule(relativeToSource: string): URL {
  return new URL(`file://${path.join(packageRoot, "dist", relativeToSource)}`);
}
