/**
 * Memory that an interpreter's thread shares with ours: how far the program is, what it has reported so far, and our
 * wish that it stop. When a thread has to be ended by force, what its program had reported before is not lost.
 *
 * Reports larger than the journal are spilled as messages; those and what the journal holds at the end, in order, are
 * the bytes of the program's channel.
 */
const framesAt = 0;
const bytesAt = 1;
const cancelAt = 2;
const deniedAt = 3;
const headerBytes = 16;
const journalBytes = 256 * 1024;

export type Journal = SharedArrayBuffer;

export function newJournal(): Journal {
  return new SharedArrayBuffer(headerBytes + journalBytes);
}

/** The program's side. */
export class JournalWriter {
  readonly #header: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #spill: (bytes: Uint8Array) => void;
  #used = 0;

  constructor(journal: Journal, spill: (bytes: Uint8Array) => void) {
    this.#header = new Int32Array(journal, 0, headerBytes / 4);
    this.#bytes = new Uint8Array(journal, headerBytes);
    this.#spill = spill;
  }

  /** For a new program. */
  clear(): void {
    this.#used = 0;
    Atomics.store(this.#header, bytesAt, 0);
    Atomics.store(this.#header, framesAt, 0);
    Atomics.store(this.#header, deniedAt, 0);
  }

  add(bytes: Uint8Array): void {
    if (this.#used + bytes.length > this.#bytes.length) {
      this.#spill(this.#bytes.slice(0, this.#used));
      this.#used = 0;
      Atomics.store(this.#header, bytesAt, 0);
      if (bytes.length > this.#bytes.length) {
        this.#spill(bytes.slice());
        return;
      }
    }
    this.#bytes.set(bytes, this.#used);
    this.#used += bytes.length;
    Atomics.store(this.#header, bytesAt, this.#used);
  }

  setFrames(count: number): void {
    Atomics.store(this.#header, framesAt, count);
  }

  setDenied(count: number): void {
    Atomics.store(this.#header, deniedAt, count);
  }

  get cancelled(): boolean {
    return Atomics.load(this.#header, cancelAt) !== 0;
  }

  /** Sleeps, but no longer than until we wish the program to stop. */
  sleep(milliseconds: number): void {
    Atomics.wait(this.#header, cancelAt, 0, milliseconds);
  }
}

/** Our side. */
export class JournalReader {
  readonly #header: Int32Array;
  readonly #bytes: Buffer;

  constructor(journal: Journal) {
    this.#header = new Int32Array(journal, 0, headerBytes / 4);
    this.#bytes = Buffer.from(journal, headerBytes);
  }

  get frames(): number {
    return Atomics.load(this.#header, framesAt);
  }

  get denied(): number {
    return Atomics.load(this.#header, deniedAt);
  }

  /** A copy of what has not been spilled. */
  remainder(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, Atomics.load(this.#header, bytesAt)));
  }

  setCancelled(cancelled: "yes" | "no"): void {
    Atomics.store(this.#header, cancelAt, cancelled === "yes" ? 1 : 0);
    Atomics.notify(this.#header, cancelAt);
  }
}
