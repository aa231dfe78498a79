/** Bytes collected in pieces of any size, kept in one buffer: a program may print a megabyte byte by byte. */
export class ByteStore {
  #buffer = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(needed, 2 * this.#buffer.length, 1024));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = needed;
  }

  /** What was collected, with no spare room behind it. */
  copy(): Uint8Array {
    return new Uint8Array(this.#buffer.subarray(0, this.#length));
  }
}
