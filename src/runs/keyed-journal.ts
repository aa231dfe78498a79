/**
 * Results that took long, one line each, found again by a key that is made of everything they depend on. A process
 * that is killed at any moment loses at most the line it was writing; results of other inputs may lie in the same
 * file and are left alone. A line that cannot be read costs only what it says, because a key makes every line stand
 * for itself: an earlier value of the same key holds again.
 */
import { existsSync, readFileSync } from "node:fs";
import { AppendLog } from "./append-log.ts";

export class KeyedJournal<Value> {
  readonly #values = new Map<string, Value>();
  readonly #log: AppendLog;
  #damagedLines = 0;

  constructor(file: string) {
    const bytes = existsSync(file) ? this.#read(readFileSync(file)) : undefined;
    this.#log = new AppendLog(file, bytes);
  }

  /** Whole lines that were there already and could not be read; they stay in the file. */
  get damagedLines(): number {
    return this.#damagedLines;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** A later value of the same key takes the place of an earlier one. */
  set(key: string, value: Value): void {
    this.#log.append({ key, value });
    this.#values.set(key, value);
  }

  close(): void {
    this.#log.sync();
    this.#log.close();
  }

  /** How many bytes hold whole lines; what follows was torn by a crash. */
  #read(content: Buffer): number {
    let start = 0;
    for (;;) {
      const end = content.indexOf(0x0a, start);
      if (end === -1) return start;
      const entry = readEntry(content.toString("utf8", start, end));
      if (entry) this.#values.set(entry.key, entry.value as Value);
      else this.#damagedLines += 1;
      start = end + 1;
    }
  }
}

function readEntry(line: string): { key: string; value: unknown } | undefined {
  try {
    const entry = JSON.parse(line) as { key?: unknown; value?: unknown } | null;
    return typeof entry?.key === "string" && entry.value !== undefined
      ? { key: entry.key, value: entry.value }
      : undefined;
  } catch {
    return undefined;
  }
}
