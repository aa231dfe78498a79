/**
 * An evaluation on disk, one JSON object a line: first what it was made with, then what was asked for, what became of
 * each pair, of each correct program, and which pairs were not used and why. Every figure follows from these lines
 * alone.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { type Outcome, outcomeKinds } from "../../judge/outcome.ts";
import { limitsSchema } from "../../limits.ts";
import type { AttackPair } from "../../problems/attack-pair.ts";
import { decodeCase, encodeCase } from "../../problems/case-codec.ts";
import { plainRecord } from "../../problems/plain-problem.ts";
import type { Problem, TestCase } from "../../problems/problem.ts";
import type { Dialect } from "../../prompts/dialect.ts";
import { attackClasses } from "../../rewards/atgen.ts";
import {
  alarmKey,
  attackKey,
  type EvaluatedCorrectProgram,
  type EvaluatedPair,
  type JudgedReply,
} from "./evaluate-attack.ts";
import { alarmClasses, type CorrectProgram } from "./false-alarms.ts";

export const headerSchema = z.object({
  kind: z.literal("attack-evaluation"),
  version: z.literal(1),
  model: z.string(),
  /** The file, or `arena`. */
  pairs: z.string(),
  samples: z.number().int().positive(),
  /** Solutions besides the reference that had to agree on an input. */
  witnesses: z.number().int().positive().optional(),
  sampling: z.object({
    temperature: z.number(),
    topP: z.number(),
    maxTokens: z.number(),
    seed: z.number(),
  }),
  /** A problem with limits of its own has them in its lines. */
  limits: limitsSchema,
  sandbox: z.object({ kind: z.string(), python: z.string() }),
});
export type RecordHeader = z.infer<typeof headerSchema>;

const replyFields = {
  text: z.string(),
  stopReason: z.enum(["end", "stop", "length"]),
  /** The test with the reference's answer; for correct programs, as the generator wrote it. */
  case: z.unknown().optional(),
  /** Of the program that was shown. */
  outcome: z.looseObject({ kind: z.enum(outcomeKinds) }).optional(),
  reason: z.string().optional(),
};
const shownFields = {
  problem: z.string(),
  /** Names the random stream; with the seed it decides the replies. */
  key: z.string(),
  /** Of the problem and the program, and of the whole prompt. */
  digest: z.string(),
  prompt: z.string(),
  limits: z.record(z.string(), z.number()).optional(),
};
/** Why nobody knows whether a pair is what it claims to be. */
export const uncheckedReasons = ["no-gold-tests", "lost", "not-asked"] as const;
export type UncheckedReason = (typeof uncheckedReasons)[number];

const pairSchema = z.object({
  kind: z.literal("pair"),
  id: z.string(),
  ...shownFields,
  /** Missing for pairs that were checked, and in records of earlier versions. */
  unchecked: z.enum(uncheckedReasons).optional(),
  replies: z.array(z.object({ ...replyFields, class: z.enum([...attackClasses, "masked"]) })),
});
const programSchema = z.object({
  kind: z.literal("correct-program"),
  origin: z.enum(["reference", "solution"]),
  ...shownFields,
  replies: z.array(z.object({ ...replyFields, class: z.enum([...alarmClasses, "masked"]) })),
});
const skippedSchema = z.object({
  kind: z.literal("skipped"),
  id: z.string(),
  reason: z.string(),
  /** Of everything that the reason may depend on; records of earlier versions do not have it. */
  digest: z.string().optional(),
});
const askedSchema = z.object({
  kind: z.literal("asked"),
  /** Against these, a record that was left unfinished is told from a whole one. */
  pairs: z.number().int().nonnegative(),
  /** Known once the pairs are checked. */
  correctPrograms: z.number().int().nonnegative().optional(),
  /** Rows of the file that cannot be read as pairs. */
  refused: z.array(z.object({ row: z.number(), reason: z.string() })),
});
export const lineSchema = z.discriminatedUnion("kind", [
  pairSchema,
  programSchema,
  skippedSchema,
  askedSchema,
]);

export type RecordedPair = z.infer<typeof pairSchema>;
export type RecordedProgram = z.infer<typeof programSchema>;
export type SkippedPair = z.infer<typeof skippedSchema>;
export type AskedFor = z.infer<typeof askedSchema>;
export type RefusedRow = AskedFor["refused"][number];
export type RecordLine = z.infer<typeof lineSchema>;

/** What was shown to the model: two evaluations compare only where these agree. */
export function pairMarks(pair: AttackPair, dialect: Dialect): Pick<RecordedPair, keyof typeof shownFields> {
  return marksOf(dialect, { problem: pair.problem, source: pair.buggy, key: attackKey(pair) });
}

export function programMarks(
  program: CorrectProgram,
  dialect: Dialect,
): Pick<RecordedProgram, keyof typeof shownFields> {
  return marksOf(dialect, { ...program, key: alarmKey(program) });
}

function marksOf(dialect: Dialect, shown: { problem: Problem; source: string; key: string }) {
  const { problem, source, key } = shown;
  return {
    problem: problem.id,
    key,
    digest: digestOf([problem.question, problem.reference, source]),
    prompt: digestOf(dialect.attackPrompt(problem, source)),
    ...(problem.limits && { limits: problem.limits }),
  };
}

export function recordPair(
  { pair, replies }: EvaluatedPair,
  dialect: Dialect,
  unchecked?: UncheckedReason,
): RecordedPair {
  return {
    kind: "pair",
    id: pair.id,
    ...pairMarks(pair, dialect),
    ...(unchecked && { unchecked }),
    replies: replies.map(recordReply),
  };
}

export function recordProgram(
  { program, replies }: EvaluatedCorrectProgram,
  dialect: Dialect,
): RecordedProgram {
  const { origin } = program;
  return {
    kind: "correct-program",
    origin,
    ...programMarks(program, dialect),
    replies: replies.map(recordReply),
  };
}

export function recordSkipped(pair: AttackPair, reason: string, dialect: Dialect): SkippedPair {
  return { kind: "skipped", id: pair.id, reason, digest: skipDigest(pair, dialect) };
}

/** Whether the pair is still what it was when it was skipped. An old line cannot tell. */
export function isStillSkipped(line: SkippedPair, pair: AttackPair, dialect: Dialect): boolean {
  return line.digest === skipDigest(pair, dialect);
}

/** Not the digest of what is shown: what mends a pair is often a gold test, which no prompt has in it. */
function skipDigest({ problem, buggy }: AttackPair, dialect: Dialect): string {
  return digestOf([plainRecord(problem), buggy, dialect.attackPrompt(problem, buggy)]);
}

/** The form that verdicts on wrong and on correct programs share. */
type Verdict<Class extends string> =
  | {
      readonly kind: "judged";
      readonly reached: Class;
      readonly testCase?: TestCase;
      readonly outcome?: Outcome;
      readonly reason?: string;
    }
  | { readonly kind: "masked"; readonly message: string };

type RecordedReply<Class extends string> = z.infer<z.ZodObject<typeof replyFields>> & {
  class: Class | "masked";
};

function recordReply<Class extends string>(reply: JudgedReply<Verdict<Class>>): RecordedReply<Class> {
  const { text, stopReason, judged } = reply;
  if (judged.kind === "masked") return { text, stopReason, class: "masked", reason: judged.message };
  const { reached, testCase, outcome, reason } = judged;
  return {
    text,
    stopReason,
    class: reached,
    ...(testCase && { case: encodeCase(testCase) }),
    ...(outcome && { outcome: { ...outcome } }),
    ...(reason !== undefined && { reason }),
  };
}

/** What the figures are made from. */
export function verdictOf<Class extends string>(reply: RecordedReply<Class>): { judged: Verdict<Class> } {
  const { class: reached, outcome, reason } = reply;
  if (reached === "masked") return { judged: { kind: "masked", message: reason ?? "" } };
  const testCase = decodeCase(reply.case);
  return {
    judged: {
      kind: "judged",
      reached,
      ...(testCase && { testCase }),
      ...(outcome && { outcome: outcome as Outcome }),
      ...(reason !== undefined && { reason }),
    },
  };
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
