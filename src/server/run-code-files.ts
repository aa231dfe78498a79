/**
 * `files` and `fetch_files` of /run_code. The sandbox knows only standard streams, so files travel in front of the
 * program's input and come back inside its output (python/sandbox/with_files.py). A program could write such a
 * passage itself if it searched its memory for the marker; it would only be lying about its own files.
 */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { packageRoot } from "../package-root.ts";
import type { RunCodeAnswer, RunCodeRequest } from "./run-code-protocol.ts";

export interface PreparedProgram {
  readonly source: string;
  readonly input: string;
  /** Takes the fetched files out of what was printed. */
  finish(answer: RunCodeAnswer): RunCodeAnswer;
}

const filesSchema = z.record(z.string(), z.base64());
let wrapper: Promise<string> | undefined;

export async function prepareProgram(request: RunCodeRequest): Promise<PreparedProgram> {
  const { code, files, fetch_files: fetch } = request;
  const input = request.stdin ?? "";
  if (Object.keys(files).length === 0 && fetch.length === 0) {
    return { source: code, input, finish: (answer) => answer };
  }
  wrapper ??= readFile(path.join(packageRoot, "python", "sandbox", "with_files.py"), "utf8");
  const marker = `\n[${randomBytes(16).toString("hex")}]\n`;
  const brought = Object.entries(files).filter(([, content]) => content !== null);
  const parcel = JSON.stringify({ code, files: Object.fromEntries(brought), fetch, marker });
  const length = Buffer.byteLength(parcel).toString(16).padStart(8, "0");
  return {
    source: await wrapper,
    input: length + parcel + input,
    finish: (answer) => takeFiles(answer, { marker, fetch }),
  };
}

function takeFiles(
  answer: RunCodeAnswer,
  { marker, fetch }: { marker: string; fetch: readonly string[] },
): RunCodeAnswer {
  const printed = answer.run_result?.stdout ?? "";
  const [before, passage, ...after] = printed.split(marker);
  if (answer.run_result === null || passage === undefined) return answer;
  const found = readFiles(passage);
  const files = Object.fromEntries(Object.entries(found).filter(([name]) => fetch.includes(name)));
  return {
    ...answer,
    run_result: { ...answer.run_result, stdout: before + after.join(marker) },
    files,
  };
}

function readFiles(text: string): Record<string, string> {
  try {
    const parsed = filesSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : {};
  } catch {
    return {};
  }
}
