/** Results to a file, whole or not at all: whoever reads it may come at any moment. */
import { renameSync, writeFileSync } from "node:fs";
import { messageOf, SparringError } from "../errors.ts";

export function writeWhole(file: string, text: string): void {
  try {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw unwritable(file, error);
  }
}

export function unwritable(file: string, error: unknown): SparringError {
  return new SparringError({
    code: "file-unwritable",
    message: `${file} cannot be written: ${messageOf(error)}`,
    hint: "Check the folder, its permissions and the room on the disk.",
    cause: error,
  });
}
