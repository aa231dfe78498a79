/**
 * The interpreter's memory as seen from outside. Every address comes from the guest and may be nonsense: reads and
 * writes beyond the end throw a RangeError, which ends the program like any other memory fault.
 */
import { SystemCallError } from "./errno.ts";
import { type LinearMemory, pageBytes } from "./web-assembly.ts";

/** PATH_MAX of the guest's C library. */
export const longestPath = 4096;

export class GuestMemory {
  #memory: LinearMemory | undefined;
  #bytes = new Uint8Array(0);
  #view = new DataView(new ArrayBuffer(0));

  /** The guest makes its memory itself, after it was given the imports that use it. */
  attach(memory: LinearMemory): void {
    this.#memory = memory;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#view = new DataView(memory.buffer);
  }

  get size(): number {
    return this.#bytes.length;
  }

  /** Makes the memory at least this large. False when the machine has no more to give. */
  growTo(size: number): boolean {
    const missing = Math.ceil((size - this.size) / pageBytes);
    try {
      if (missing > 0) this.#memory!.grow(missing);
    } catch {
      return false;
    }
    // Growing detaches the old buffer.
    this.attach(this.#memory!);
    return true;
  }

  /** A window onto the memory, valid until it grows. */
  slice(address: number, length: number): Uint8Array<ArrayBuffer> {
    const start = address >>> 0;
    const end = start + (length >>> 0);
    if (end > this.size) throw new RangeError("address outside the guest's memory");
    return this.#bytes.subarray(start, end);
  }

  setU8(address: number, value: number): void {
    this.#view.setUint8(address >>> 0, value);
  }

  setU16(address: number, value: number): void {
    this.#view.setUint16(address >>> 0, value, true);
  }

  setU32(address: number, value: number): void {
    this.#view.setUint32(address >>> 0, value, true);
  }

  setI64(address: number, value: number | bigint): void {
    this.#view.setBigInt64(address >>> 0, BigInt(value), true);
  }

  u16(address: number): number {
    return this.#view.getUint16(address >>> 0, true);
  }

  u32(address: number): number {
    return this.#view.getUint32(address >>> 0, true);
  }

  i32(address: number): number {
    return this.#view.getInt32(address >>> 0, true);
  }

  i64(address: number): bigint {
    return this.#view.getBigInt64(address >>> 0, true);
  }

  /** A path: one character for each byte, because names are bytes to the guest and need not be UTF-8. */
  path(address: number): string {
    const start = address >>> 0;
    const length = this.#bytes.subarray(start, start + longestPath).indexOf(0);
    if (length < 0) throw new SystemCallError("ENAMETOOLONG");
    return Buffer.from(this.#bytes.buffer, start, length).toString("latin1");
  }

  /** Writes such a string with its end mark. */
  setText(address: number, text: string): void {
    const bytes = Buffer.from(`${text}\0`, "latin1");
    this.slice(address, bytes.length).set(bytes);
  }
}

/** What a call answers where the guest expects a negative error number. */
export function answerOf(work: () => number): number {
  try {
    return work();
  } catch (error) {
    if (error instanceof SystemCallError) return -error.number;
    throw error;
  }
}

/** What a call answers where the guest expects a positive error number, or 0. */
export function errorNumberOf(work: () => void): number {
  try {
    work();
    return 0;
  } catch (error) {
    if (error instanceof SystemCallError) return error.number;
    throw error;
  }
}
