/**
 * Inputs: a fixed pool that covers the boundaries, from which gold tests are chosen and on which two programs are
 * called different; and random small inputs as a tester might write them.
 */
import type { ArenaInput } from "./program.ts";
import { below, choose, type Random, seededRandom } from "./random.ts";
import type { Family } from "./render-python.ts";

const plannedNumbers: readonly (readonly number[])[] = [
  [],
  [0],
  [1],
  [-1],
  [2],
  [3],
  [5],
  [-2],
  [-3],
  [7],
  [0, 0],
  [3, 3],
  [2, 3, 4],
  [4, 5, 6],
  [5, 3, 0, -2],
  [-2, 0, 3, 5],
  [-1, -2, -3],
  [-3, -2, -1],
  [1, 0, -1],
  [1, 2, 3, 4, 5, 6],
  [6, 5, 4, 3, 2, 1],
  [4, 1, 4, 2, 4],
  [2, 2, 1, 1, 3],
  [-4, 4, -4],
  [-5, 8, 2, 8, -5, 0],
  [9, -9, 6, -6, 3],
  [1, 3, 5, 7],
  [2, 4, 6, 8],
  [-7, -5, 7, 5],
  [-8, -6, 6],
];

const plannedWords: readonly string[] = [
  "",
  "a",
  "h",
  "t",
  "g",
  "i",
  "aa",
  "tt",
  "hh",
  "ghi",
  "hat",
  "tea",
  "paper",
  "aeiou",
  "tmhb",
  "bhmt",
  "banana",
  "eeh",
  "heel",
  "otto",
  "uihgea",
  "aabbcc",
  "abcabc",
];

const letters = [..."abeghimotu"];
const poolSize = 110;
const pools = new Map<Family, readonly ArenaInput[]>();

/** Planned boundary cases first, then random ones, without repeats. */
export function inputPool(family: Family): readonly ArenaInput[] {
  const known = pools.get(family);
  if (known) return known;
  const random = seededRandom(`arena inputs ${family}`);
  const planned: readonly ArenaInput[] = family === "numbers" ? plannedNumbers : plannedWords;
  const pool = new Map(planned.map((input) => [inputKey(input), input]));
  while (pool.size < poolSize) {
    const input = randomInput(random, { family, longest: 6 });
    pool.set(inputKey(input), input);
  }
  const inputs = [...pool.values()];
  pools.set(family, inputs);
  return inputs;
}

export function inputKey(input: ArenaInput): string {
  return JSON.stringify(input);
}

export function randomInput(random: Random, options: { family: Family; longest: number }): ArenaInput {
  const length = below(random, options.longest + 1);
  return options.family === "numbers"
    ? repeatedly(random, length, randomNumber)
    : repeatedly(random, length, (source) => choose(source, letters)).join("");
}

/** Repeats are made on purpose: programs go wrong on them, and chance alone gives few. */
function repeatedly<Item>(random: Random, length: number, make: (random: Random) => Item): Item[] {
  const items: Item[] = [];
  while (items.length < length) {
    const repeat = items.length > 0 && random.next() < 0.2;
    items.push(repeat ? choose(random, items) : make(random));
  }
  return items;
}

/** Mostly −4 … 6, where the bounds of the problems lie. */
function randomNumber(random: Random): number {
  return random.next() < 0.8 ? below(random, 11) - 4 : below(random, 19) - 9;
}
