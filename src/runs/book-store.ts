/**
 * The Mistake Book on disk: a snapshot and a journal of the changes since, in one generation of two files. A
 * checkpoint only notes the generation and how many bytes of its journal belong to it, so saving costs nothing that
 * grows with the book. When the journal has become much longer than the book, a checkpoint starts a new generation.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { SparringError } from "../errors.ts";
import { type BookChange, MistakeBook } from "../mistakes/mistake-book.ts";
import { decodeCase, encodeCase } from "../problems/case-codec.ts";
import { AppendLog } from "./append-log.ts";

/** Where a checkpoint finds the book. */
export interface BookPosition {
  readonly generation: number;
  readonly bytes: number;
}

const linesBeforeCompaction = 5000;

export class BookStore {
  readonly book: MistakeBook;
  readonly #folder: string;
  #generation: number;
  #journal: AppendLog;
  #lines = 0;

  /** Opens the book as it was at a position, or a new one. */
  constructor(options: { runFolder: string; mostPerProblem: number; position?: BookPosition }) {
    this.#folder = path.join(options.runFolder, "book");
    this.book = new MistakeBook({ mostPerProblem: options.mostPerProblem });
    this.#generation = options.position?.generation ?? 0;
    this.#journal = new AppendLog(this.#journalFile(this.#generation), options.position?.bytes ?? 0);
    if (options.position) this.#load();
  }

  record(changes: readonly BookChange[]): void {
    this.#journal.appendAll(changes.map(encodeChange));
    this.#lines += changes.length;
  }

  /** Makes what was recorded durable and says where it is. */
  checkpoint(): BookPosition {
    if (this.#lines > linesBeforeCompaction && this.#lines > 4 * this.book.size) this.#compact();
    this.#journal.sync();
    return { generation: this.#generation, bytes: this.#journal.bytes };
  }

  /** Removes generations older than the oldest that a checkpoint still needs. */
  prune(oldest: BookPosition): void {
    for (const name of readdirSync(this.#folder)) {
      const generation = Number(/-(\d+)\.jsonl$/.exec(name)?.[1]);
      if (generation < oldest.generation) rmSync(path.join(this.#folder, name), { force: true });
    }
  }

  close(): void {
    this.#journal.close();
  }

  #load(): void {
    const snapshot = this.#snapshotFile(this.#generation);
    if (this.#generation > 0) this.#read(snapshot);
    this.#lines = this.#read(this.#journalFile(this.#generation));
  }

  #read(file: string): number {
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
    for (const [index, line] of lines.entries()) this.book.apply(decodeChange(line, file, index + 1));
    return lines.length;
  }

  #compact(): void {
    const next = this.#generation + 1;
    const lines = [...this.book.changes()].map((change) => `${JSON.stringify(encodeChange(change))}\n`);
    writeFileSync(this.#snapshotFile(next), lines.join(""), { flush: true });
    this.#journal.close();
    // Whatever a crashed attempt left under this number is void.
    this.#journal = new AppendLog(this.#journalFile(next), 0);
    this.#generation = next;
    this.#lines = 0;
  }

  #journalFile(generation: number): string {
    return path.join(this.#folder, `journal-${generation}.jsonl`);
  }

  #snapshotFile(generation: number): string {
    return path.join(this.#folder, `snapshot-${generation}.jsonl`);
  }
}

function encodeChange({ problemId, key, frequency, testCase }: BookChange): unknown {
  return testCase ? [problemId, key, frequency, encodeCase(testCase)] : [problemId, key, frequency];
}

function decodeChange(line: string, file: string, row: number): BookChange {
  try {
    const [problemId, key, frequency, encoded] = JSON.parse(line) as [string, string, number, unknown];
    const testCase = encoded === undefined ? undefined : decodeCase(encoded);
    if (encoded !== undefined && !testCase) throw new TypeError("not a test case");
    return { problemId, key, frequency, ...(testCase && { testCase }) };
  } catch (error) {
    throw new SparringError({
      code: "run-damaged",
      message: `${file}, line ${row}: not an entry of the Mistake Book`,
      hint: "The file was changed from outside. Resume from an older checkpoint by removing the newest one.",
      cause: error,
    });
  }
}
