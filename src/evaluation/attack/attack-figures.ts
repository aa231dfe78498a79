/**
 * The figures of ATGEN's evaluation (arXiv 2510.14635). Over M pairs of a problem and a wrong program, each attacked
 * with a test (x, y), where gold(x) is the answer of the problem's reference:
 *
 *   IO Accuracy        1/M Σ 1[the reply is a test, and y = gold(x)]
 *   Attack Rate        1/M Σ 1[y = gold(x), and the wrong program fails on x]    both at once, over all pairs
 *   Input Attack Rate  1/M Σ 1[the wrong program does not answer gold(x)]        whatever y is
 *
 * UTGen calls these Output Acc, Acc ∩ Attack and Attack Rate. Intervals are Wilson's, 95 %.
 *
 * With several replies to a pair, a pair counts with the share of its replies, and the interval is that of as many
 * yes-or-no outcomes as there are pairs: replies to one pair are alike, so they are not taken for independent ones.
 * Replies that our own infrastructure lost are left out, and so is a pair that has no other.
 */
import type { Outcome } from "../../judge/outcome.ts";
import { wilsonInterval } from "../intervals.ts";
import type { JudgedAttack } from "../judge-attack.ts";

export interface Share {
  readonly rate: number;
  /** The 95 % interval. */
  readonly low: number;
  readonly high: number;
  /** rate = count / of; both are whole numbers where every pair has one reply. */
  readonly count: number;
  readonly of: number;
}

/** How a wrong program failed; `memory-or-output` is too much of either. */
export const attackManners = [
  "wrong-answer",
  "raised",
  "timed-out",
  "memory-or-output",
  "did-not-load",
] as const;
export type AttackManner = (typeof attackManners)[number];

/** A share of nothing is undefined. */
export interface AttackFigures {
  /** Pairs that count. */
  readonly pairs: number;
  /** Pairs and replies that our own infrastructure lost. */
  readonly maskedPairs: number;
  readonly maskedReplies: number;
  readonly ioAccuracy: Share | undefined;
  readonly attackRate: Share | undefined;
  readonly inputAttackRate: Share | undefined;
  /** Of the pairs whose test is right. */
  readonly attackGivenRight: Share | undefined;
  /** Of all pairs; together they are the Attack Rate. */
  readonly attacksBy: Readonly<Record<AttackManner, Share | undefined>>;
  readonly formatWrong: Share | undefined;
  /** Replies by the reason why they are no test, most frequent first. */
  readonly formatReasons: readonly { readonly reason: string; readonly replies: number }[];
  /** Well-formed tests whose input the reference cannot answer: it raises, hangs or disagrees with itself. */
  readonly unanswered: Share | undefined;
}

export interface AttackedPair {
  readonly replies: readonly { readonly judged: JudgedAttack }[];
}

type Judged = Extract<JudgedAttack, { kind: "judged" }>;

export function attackFigures(pairs: readonly AttackedPair[]): AttackFigures {
  const known = pairs.map(({ replies }) => judgedOf(replies)).filter((judged) => judged.length > 0);
  const sum = (holds: (judged: Judged) => boolean) => sumOfShares(known, holds);
  const ofAll = (holds: (judged: Judged) => boolean) => shareOf(sum(holds), known.length);
  const right = sum(({ reached }) => reached === "harmless" || reached === "attack");
  const attacks = sum(({ reached }) => reached === "attack");
  const manners = attackManners.map((manner) => [
    manner,
    ofAll((judged) => judged.reached === "attack" && mannerOf(judged.outcome) === manner),
  ]);
  return {
    pairs: known.length,
    maskedPairs: pairs.length - known.length,
    maskedReplies: pairs.flatMap(({ replies }) => replies).filter(({ judged }) => judged.kind === "masked")
      .length,
    ioAccuracy: shareOf(right, known.length),
    attackRate: shareOf(attacks, known.length),
    inputAttackRate: ofAll(({ outcome }) => mannerOf(outcome) !== undefined),
    attackGivenRight: shareOf(attacks, right),
    attacksBy: Object.fromEntries(manners),
    formatWrong: ofAll(({ reached }) => reached === "format-wrong"),
    formatReasons: countReasons(known.flat()),
    unanswered: shareOf(
      sum(({ reached, testCase }) => reached === "answer-wrong" && !testCase),
      sum(({ reached }) => reached !== "format-wrong"),
    ),
  };
}

function judgedOf(replies: AttackedPair["replies"]): Judged[] {
  return replies.flatMap(({ judged }) => (judged.kind === "judged" ? [judged] : []));
}

/** For each group the share of its members that it holds for, summed over the groups. */
export function sumOfShares<Item>(
  groups: readonly (readonly Item[])[],
  holds: (item: Item) => boolean,
): number {
  return groups.reduce((sum, group) => sum + group.filter(holds).length / group.length, 0);
}

export function shareOf(count: number, of: number): Share | undefined {
  if (of === 0) return undefined;
  return { rate: count / of, ...wilsonInterval(count, of), count, of };
}

/** Undefined where the program does as the reference does, or was not run. */
export function mannerOf(outcome: Outcome | undefined): AttackManner | undefined {
  switch (outcome?.kind) {
    case "wrong-answer":
    case "raised":
    case "timed-out":
    case "did-not-load":
      return outcome.kind;
    case "out-of-memory":
    case "output-flood":
      return "memory-or-output";
    default:
      return undefined;
  }
}

function countReasons(judged: readonly Judged[]): AttackFigures["formatReasons"] {
  const counts = new Map<string, number>();
  for (const { reached, reason = "" } of judged) {
    if (reached === "format-wrong") counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts]
    .map(([reason, replies]) => ({ reason, replies }))
    .sort((left, right) => right.replies - left.replies || (left.reason < right.reason ? -1 : 1));
}
