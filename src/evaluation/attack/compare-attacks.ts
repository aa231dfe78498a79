/**
 * Two evaluations on the same pairs, pair by pair. Rates of two models overlap in their intervals long before they
 * are alike, because hard pairs are hard for both; the pairs on which the two differ tell more (mcnemar.ts).
 *
 * With one reply to a pair this is McNemar's test. With several, a pair falls to the model with the larger share of
 * successes and is left out where these are equal, which makes it a sign test; the arithmetic is the same.
 */
import { SparringError } from "../../errors.ts";
import { mcnemar } from "../mcnemar.ts";
import { type Share, shareOf } from "./attack-figures.ts";
import { type Third, thirds } from "./difficulty-thirds.ts";
import type { RecordedPair } from "./record-format.ts";

export const comparedFigures = ["ioAccuracy", "attackRate", "inputAttackRate"] as const;
export type ComparedFigure = (typeof comparedFigures)[number];

export interface FigureComparison {
  readonly figure: ComparedFigure;
  readonly group: "overall" | Third;
  readonly first: Share;
  readonly second: Share;
  /** Pairs on which one does better than the other. */
  readonly onlyFirst: number;
  readonly onlySecond: number;
  readonly exact: number;
  readonly midP: number;
}

export interface AttackComparison {
  /** Pairs that both evaluations have replies for. */
  readonly pairs: number;
  readonly onlyInFirst: number;
  readonly onlyInSecond: number;
  readonly figures: readonly FigureComparison[];
}

export function compareAttacks(
  [first, second]: readonly [readonly RecordedPair[], readonly RecordedPair[]],
  split?: ReadonlyMap<string, Third>,
): AttackComparison {
  const others = new Map(known(second).map((pair) => [pair.id, pair]));
  const matched = known(first).flatMap((pair) => {
    const other = others.get(pair.id);
    return other ? [{ pair, other }] : [];
  });
  const changed = matched.find(({ pair, other }) => pair.digest !== other.digest);
  if (changed) {
    throw new SparringError({
      code: "record-other",
      message: `the pair '${changed.pair.id}' is not the same in both records`,
      hint: "Only evaluations on the same pairs can be compared. Evaluate both models on the same file.",
    });
  }
  const groups = ["overall", ...(split ? thirds : [])] as const;
  return {
    pairs: matched.length,
    onlyInFirst: known(first).length - matched.length,
    onlyInSecond: others.size - matched.length,
    figures: comparedFigures.flatMap((figure) =>
      groups.flatMap((group) => {
        const members = matched.filter(({ pair }) => group === "overall" || split?.get(pair.id) === group);
        const rates = members.map(
          ({ pair, other }) => [rateOf(pair, figure), rateOf(other, figure)] as const,
        );
        return rates.length > 0 ? [{ figure, group, ...compareRates(rates) }] : [];
      }),
    ),
  };
}

function compareRates(
  rates: readonly (readonly [number, number])[],
): Omit<FigureComparison, "figure" | "group"> {
  const onlyFirst = rates.filter(([first, second]) => first > second).length;
  const onlySecond = rates.filter(([first, second]) => first < second).length;
  const sum = (side: 0 | 1) => rates.reduce((total, pair) => total + pair[side], 0);
  return {
    first: shareOf(sum(0), rates.length)!,
    second: shareOf(sum(1), rates.length)!,
    onlyFirst,
    onlySecond,
    exact: mcnemar({ onlyFirst, onlySecond }, "exact"),
    midP: mcnemar({ onlyFirst, onlySecond }, "mid-p"),
  };
}

function known(pairs: readonly RecordedPair[]): RecordedPair[] {
  return pairs.filter(({ replies }) => replies.some((reply) => reply.class !== "masked"));
}

type Reply = RecordedPair["replies"][number];

const succeeds: Readonly<Record<ComparedFigure, (reply: Reply) => boolean>> = {
  ioAccuracy: (reply) => reply.class === "harmless" || reply.class === "attack",
  attackRate: (reply) => reply.class === "attack",
  inputAttackRate: ({ outcome }) => outcome !== undefined && outcome.kind !== "passed",
};

function rateOf({ replies }: RecordedPair, figure: ComparedFigure): number {
  const judged = replies.filter((reply) => reply.class !== "masked");
  return judged.filter(succeeds[figure]).length / judged.length;
}
