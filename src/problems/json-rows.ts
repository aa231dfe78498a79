/**
 * The records of a file: one JSON object, a JSON list, or one JSON value per line (JSONL). Each keeps its place for
 * messages.
 */
import { SparringError } from "../errors.ts";
import { locateJsonError } from "./locate-json-error.ts";

export interface Row {
  readonly value: unknown;
  /** Which record of the file, from 1. */
  readonly number: number;
  /** The file and, where it holds several records, which one: "problems.jsonl, line 3". */
  readonly where: string;
}

export function readRows(text: string, file: string): Row[] {
  if (text.trim() === "") {
    throw new SparringError({
      code: "file-empty",
      message: `${file} is empty`,
      hint: "It should hold JSON: one object, a list, or one object per line.",
    });
  }
  const whole = parse(text);
  if (whole.ok) {
    return Array.isArray(whole.value)
      ? whole.value.map((value, index) => ({
          value,
          number: index + 1,
          where: `${file}, item ${index + 1}`,
        }))
      : [{ value: whole.value, number: 1, where: file }];
  }
  return isByLines(text) ? readLines(text, file) : fail(file, locateJsonError(text));
}

/** Whether the first record ends with its line: otherwise the file is one value that is broken somewhere. */
function isByLines(text: string): boolean {
  const first = text.trimStart().split("\n", 1)[0]!;
  return parse(first).ok;
}

function readLines(text: string, file: string): Row[] {
  let number = 0;
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const record = parse(line);
    if (!record.ok) return fail(file, index + 1);
    number += 1;
    return [{ value: record.value, number, where: `${file}, line ${index + 1}` }];
  });
}

function parse(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}

function fail(file: string, line: number | undefined): never {
  throw new SparringError({
    code: "json-invalid",
    message: `${file}, line ${line ?? 1}: this is not valid JSON`,
    hint: "The file should hold one JSON object, a list of them, or one object per line. Look for a missing comma, quote or bracket there.",
  });
}
