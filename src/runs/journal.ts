/**
 * State that is made of its changes: each is written down as one line when it happens, and a resumed run replays the
 * lines up to the position that its checkpoint knows. What came after that position is void and cut off.
 */
import { readFileSync } from "node:fs";
import { SparringError } from "../errors.ts";
import { AppendLog } from "./append-log.ts";

export class Journal<Change> {
  readonly #log: AppendLog;
  readonly #apply: (change: Change) => void;

  /** `bytes` is the position in an earlier life; undefined begins anew. `apply` must take what `record` is given. */
  constructor(options: { file: string; bytes: number | undefined; apply: (change: Change) => void }) {
    this.#apply = options.apply;
    this.#log = new AppendLog(options.file, options.bytes ?? 0);
    if (options.bytes === undefined) return;
    const lines = readFileSync(options.file, "utf8").split("\n").slice(0, -1);
    for (const [index, line] of lines.entries()) {
      try {
        this.#apply(JSON.parse(line) as Change);
      } catch (error) {
        throw new SparringError({
          code: "run-damaged",
          message: `${options.file}, line ${index + 1}: not an entry of this journal`,
          hint: "The file was changed from outside. Resume from an older checkpoint by removing the newest one.",
          cause: error,
        });
      }
    }
  }

  record(changes: readonly Change[]): void {
    for (const change of changes) this.#apply(change);
    this.#log.appendAll(changes);
  }

  /** Makes what was recorded durable and says how far it reaches. */
  checkpoint(): number {
    this.#log.sync();
    return this.#log.bytes;
  }

  close(): void {
    this.#log.close();
  }
}
