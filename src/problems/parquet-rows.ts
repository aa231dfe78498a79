/** The records of a parquet file, row group by row group, as the JSON values they would be. */
import { asyncBufferFromFile, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { messageOf, SparringError } from "../errors.ts";
import type { Row } from "./json-rows.ts";

/** Whether these are the first bytes of a parquet file. */
export function isParquet(firstBytes: Uint8Array): boolean {
  return Buffer.from(firstBytes.subarray(0, 4)).toString("latin1") === "PAR1";
}

/** At most `limit` records. */
export async function readParquetRows(file: string, limit = Number.POSITIVE_INFINITY): Promise<Row[]> {
  try {
    const buffer = await asyncBufferFromFile(file);
    const metadata: FileMetaData = await parquetMetadataAsync(buffer);
    const rows: Row[] = [];
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      if (rows.length >= limit) break;
      const rowEnd = rowStart + Math.min(Number(group.num_rows), limit - rows.length);
      const records = await parquetReadObjects({ file: buffer, metadata, rowStart, rowEnd, compressors });
      for (const record of records) {
        const number = rows.length + 1;
        rows.push({ value: plain(record), number, where: `${file}, row ${number}` });
      }
      rowStart += Number(group.num_rows);
    }
    return rows;
  } catch (error) {
    throw new SparringError({
      code: "file-unreadable",
      message: `${file} is not a readable parquet file: ${messageOf(error)}`,
      hint: "Is the download complete?",
      cause: error,
    });
  }
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") {
    return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  }
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}
