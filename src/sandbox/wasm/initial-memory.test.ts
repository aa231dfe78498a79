import { describe, expect, it } from "vitest";
import { withInitialPages } from "./initial-memory.ts";

/** A module with nothing but a memory of at least 480 and at most 65536 pages, exported as "m". */
const module = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[5, 7, 1, 1, 0xe0, 0x03, 0x80, 0x80, 0x04],
  ...[7, 5, 1, 1, 0x6d, 2, 0],
]);

interface Instance {
  readonly exports: { readonly m: { readonly buffer: ArrayBuffer; grow(pages: number): number } };
}
const engine = (globalThis as unknown as { WebAssembly: WebAssemblyEngine }).WebAssembly;
interface WebAssemblyEngine {
  instantiate(bytes: Uint8Array): Promise<{ instance: Instance }>;
}

describe("withInitialPages", () => {
  it("makes a module start with fewer pages and leaves it able to grow", async () => {
    const { instance } = await engine.instantiate(withInitialPages(module, 300));
    expect(instance.exports.m.buffer.byteLength).toBe(300 * 65536);
    expect(instance.exports.m.grow(180)).toBe(300);
  });

  it("does not change the module it was given", () => {
    const before = module.slice();
    withInitialPages(module, 300);
    expect(module).toEqual(before);
  });

  it("leaves alone what it does not understand", () => {
    expect(withInitialPages(module, 5000)).toBe(module);
    expect(withInitialPages(module, 1)).toBe(module);
    const withoutMemory = module.subarray(0, 8);
    expect(withInitialPages(withoutMemory, 300)).toBe(withoutMemory);
    expect(withInitialPages(Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff]), 300)).toHaveLength(10);
  });
});
