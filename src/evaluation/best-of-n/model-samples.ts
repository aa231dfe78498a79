/**
 * Programs and tests from models, with a journal: sampling costs most of the time, so a reply that was paid for is kept
 * and found again when a command is started once more. Identical programs are attacked once, under the first of them.
 */
import { createHash } from "node:crypto";
import { decodeCase, type EncodedCase, encodeCase } from "../../problems/case-codec.ts";
import { plainRecord } from "../../problems/plain-problem.ts";
import type { Problem } from "../../problems/problem.ts";
import type { KeyedJournal } from "../../runs/keyed-journal.ts";
import { samplePrograms, sampleTests, type Writer } from "../sample-writers.ts";
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
}

export async function testsFrom(
  tester: JournaledWriter,
  request: {
    readonly problem: Problem;
    readonly candidates: readonly string[];
    readonly testsPerProgram: number;
  },
): Promise<SampledTests> {
  const { problem, candidates, testsPerProgram } = request;
  const { writer, seed, signal } = tester;
  const programs = [...new Set(candidates)];
  const stored = await remembered<readonly (readonly (EncodedCase | null)[])[]>(
    tester,
    ["tests", plainRecord(problem), programs, testsPerProgram],
    async () => {
      const replies = await sampleTests(writer, {
        problem,
        seed,
        programs,
        testsPerProgram,
        ...(signal && { signal }),
      });
      return replies.map((row) => row.map((reply) => (reply.ok ? encodeCase(reply.case) : null)));
    },
  );
  const tests = stored.flatMap((row, program) =>
    row.flatMap((encoded): WrittenTest[] => {
      const testCase = encoded === null ? undefined : decodeCase(encoded);
      return testCase ? [{ candidate: candidates.indexOf(programs[program]!), testCase }] : [];
    }),
  );
  const replies = stored.flat().length;
  return { tests, replies, unreadable: replies - tests.length };
}

async function remembered<Value>(
  { identity, seed, writer, journal }: JournaledWriter,
  asked: readonly unknown[],
  sample: () => Promise<Value>,
): Promise<Value> {
  const content = JSON.stringify([identity, seed, writer.sampling, ...asked]);
  const key = createHash("sha256").update(content).digest("hex");
  const before = journal.get(key) as Value | undefined;
  if (before !== undefined) return before;
  // A sample that is lost ends the call, so whatever comes back is whole and may be kept.
  const value = await sample();
  journal.set(key, value);
  return value;
}
