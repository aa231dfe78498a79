/**
 * One process per output file, for commands that write it over hours and go on with what is there. Two of them would
 * mix their lines, or remove what the other still needs. The lock lies beside the file, so that other outputs may be
 * made in the same folder at the same time.
 */
import { mkdirSync, rmdirSync } from "node:fs";
import { messageOf, SparringError } from "../errors.ts";
import { RunLock } from "../runs/run-lock.ts";

export interface OutputLock {
  release(): void;
}

const hint = "Wait for it, or choose another --out.";

/** Throws `run-in-use` while a living process holds the file. */
export function lockOutput(file: string): OutputLock {
  const folder = `${file}.lock`;
  const lock = lockFolder(file, folder);
  return {
    release: () => {
      lock.release();
      try {
        rmdirSync(folder);
      } catch {
        // Somebody else has taken it over in this moment.
      }
    },
  };
}

function lockFolder(file: string, folder: string): RunLock {
  for (;;) {
    try {
      mkdirSync(folder, { recursive: true });
    } catch (error) {
      throw unusable(file, error);
    }
    try {
      return new RunLock(folder, { name: file, hint, removable: folder });
    } catch (error) {
      // The folder went away in between: its last holder has just released it.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") continue;
      throw error instanceof SparringError ? error : unusable(file, error);
    }
  }
}

function unusable(file: string, error: unknown): SparringError {
  return new SparringError({
    code: "file-unwritable",
    message: `${file} cannot be written: ${messageOf(error)}`,
    hint: "Choose another --out, or check the folder and its permissions.",
    cause: error,
  });
}
