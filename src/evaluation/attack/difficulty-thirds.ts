/**
 * Easy, medium and hard pairs, as ATGEN divides its test set: by how often an untrained model's attack succeeds, not
 * by the problem's own difficulty. The pairs are sorted by that rate, highest first, equal ones by id, and cut at
 * ⌊n/3⌋ and ⌊2n/3⌋: 911 pairs give 303 easy, 304 medium and 304 hard ones. (The published hard third has 304; how
 * ties are broken and how many attacks are made on each pair is not published. We take 8, at temperature 1.)
 *
 * A split belongs to the model that made it. It is stored, so that every later model is measured on the same one.
 */
export const thirds = ["easy", "medium", "hard"] as const;
export type Third = (typeof thirds)[number];

export interface PairRate {
  readonly id: string;
  /** Share of the attacks on this pair that succeeded. */
  readonly rate: number;
}

export interface RankedPair extends PairRate {
  readonly third: Third;
}

/** From the easiest pair to the hardest. */
export function difficultyThirds(rates: readonly PairRate[]): RankedPair[] {
  const sorted = [...rates].sort((left, right) => right.rate - left.rate || compareText(left.id, right.id));
  const [first, second] = [Math.floor(sorted.length / 3), Math.floor((2 * sorted.length) / 3)];
  return sorted.map(({ id, rate }, place) => ({
    id,
    rate,
    third: place < first ? "easy" : place < second ? "medium" : "hard",
  }));
}

/** By code units, so that the order is the same in every language setting. */
function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
