/**
 * Programs and tests from models, with a journal: sampling costs most of the time, so a reply that was paid for is kept
 * and found again when a command is started once more. Identical programs are attacked once, under the first of them.
 */
import { createHash } from "node:crypto";
import { decodeCase, type EncodedCase, encodeCase } from "../../problems/case-codec.ts";
import { plainRecord } from "../../problems/plain-problem.ts";
import type { Problem } from "../../problems/problem.ts";
import type { KeyedJournal } from "../../runs/keyed-journal.ts";
import { samplePrograms, sampleTestsUnlessRefused, type Writer } from "../sample-writers.ts";
import type { WrittenTest } from "./examine-problem.ts";

/** A writer and what tells its replies from another's. */
export interface JournaledWriter {
  readonly writer: Writer;
  /** Model and weights, as far as they are known. */
  readonly identity: string;
  readonly seed: number;
  readonly journal: KeyedJournal<unknown>;
  readonly signal?: AbortSignal;
}

export async function candidatesFrom(
  coder: JournaledWriter,
  { problem, programs }: { readonly problem: Problem; readonly programs: number },
): Promise<string[]> {
  const { writer, seed, signal } = coder;
  return remembered<string[]>(coder, ["programs", plainRecord(problem), programs], () =>
    samplePrograms(writer, { problem, seed, programs, ...(signal && { signal }) }),
  );
}

export interface SampledTests {
  readonly tests: readonly WrittenTest[];
  readonly replies: number;
  /** Replies that hold no test. */
  readonly unreadable: number;
  /** Why programs have no tests whose prompt the model refuses, one reason each. */
  readonly refused: readonly string[];
}

/** The replies for one program, null for those without a test. */
type StoredReplies = readonly (EncodedCase | null)[];

export async function testsFrom(
  tester: JournaledWriter,
  request: {
    readonly problem: Problem;
    readonly candidates: readonly string[];
    readonly testsPerProgram: number;
  },
): Promise<SampledTests> {
  const { problem, candidates, testsPerProgram } = request;
  const programs = [...new Set(candidates)];
  const { stored, refused } = await repliesTo(tester, { problem, programs, testsPerProgram });
  const tests = stored.flatMap((row, program) =>
    row.flatMap((encoded): WrittenTest[] => {
      const testCase = encoded === null ? undefined : decodeCase(encoded);
      return testCase ? [{ candidate: candidates.indexOf(programs[program]!), testCase }] : [];
    }),
  );
  const replies = stored.flat().length;
  return { tests, replies, unreadable: replies - tests.length, refused };
}

/**
 * In the order of the programs. What is whole is kept: the replies to all programs, or, where the model refuses some of
 * them, to each of the others, so that only the refused ones are asked for again.
 */
async function repliesTo(
  tester: JournaledWriter,
  asked: {
    readonly problem: Problem;
    readonly programs: readonly string[];
    readonly testsPerProgram: number;
  },
): Promise<{ stored: readonly StoredReplies[]; refused: readonly string[] }> {
  const { writer, seed, signal, journal } = tester;
  const { problem, programs, testsPerProgram } = asked;
  const content = [plainRecord(problem), programs, testsPerProgram];
  const keyOfAll = keyOf(tester, ["tests", ...content]);
  const before = journal.get(keyOfAll) as readonly StoredReplies[] | undefined;
  if (before !== undefined) return { stored: before, refused: [] };
  const keys = programs.map((_, program) => keyOf(tester, ["tests of one program", program, ...content]));
  const rows = keys.map((key) => journal.get(key) as StoredReplies | undefined);
  const sampled = await sampleTestsUnlessRefused(writer, {
    ...asked,
    seed,
    isWanted: (program) => rows[program] === undefined,
    ...(signal && { signal }),
  });
  const refused: string[] = [];
  for (const [program, result] of sampled) {
    if (!result.ok) refused.push(result.reason);
    else rows[program] = result.replies.map((reply) => (reply.ok ? encodeCase(reply.case) : null));
  }
  const stored = rows.map((row) => row ?? []);
  if (refused.length === 0) journal.set(keyOfAll, stored);
  else for (const program of sampled.keys()) if (rows[program]) journal.set(keys[program]!, rows[program]);
  return { stored, refused };
}

async function remembered<Value>(
  writer: JournaledWriter,
  asked: readonly unknown[],
  sample: () => Promise<Value>,
): Promise<Value> {
  const { journal } = writer;
  const key = keyOf(writer, asked);
  const before = journal.get(key) as Value | undefined;
  if (before !== undefined) return before;
  // A sample that is lost ends the call, so whatever comes back is whole and may be kept.
  const value = await sample();
  journal.set(key, value);
  return value;
}

function keyOf({ identity, seed, writer }: JournaledWriter, asked: readonly unknown[]): string {
  const content = JSON.stringify([identity, seed, writer.sampling, ...asked]);
  return createHash("sha256").update(content).digest("hex");
}
