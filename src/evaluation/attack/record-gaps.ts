/**
 * What the figures of a record are not about, although it was asked for: rows that could not be read, pairs that nobody
 * could check, and whatever was not done yet. Without it a part looks like the whole.
 */
import type { RecordedEvaluation } from "./evaluate-into-record.ts";
import type { RefusedRow, UncheckedReason } from "./record-format.ts";

export interface DoneOf {
  readonly done: number;
  readonly asked: number;
}

export interface RecordGaps {
  /** Rows of the file that cannot be read as pairs. */
  readonly refused: readonly RefusedRow[];
  /** Pairs that were measured on although nobody knows whether they are what they claim to be. */
  readonly unchecked: Readonly<Partial<Record<UncheckedReason, number>>>;
  /** Only where something is missing. */
  readonly unfinished?: { readonly pairs: DoneOf; readonly correctPrograms?: DoneOf };
  /** The record ends within a line, which counts nowhere. */
  readonly torn: boolean;
}

export function recordGaps({
  pairs,
  correctPrograms,
  skipped,
  asked,
  torn = false,
}: RecordedEvaluation): RecordGaps {
  const unchecked: Partial<Record<UncheckedReason, number>> = {};
  for (const { unchecked: reason } of pairs) {
    if (reason) unchecked[reason] = (unchecked[reason] ?? 0) + 1;
  }
  const ofPairs = { done: pairs.length + skipped.length, asked: asked?.pairs ?? 0 };
  const ofPrograms = { done: correctPrograms.length, asked: asked?.correctPrograms ?? 0 };
  return {
    refused: asked?.refused ?? [],
    unchecked,
    ...((lacks(ofPairs) || lacks(ofPrograms)) && {
      unfinished: { pairs: ofPairs, ...(lacks(ofPrograms) && { correctPrograms: ofPrograms }) },
    }),
    torn,
  };
}

function lacks({ done, asked }: DoneOf): boolean {
  return done < asked;
}
