/** A file that a user named, as text: UTF-8, also compressed with gzip. What is wrong with it is said in one sentence. */
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { messageOf, SparringError } from "../errors.ts";

/** Near the longest text that JavaScript can hold. */
const maximumBytes = 500_000_000;

export async function readTextFile(file: string): Promise<string> {
  const bytes = unzipped(await readBytes(file), file);
  if (bytes.length > maximumBytes) {
    throw fileError(file, "is larger than 500 MB", "Split it into smaller files.");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw fileError(
      file,
      "is not UTF-8 text",
      "Save it as UTF-8, for example with `iconv -f latin1 -t utf-8`.",
    );
  }
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw cannotRead(file, error);
  }
}

function unzipped(bytes: Buffer, file: string): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: maximumBytes });
  } catch (error) {
    throw fileError(file, `could not be decompressed: ${messageOf(error)}`, "Is the download complete?");
  }
}

/** The error for a file that the operating system does not give out. */
export function cannotRead(file: string, error: unknown): SparringError {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOENT: "does not exist",
    EISDIR: "is a folder, not a file",
    EACCES: "may not be read by this user",
  };
  const reason = reasons[code ?? ""] ?? `cannot be read: ${messageOf(error)}`;
  return fileError(file, reason, "Check the path.");
}

function fileError(file: string, reason: string, hint: string): SparringError {
  return new SparringError({ code: "file-unreadable", message: `${file} ${reason}`, hint });
}
