import { expect, test } from "vitest";
import { below, choose, hashText, seededRandom, shuffled } from "./random.ts";

test("a seed is a stream: the same on every machine, another for every seed", () => {
  const first = (seed: number | string) => {
    const random = seededRandom(seed);
    return Array.from({ length: 8 }, () => below(random, 1000));
  };
  expect(first(1)).toEqual(first(1));
  expect(first("a")).toEqual(first("a"));
  expect(new Set([first(1), first(2), first("a"), first("b")].map(String)).size).toBe(4);
});

test("draws are even and neighbours independent", () => {
  const random = seededRandom(7);
  const counts = new Array<number>(100).fill(0);
  let previous = 0;
  for (let draw = 0; draw < 100_000; draw += 1) {
    const value = below(random, 10);
    counts[previous * 10 + value]! += 1;
    previous = value;
  }
  // Each pair is expected 1,000 times with a deviation of about 32.
  expect(Math.min(...counts)).toBeGreaterThan(840);
  expect(Math.max(...counts)).toBeLessThan(1160);
});

test("the hash is FNV-1a", () => {
  expect(hashText("")).toBe(0x811c9dc5);
  expect(hashText("foobar")).toBe(0xbf9cf968);
});

test("shuffling keeps every item; choosing from nothing is an error", () => {
  const items = [1, 2, 3, 4, 5, 6, 7, 8];
  const mixed = shuffled(seededRandom(1), items);
  expect(mixed).not.toEqual(items);
  expect([...mixed].sort()).toEqual(items);
  expect(() => choose(seededRandom(1), [])).toThrow(RangeError);
});
