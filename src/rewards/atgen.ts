/**
 * The reward of ATGEN's test generator (arXiv 2510.14635): three parts of equal weight, each 1 where it succeeds and
 * −0.5 where it does not, and each only where the one before it succeeded:
 *
 *   R = (R_format + R_accuracy + R_attack) / 3
 *
 * That leaves four outcomes, evenly spaced. Whether a part that fails after a right format is worth −0.5 or 0 is not
 * published; the ladder is therefore configuration. Advantages are normalised within a group, so only the ratios of
 * the gaps matter.
 */
export const attackClasses = ["format-wrong", "answer-wrong", "harmless", "attack"] as const;

/** How far a generated test got: no test; a wrong answer; right, and the program passes it; right, and it fails. */
export type AttackClass = (typeof attackClasses)[number];

export type AttackLadder = Readonly<Record<AttackClass, number>>;

export const attackLadder: AttackLadder = {
  "format-wrong": -0.5,
  "answer-wrong": 0,
  harmless: 0.5,
  attack: 1,
};

export function attackReward(reached: AttackClass, ladder: AttackLadder = attackLadder): number {
  return ladder[reached];
}
