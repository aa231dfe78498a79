/** Where the programs and tests of `spar best-of-n` come from: recorded files, models, or one of each. */
import { SparringError } from "../errors.ts";
import type { ProblemSamples, WrittenTest } from "../evaluation/best-of-n/examine-problem.ts";
import { testsWithin } from "../evaluation/best-of-n/examined-problem.ts";
import { candidatesFrom, testsFrom } from "../evaluation/best-of-n/model-samples.ts";
import {
  type LeftOut,
  ownedBy,
  type RecordedCandidate,
  readCandidates,
  readWrittenTests,
} from "../evaluation/best-of-n/recorded-samples.ts";
import type { ModelShelf } from "../evaluation/open-model.ts";
import type { Problem } from "../problems/problem.ts";
import type { KeyedJournal } from "../runs/keyed-journal.ts";
import type { ModelFlags } from "./model-options.ts";
import { openWriter } from "./open-writer.ts";

/** How many candidates and tests for each a model is asked for unless somebody says otherwise. */
export const usualMost = { n: 16, k: 10 };

export interface SourceFlags extends ModelFlags {
  readonly limit?: number;
  readonly codeModel?: string;
  readonly candidates?: string;
  readonly testModel?: string;
  readonly tests?: string;
  readonly seed: number;
}

export interface Sources {
  readonly samplesOf: (problem: Problem) => Promise<ProblemSamples>;
  /** What programs and tests were taken from, for people. */
  readonly description: { readonly programs: string; readonly tests: string };
  /** What the files hold that cannot be used. */
  readonly leftOut: readonly LeftOut[];
  /** The most candidates and tests per candidate that there can be. */
  readonly most: { readonly n: number; readonly k: number };
  /** Grows while tests are sampled. */
  readonly replies: { all: number; unreadable: number };
  /** By problem; grows while tests are sampled. */
  readonly refusedPrograms: ReadonlyMap<string, RefusedPrograms>;
}

/** Programs that got no tests because the test model does not take the prompt with them. */
export interface RefusedPrograms {
  readonly problem: string;
  readonly programs: number;
  /** Of the first. */
  readonly reason: string;
}

interface SourceOptions {
  readonly flags: SourceFlags;
  readonly problems: readonly Problem[];
  /** The largest that were asked for; undefined where nobody said. */
  readonly asked: { readonly n: number | undefined; readonly k: number | undefined };
  readonly shelf: ModelShelf;
  readonly journal: KeyedJournal<unknown>;
  readonly signal: AbortSignal;
}

/** What must be known before anything is opened. */
export function checkSources(flags: SourceFlags): void {
  const exactlyOne = (left: string | undefined, right: string | undefined, names: string, why: string) => {
    if ((left === undefined) !== (right === undefined)) return;
    const reason = left === undefined ? "one of them is needed" : "only one of them can be";
    throw new SparringError({ code: "wrong-use", message: `${names}: ${reason}`, hint: why });
  };
  exactlyOne(
    flags.codeModel,
    flags.candidates,
    "--code-model and --candidates",
    "Programs come from a model (--code-model arena) or from a file (--candidates programs.jsonl).",
  );
  exactlyOne(
    flags.testModel,
    flags.tests,
    "--test-model and --tests",
    "Tests come from a model (--test-model arena) or from a file (--tests tests.jsonl).",
  );
}

export async function openSources(options: SourceOptions): Promise<Sources> {
  const { flags, problems, asked } = options;
  const byId = new Map(problems.map((problem) => [problem.id, problem]));
  const recorded = flags.candidates === undefined ? undefined : await readCandidates(flags.candidates, byId);
  const written = flags.tests === undefined ? undefined : await readWrittenTests(flags.tests, byId);
  const { codeModel, testModel } = flags;
  const coder = codeModel === undefined ? undefined : await openWriter(options, codeModel, "code");
  const tester = testModel === undefined ? undefined : await openWriter(options, testModel, "test");
  const replies = { all: 0, unreadable: 0 };
  const refusedPrograms = new Map<string, RefusedPrograms>();
  const candidatesOf = async (problem: Problem): Promise<readonly RecordedCandidate[]> => {
    if (!coder) return recorded!.byProblem.get(problem.id) ?? [];
    const sources = await candidatesFrom(coder, { problem, programs: asked.n ?? usualMost.n });
    return sources.map((source, line) => ({ source, line }));
  };
  const testsOf = async (
    problem: Problem,
    candidates: readonly RecordedCandidate[],
  ): Promise<readonly WrittenTest[]> => {
    if (!tester) {
      const { tests } = ownedBy(candidates, written!.byProblem.get(problem.id) ?? []);
      // Nobody will look at the others.
      return testsWithin({ tests }, { n: asked.n ?? Infinity, k: asked.k ?? Infinity });
    }
    const sources = candidates.slice(0, asked.n ?? usualMost.n).map(({ source }) => source);
    const testsPerProgram = asked.k ?? usualMost.k;
    const sampled = await testsFrom(tester, { problem, candidates: sources, testsPerProgram });
    replies.all += sampled.replies;
    replies.unreadable += sampled.unreadable;
    const [reason] = sampled.refused;
    if (reason !== undefined) {
      refusedPrograms.set(problem.id, { problem: problem.id, programs: sampled.refused.length, reason });
    }
    return sampled.tests;
  };
  const counts = [...(recorded?.byProblem.values() ?? [])].map((list) => list.length);
  return {
    samplesOf: async (problem) => {
      const candidates = await candidatesOf(problem);
      const tests = await testsOf(problem, candidates);
      return { problem, candidates: candidates.map(({ source }) => source), tests };
    },
    description: {
      programs: coder?.description ?? flags.candidates!,
      tests: tester?.description ?? flags.tests!,
    },
    // Whoever asks for the first problems of a set knows that the files hold others.
    leftOut: [...(recorded?.leftOut ?? []), ...(written?.leftOut ?? [])].filter(
      ({ isOther }) => flags.limit === undefined || !isOther,
    ),
    most: {
      n: recorded ? counts.reduce((most, count) => Math.max(most, count), 0) : (asked.n ?? usualMost.n),
      k: written ? mostPerOwner(written.byProblem) : (asked.k ?? usualMost.k),
    },
    replies,
    refusedPrograms,
  };
}

function mostPerOwner(byProblem: ReadonlyMap<string, readonly WrittenTest[]>): number {
  let most = 0;
  for (const tests of byProblem.values()) {
    const counts = new Map<number | null, number>();
    for (const { candidate } of tests) {
      const count = (counts.get(candidate) ?? 0) + 1;
      counts.set(candidate, count);
      most = Math.max(most, count);
    }
  }
  return most;
}
