/**
 * A few mutants of many: first the operator, then the place. Operators that apply everywhere (constants, say) would
 * otherwise crowd out those that apply once, and a long line all the others.
 */
import { type Random, seededRandom, shuffled } from "../problems/arena/random.ts";
import type { Mutant } from "./mutant.ts";

/** Up to `count` different mutants, in the order of the draw. Every operator has its turn before one has its second. */
export function chooseMutants(
  mutants: readonly Mutant[],
  { count, seed }: { readonly count: number; readonly seed: number | string },
): Mutant[] {
  const random = seededRandom(seed);
  const byOperator = groupBy(mutants, ({ operator }) => operator).map((group) => {
    const byLine = groupBy(group, ({ line }) => line);
    return inTurns(
      byLine.map((here) => shuffled(random, here)),
      random,
    );
  });
  return inTurns(byOperator, random).slice(0, count);
}

/** One of each group in random order, then a second of each … */
function inTurns<Item>(groups: readonly (readonly Item[])[], random: Random): Item[] {
  const taken: Item[] = [];
  let waiting = groups.filter((group) => group.length > 0);
  for (let turn = 0; waiting.length > 0; turn += 1) {
    for (const group of shuffled(random, waiting)) taken.push(group[turn]!);
    waiting = waiting.filter((group) => group.length > turn + 1);
  }
  return taken;
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Item[][] {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}
