/**
 * A candidate's program from a file. A file that is not there is the user's mistake; a file that holds no program
 * (not UTF-8, too large) is the program's own failure and becomes the outcome `did-not-load`.
 */
import { open } from "node:fs/promises";
import { maximumSourceBytes } from "../limits.ts";
import { cannotRead } from "./read-text-file.ts";

export type ProgramFile =
  | { readonly ok: true; readonly source: string }
  | { readonly ok: false; readonly error: { readonly type: string; readonly message: string } };

export async function readProgram(file: string): Promise<ProgramFile> {
  const bytes = await readAtMost(file, maximumSourceBytes + 1);
  if (bytes.length > maximumSourceBytes) {
    const message = `the program has more than ${maximumSourceBytes} bytes`;
    return { ok: false, error: { type: "SourceTooLarge", message } };
  }
  try {
    return { ok: true, source: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, error: { type: "UnicodeDecodeError", message: "the program is not UTF-8 text" } };
  }
}

/** Reads no more than it needs, whatever the file's size says: it may be a pipe or endless. */
async function readAtMost(file: string, most: number): Promise<Buffer> {
  try {
    const handle = await open(file);
    try {
      const buffer = Buffer.alloc(most);
      let length = 0;
      while (length < most) {
        const { bytesRead } = await handle.read(buffer, length, most - length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.subarray(0, length);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw cannotRead(file, error);
  }
}
