/**
 * Pairs to a file: one record a line, or parquet where the name ends in `.parquet`. The file appears whole or not at
 * all.
 */
import { rename, rm, writeFile } from "node:fs/promises";
import { parquetWriteBuffer } from "hyparquet-writer";
import { messageOf, SparringError } from "../errors.ts";
import type { AttackPair } from "./attack-pair.ts";
import { pairFields, pairRecord } from "./pair-record.ts";

export async function writePairs(file: string, pairs: readonly AttackPair[]): Promise<void> {
  const partial = `${file}.${process.pid}.partial`;
  try {
    const records = pairs.map(pairRecord);
    const content = file.endsWith(".parquet")
      ? parquetOf(records)
      : records.map((record) => `${JSON.stringify(record)}\n`);
    await writeFile(partial, content, { flag: "wx" });
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw new SparringError({
      code: "file-unwritable",
      message: `${file} cannot be written: ${messageOf(error)}`,
      hint: "Check the folder, its permissions and the room on the disk.",
      cause: error,
    });
  }
}

/** Every column is text; what is an object or a list becomes JSON. */
function parquetOf(records: readonly Record<string, unknown>[]): Uint8Array {
  const names = pairFields.filter((name) => records.length === 0 || records.some((record) => name in record));
  const columnData = names.map((name) => ({
    name,
    type: "STRING" as const,
    data: records.map((record) => columnText(record[name])),
  }));
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}

function columnText(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
