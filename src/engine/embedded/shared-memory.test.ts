import fc from "fast-check";
import { expect, test } from "vitest";
import type { Region } from "./shared-memory.ts";
import { SharedMemory } from "./shared-memory.ts";

test("regions never overlap, start zeroed, and come back in full", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(400_000), fc.nat(20)), { maxLength: 40 }), (steps) => {
      const memory = new SharedMemory(16);
      const empty = memory.usedBytes;
      const held: Region[] = [];
      for (const [bytes, which] of steps) {
        if (which < held.length) memory.release(held.splice(which, 1)[0]!);
        else {
          const region = memory.allocate(bytes, "a test");
          const floats = memory.floats(region);
          expect(floats.every((value) => value === 0)).toBe(true);
          floats.fill(1);
          for (const other of held)
            expect(
              region.address + region.bytes <= other.address || other.address + other.bytes <= region.address,
            ).toBe(true);
          held.push(region);
        }
      }
      for (const region of held) memory.release(region);
      expect(memory.usedBytes).toBe(empty);
    }),
    { numRuns: 30 },
  );
});

test("running out says what was wanted and how full it is", () => {
  const memory = new SharedMemory(16);
  expect(() => memory.allocate(17 * 1024 * 1024, "the weights")).toThrow(
    /no room for the weights: 17 MB wanted, 1 of 16 MB/,
  );
});
