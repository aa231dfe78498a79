/**
 * A JSONL file that only grows, except at resume: then it is cut back to where the checkpoint saw it, so that steps
 * which are taken again are not recorded twice.
 */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, mkdirSync, openSync, writeSync } from "node:fs";
import path from "node:path";
import { SparringError } from "../errors.ts";

export class AppendLog {
  readonly #file: string;
  readonly #descriptor: number;
  #bytes: number;

  /** `bytes` is how much of an existing file to keep; all of it unless said. */
  constructor(file: string, bytes?: number) {
    this.#file = file;
    mkdirSync(path.dirname(file), { recursive: true });
    this.#descriptor = openSync(file, "a");
    const size = fstatSync(this.#descriptor).size;
    if (bytes !== undefined && size < bytes) {
      closeSync(this.#descriptor);
      throw new SparringError({
        code: "run-damaged",
        message: `${file} has ${size} bytes, the checkpoint needs ${bytes}`,
        hint: "The file was cut or replaced. Resume from an older checkpoint by removing the newest one.",
      });
    }
    if (bytes !== undefined) ftruncateSync(this.#descriptor, bytes);
    this.#bytes = bytes ?? size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(record: unknown): void {
    this.appendAll([record]);
  }

  /** All of them or none. */
  appendAll(records: readonly unknown[]): void {
    if (records.length === 0) return;
    const lines = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    try {
      for (let done = 0; done < lines.length; ) done += writeSync(this.#descriptor, lines, done);
    } catch (error) {
      // A torn line would make the file unreadable from here on.
      ftruncateSync(this.#descriptor, this.#bytes);
      throw writeError(this.#file, error);
    }
    this.#bytes += lines.length;
  }

  /** Returns once everything written so far would survive a power cut. */
  sync(): void {
    fsyncSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

const writeFaults: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the quota is used up",
  EFBIG: "the file would be larger than the system allows",
  EROFS: "the disk is read-only",
  EACCES: "no permission",
};

/** A write that failed, told so that a person knows what to do; the full disk first of all. Other errors stay. */
export function writeError(file: string, error: unknown): unknown {
  const { code = "", path: place = file } = (error ?? {}) as NodeJS.ErrnoException;
  const reason = writeFaults[code];
  if (reason === undefined || error instanceof SparringError) return error;
  return new SparringError({
    code: "disk-write",
    message: `cannot ${code === "EACCES" ? "open" : "write"} ${place}: ${reason}`,
    hint: "Nothing that was saved before is damaged. Mend that, then continue with --resume.",
    cause: error,
  });
}
