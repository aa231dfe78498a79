/**
 * A small seeded generator (xoshiro128**, Blackman and Vigna 2018, seeded by splitmix32), so that everything the
 * arena makes is a function of its parameters on every machine.
 */
export interface Random {
  /** Uniform in [0, 1), with 32 bits. */
  next(): number;
}

export function seededRandom(seed: number | string): Random {
  let mix = typeof seed === "number" ? seed >>> 0 : hashText(seed);
  const splitmix = () => {
    mix = (mix + 0x9e3779b9) >>> 0;
    let z = mix;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  };
  let [a, b, c, d] = [splitmix(), splitmix(), splitmix(), splitmix()];
  return {
    next() {
      const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
      const shifted = b << 9;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= shifted;
      d = rotate(d, 11);
      return result / 2 ** 32;
    },
  };
}

/** FNV-1a, 32 bits. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** An integer from 0 to `count` − 1. */
export function below(random: Random, count: number): number {
  return Math.floor(random.next() * count);
}

export function choose<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[below(random, items.length)];
  if (item === undefined) throw new RangeError("nothing to choose from");
  return item;
}

/** A new array in random order (Fisher and Yates). */
export function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = below(random, last + 1);
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
}

function rotate(value: number, by: number): number {
  return ((value << by) | (value >>> (32 - by))) >>> 0;
}
