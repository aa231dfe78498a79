/** All figures of an evaluation, from its record alone: over all pairs, and over each third where there is a split. */
import { type AttackFigures, attackFigures } from "./attack-figures.ts";
import type { PairRate, Third } from "./difficulty-thirds.ts";
import type { RecordedEvaluation } from "./evaluate-into-record.ts";
import { type AlarmFigures, alarmFigures } from "./false-alarms.ts";
import { type RecordedPair, type SkippedPair, verdictOf } from "./record-format.ts";
import { type RecordGaps, recordGaps } from "./record-gaps.ts";

export interface AttackReport extends RecordGaps {
  readonly overall: AttackFigures;
  readonly thirds: Readonly<Record<Third, AttackFigures>> | undefined;
  /** Pairs that the split does not know; they count only overall. */
  readonly unranked: number;
  readonly alarms: AlarmFigures;
  readonly skipped: readonly SkippedPair[];
}

export function attackReport(
  evaluation: RecordedEvaluation,
  split?: ReadonlyMap<string, Third>,
): AttackReport {
  const { pairs, correctPrograms, skipped } = evaluation;
  const within = (third: Third) => figuresOf(pairs.filter(({ id }) => split?.get(id) === third));
  return {
    overall: figuresOf(pairs),
    thirds: split && { easy: within("easy"), medium: within("medium"), hard: within("hard") },
    unranked: split ? pairs.filter(({ id }) => !split.has(id)).length : 0,
    alarms: alarmFigures(
      correctPrograms.map(({ origin, replies }) => ({ origin, replies: replies.map(verdictOf) })),
    ),
    skipped,
    ...recordGaps(evaluation),
  };
}

function figuresOf(pairs: readonly RecordedPair[]): AttackFigures {
  return attackFigures(pairs.map(({ replies }) => ({ replies: replies.map(verdictOf) })));
}

/** How often each pair was attacked; pairs of which nothing is known are left out. */
export function attackRates(pairs: readonly RecordedPair[]): PairRate[] {
  return pairs.flatMap(({ id, replies }) => {
    const known = replies.filter((reply) => reply.class !== "masked");
    const attacks = known.filter((reply) => reply.class === "attack").length;
    return known.length > 0 ? [{ id, rate: attacks / known.length }] : [];
  });
}
