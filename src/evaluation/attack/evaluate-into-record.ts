/**
 * An evaluation that can be stopped and gone on with: what the record already holds is not asked again, what is
 * missing is checked (check-pairs.ts), asked and judged (evaluate-attack.ts), and recorded as soon as it is known.
 */
import { SparringError } from "../../errors.ts";
import { inLanes } from "../../in-lanes.ts";
import type { AttackPair } from "../../problems/attack-pair.ts";
import type { Dialect } from "../../prompts/dialect.ts";
import { hasRoom } from "../engine-prompt.ts";
import { lanesOf } from "../judge-each.ts";
import type { AttackRecord } from "./attack-record.ts";
import { checkPairs, isCorrect, type PairFinding } from "./check-pairs.ts";
import { type AttackEvaluationOptions, alarmKey, evaluateAttack } from "./evaluate-attack.ts";
import { type CorrectProgram, otherSolutions, referencesOf } from "./false-alarms.ts";
import {
  type AskedFor,
  isStillSkipped,
  pairMarks,
  programMarks,
  type RecordedPair,
  type RecordedProgram,
  type RefusedRow,
  recordPair,
  recordProgram,
  recordSkipped,
  type SkippedPair,
  type UncheckedReason,
} from "./record-format.ts";

export interface IntoRecordOptions extends Omit<AttackEvaluationOptions, "correctPrograms"> {
  readonly record: AttackRecord;
  /** `none`: every pair is taken for what it claims to be. */
  readonly pairCheck: "sandbox" | "none";
  readonly falseAlarms: "measured" | "left-out";
  /** Rows beside the pairs that cannot be read as such; they are recorded, so that nobody takes them for measured. */
  readonly refused?: readonly RefusedRow[];
  readonly onStage?: (stage: AttackStage) => void;
}

export type AttackStage =
  | { readonly kind: "checking"; readonly pairs: number; readonly known: number }
  | { readonly kind: "checks"; readonly done: number; readonly pairs: number }
  | { readonly kind: "checked"; readonly skipped: readonly SkippedPair[]; readonly unchecked: number }
  | { readonly kind: "asking"; readonly pairs: number; readonly correctPrograms: number };

/** The part of the record that the pairs asked for are about. */
export interface RecordedEvaluation {
  readonly pairs: readonly RecordedPair[];
  readonly correctPrograms: readonly RecordedProgram[];
  readonly skipped: readonly SkippedPair[];
  readonly asked?: AskedFor | undefined;
  /** Whether the record ends within a line. */
  readonly torn?: boolean;
}

export async function evaluateIntoRecord(options: IntoRecordOptions): Promise<RecordedEvaluation> {
  const { record, pairs, dialect, signal } = options;
  const asked = { pairs: pairs.length, refused: [...(options.refused ?? [])] };
  record.ask(asked);
  const missing = pairs.filter((pair) => !isPairRecorded(record.pair(pair.id), pair, dialect));
  options.onStage?.({ kind: "checking", pairs: pairs.length, known: pairs.length - missing.length });
  const usable = await checked(options, missing);
  // Until it is asked, a pair that was mended since it was skipped has only the old line.
  const used = pairs.filter((pair) => usable.has(pair) || record.pair(pair.id)?.kind !== "skipped");
  const programs = options.falseAlarms === "measured" ? await correctProgramsOf(options, used) : [];
  const unknown = programs.filter(
    (program) => !isRecorded(record.correctProgram(alarmKey(program)), programMarks(program, dialect)),
  );
  signal?.throwIfAborted();
  record.ask({ ...asked, correctPrograms: programs.length });
  options.onStage?.({ kind: "asking", pairs: usable.size, correctPrograms: unknown.length });
  await evaluateAttack({
    ...options,
    pairs: [...usable.keys()],
    correctPrograms: unknown,
    onProgress: (progress) => {
      const { finished } = progress;
      record.add(
        finished.kind === "pair"
          ? recordPair(finished, dialect, usable.get(finished.pair))
          : recordProgram(finished, dialect),
      );
      options.onProgress?.(progress);
    },
  });
  const lines = pairs.map(({ id }) => record.pair(id)!);
  return {
    pairs: lines.filter((line) => line.kind === "pair"),
    correctPrograms: programs.map((program) => record.correctProgram(alarmKey(program))!),
    skipped: lines.filter((line) => line.kind === "skipped"),
    asked: { kind: "asked", ...asked, correctPrograms: programs.length },
  };
}

/** A pair that was skipped counts as long as it is the same: another one may be what it claims to be. */
function isPairRecorded(
  line: RecordedPair | SkippedPair | undefined,
  pair: AttackPair,
  dialect: Dialect,
): boolean {
  return line?.kind === "skipped"
    ? isStillSkipped(line, pair, dialect)
    : isRecorded(line, pairMarks(pair, dialect));
}

/** Lines about something else under the same name are refused; replies that were lost are asked for again. */
function isRecorded(
  line: RecordedPair | RecordedProgram | undefined,
  marks: Pick<RecordedPair, "key" | "digest" | "prompt">,
): boolean {
  if (!line) return false;
  if (line.digest !== marks.digest || line.prompt !== marks.prompt) {
    const what =
      line.digest === marks.digest ? "was asked with another prompt" : "is another pair by that name";
    throw new SparringError({
      code: "record-other",
      message: `the record does not fit these pairs: '${line.key}' ${what}`,
      hint: "Use another --out, or the pairs that this record was begun with.",
    });
  }
  return line.replies.every((reply) => reply.class !== "masked");
}

/** The pairs that can be used, and why those that were not checked were not; the others are recorded as skipped. */
async function checked(
  options: IntoRecordOptions,
  pairs: readonly AttackPair[],
): Promise<ReadonlyMap<AttackPair, UncheckedReason | undefined>> {
  const skipped: SkippedPair[] = [];
  const skip = (pair: AttackPair, reason: string) =>
    skipped.push(recordSkipped(pair, reason, options.dialect));
  const fitting = pairs.filter((pair) => {
    if (fits(options, { problem: pair.problem, source: pair.buggy })) return true;
    skip(pair, "the wrong program is too long to be shown to the model");
    return false;
  });
  const onChecked = (done: number) => options.onStage?.({ kind: "checks", done, pairs: fitting.length });
  const findings =
    options.pairCheck === "none"
      ? []
      : await checkPairs({ ...options.court, pairs: fitting, onChecked, ...signalOf(options) });
  const usable = new Map<AttackPair, UncheckedReason | undefined>();
  for (const [index, pair] of fitting.entries()) {
    const finding = findings[index];
    if (finding?.kind === "refused") skip(pair, finding.reason);
    else usable.set(pair, uncheckedReason(finding));
  }
  if (options.pairCheck === "none" && skipped.length === 0) return usable;
  for (const line of skipped) options.record.add(line);
  const unchecked =
    options.pairCheck === "none" ? 0 : [...usable.values()].filter((reason) => reason !== undefined).length;
  options.onStage?.({ kind: "checked", skipped, unchecked });
  return usable;
}

/** What our own infrastructure lost is used unchecked: if that goes on, its replies are masked. */
function uncheckedReason(finding: PairFinding | undefined): UncheckedReason | undefined {
  switch (finding?.kind) {
    case undefined:
      return "not-asked";
    case "unchecked":
      return "no-gold-tests";
    case "infrastructure":
      return "lost";
    default:
      return undefined;
  }
}

/** References, and other solutions that really pass the gold tests. */
async function correctProgramsOf(
  options: IntoRecordOptions,
  pairs: readonly AttackPair[],
): Promise<CorrectProgram[]> {
  const { court, record } = options;
  const references = referencesOf(pairs);
  const solutions = references.flatMap(({ problem }) => otherSolutions(problem));
  const passing = await inLanes(solutions, {
    atOnce: lanesOf(court.sandbox),
    run: async (program) => {
      if (options.pairCheck === "none" || record.correctProgram(alarmKey(program))) return true;
      return isCorrect(program.problem, program.source, { ...court, ...signalOf(options) });
    },
  });
  const correct = [...references, ...solutions.filter((_, index) => passing[index])];
  return correct.filter((program) => fits(options, program));
}

function fits(
  { policy, dialect }: IntoRecordOptions,
  { problem, source }: Pick<CorrectProgram, "problem" | "source">,
): boolean {
  return hasRoom(policy, dialect.attackPrompt(problem, source));
}

function signalOf({ signal }: IntoRecordOptions): { signal?: AbortSignal } {
  return signal ? { signal } : {};
}
