/**
 * The one memory that all threads and kernels share, and who has which part of it. Its size is fixed when the
 * engine opens: pages cost nothing until they are touched, and nothing an engine does can exceed it.
 */
import { SparringError } from "../../errors.ts";

const pageBytes = 65536;
const alignment = 64;
/** Below this lie the constants that the compiled kernels bring along. */
const reservedBytes = pageBytes;

export interface Region {
  readonly address: number;
  readonly bytes: number;
}

export class SharedMemory {
  readonly memory: WebAssembly.Memory;
  readonly totalBytes: number;
  #free: Region[];
  #highest = reservedBytes;

  constructor(megabytes: number) {
    const pages = (megabytes * 1024 * 1024) / pageBytes;
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    this.totalBytes = pages * pageBytes;
    this.#free = [{ address: reservedBytes, bytes: this.totalBytes - reservedBytes }];
  }

  get usedBytes(): number {
    return this.#free.reduce((used, gap) => used - gap.bytes, this.totalBytes);
  }

  /** A zeroed region. `purpose` names it if there is no room. */
  allocate(bytes: number, purpose: string): Region {
    const wanted = Math.max(alignment, Math.ceil(bytes / alignment) * alignment);
    const index = this.#free.findIndex((gap) => gap.bytes >= wanted);
    const gap = this.#free[index];
    if (gap === undefined) {
      const megabytes = (value: number) => Math.ceil(value / 1024 / 1024);
      throw new SparringError({
        code: "engine-memory-full",
        message:
          `The embedded engine has no room for ${purpose}: ${megabytes(wanted)} MB wanted, ` +
          `${megabytes(this.usedBytes)} of ${megabytes(this.totalBytes)} MB in use.`,
        hint: "Dispose policies that are no longer needed, use a smaller model, or open the engine with more memory.",
      });
    }
    const region = { address: gap.address, bytes: wanted };
    if (gap.bytes === wanted) this.#free.splice(index, 1);
    else this.#free[index] = { address: gap.address + wanted, bytes: gap.bytes - wanted };
    // Memory that was never handed out is zero already; touching it would only cost pages.
    const used = Math.min(region.bytes, Math.max(0, this.#highest - region.address));
    if (used > 0) new Uint8Array(this.memory.buffer, region.address, used).fill(0);
    this.#highest = Math.max(this.#highest, region.address + region.bytes);
    return region;
  }

  /** Several regions of the same size, or none at all. */
  allocateMany(count: number, bytes: number, purpose: string): readonly Region[] {
    const regions: Region[] = [];
    try {
      while (regions.length < count) regions.push(this.allocate(bytes, purpose));
    } catch (error) {
      for (const region of regions) this.release(region);
      throw error;
    }
    return regions;
  }

  release(region: Region): void {
    const gaps = [...this.#free, region].sort((a, b) => a.address - b.address);
    const merged: Region[] = [];
    for (const gap of gaps) {
      const last = merged.at(-1);
      if (last !== undefined && last.address + last.bytes === gap.address)
        merged[merged.length - 1] = { address: last.address, bytes: last.bytes + gap.bytes };
      else merged.push(gap);
    }
    this.#free = merged;
  }

  floats(region: Region): Float32Array {
    return new Float32Array(this.memory.buffer, region.address, region.bytes / 4);
  }
}
