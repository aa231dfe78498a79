/** The records of a problem set, whatever it is kept in: JSON, JSONL, both gzipped, parquet, or a folder. */
import { open, stat } from "node:fs/promises";
import { type Row, readRows } from "./json-rows.ts";
import { isParquet, readParquetRows } from "./parquet-rows.ts";
import { readFolderRows } from "./problem-folder.ts";
import { cannotRead, readTextFile } from "./read-text-file.ts";

/** At most `limit` records. */
export async function readFileRows(file: string, limit?: number): Promise<Row[]> {
  if (await isFolder(file)) return readFolderRows(file, limit);
  if (isParquet(await firstBytes(file))) return readParquetRows(file, limit);
  return readRows(await readTextFile(file), file).slice(0, limit);
}

async function isFolder(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory();
  } catch (error) {
    throw cannotRead(file, error);
  }
}

async function firstBytes(file: string): Promise<Buffer> {
  const head = Buffer.alloc(4);
  try {
    const handle = await open(file);
    try {
      await handle.read(head, 0, 4, 0);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw cannotRead(file, error);
  }
  return head;
}
