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
    const input = thoroughInput(random, family);
    pool.set(inputKey(input), input);
  }
  const inputs = [...pool.values()];
  pools.set(family, inputs);
  return inputs;
}

export function inputKey(input: ArenaInput): string {
  return JSON.stringify(input);
}

/** Up to six items, with many repeats and all boundaries: what gold tests are made of. */
function thoroughInput(random: Random, family: Family): ArenaInput {
  const length = below(random, 7);
  return family === "numbers"
    ? items(random, { length, repeats: 0.2, make: thoroughNumber })
    : items(random, { length, repeats: 0.2, make: anyLetter }).join("");
}

/** Mostly −4 … 6, where the bounds of the problems lie. */
function thoroughNumber(random: Random): number {
  return random.next() < 0.8 ? below(random, 11) - 4 : below(random, 19) - 9;
}

/**
 * `plain`: as somebody writes a test without much thought: one or two positive numbers, seldom empty, few repeats.
 * `broad`: longer, with more boundaries and signs: from these a model learns what the words mean.
 */
export type InputHabit = "plain" | "broad";

const habits: Readonly<Record<InputHabit, Habit>> = {
  plain: { lengths: [3, 50, 36, 9, 2], repeats: 0.03, makeNumber: plainNumber },
  broad: { lengths: [8, 34, 34, 18, 6], repeats: 0.1, makeNumber: broadNumber },
};

interface Habit {
  /** Of 0, 1, 2 … items, in hundredths. Short, so that a tiny model can tell the answer. */
  readonly lengths: readonly number[];
  readonly repeats: number;
  readonly makeNumber: (random: Random) => number;
}

export function randomInput(random: Random, options: { family: Family; habit: InputHabit }): ArenaInput {
  const { lengths, repeats, makeNumber } = habits[options.habit];
  let draw = below(random, 100);
  let length = 0;
  while (draw >= lengths[length]!) {
    draw -= lengths[length]!;
    length += 1;
  }
  return options.family === "numbers"
    ? items(random, { length, repeats, make: makeNumber })
    : items(random, { length, repeats, make: anyLetter }).join("");
}

function plainNumber(random: Random): number {
  const draw = random.next();
  if (draw < 0.85) return 1 + below(random, 9);
  return draw < 0.89 ? 0 : -1 - below(random, 9);
}

function broadNumber(random: Random): number {
  return random.next() < 0.85 ? below(random, 10) - 3 : below(random, 19) - 9;
}

function anyLetter(random: Random): string {
  return choose(random, letters);
}

/** Repeats are made on purpose: programs go wrong on them, and chance alone gives few. */
function items<Item>(
  random: Random,
  options: { length: number; repeats: number; make: (random: Random) => Item },
): Item[] {
  const made: Item[] = [];
  while (made.length < options.length) {
    const repeat = made.length > 0 && random.next() < options.repeats;
    made.push(repeat ? choose(random, made) : options.make(random));
  }
  return made;
}
