/**
 * Blocks of the key-value cache: 32 positions of all layers each. Completions of one prompt hold the prompt's full
 * blocks together, so blocks are counted by their holders.
 */
import type { ModelShape } from "./model-shape.ts";

export const blockPositions = 32;

export function layerBlockBytes(shape: ModelShape): number {
  return blockPositions * shape.width * 2 * 4;
}

export function blockBytes(shape: ModelShape): number {
  return layerBlockBytes(shape) * shape.layers;
}

export function blocksFor(positions: number): number {
  return Math.ceil(positions / blockPositions);
}

export class BlockPool {
  readonly #address: number;
  readonly #bytes: number;
  readonly #holders: Uint16Array;
  readonly #free: number[];

  constructor(options: { address: number; blockBytes: number; count: number }) {
    this.#address = options.address;
    this.#bytes = options.blockBytes;
    this.#holders = new Uint16Array(options.count);
    this.#free = Array.from({ length: options.count }, (_, index) => options.count - 1 - index);
  }

  get available(): number {
    return this.#free.length;
  }

  /** Address of a block with one holder. Callers check `available` first. */
  take(): number {
    const index = this.#free.pop();
    if (index === undefined) throw new Error("The key-value cache has no free block.");
    this.#holders[index] = 1;
    return this.#address + index * this.#bytes;
  }

  hold(block: number): void {
    this.#holders[this.#indexOf(block)]!++;
  }

  release(block: number): void {
    const index = this.#indexOf(block);
    if (--this.#holders[index]! === 0) this.#free.push(index);
  }

  #indexOf(block: number): number {
    return (block - this.#address) / this.#bytes;
  }
}
