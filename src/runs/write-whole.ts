/** Small files that are there whole or not at all: a full disk or a crash never leaves half of one. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { writeError } from "./append-log.ts";

export function writeWhole(file: string, text: string): void {
  const partial = `${file}.partial`;
  try {
    const descriptor = openSync(partial, "w");
    try {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw writeError(file, error);
  }
}
