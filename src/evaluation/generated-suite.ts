/**
 * A suite for a problem that nobody wrote tests for, made by two models: a coder writes m programs, ATGEN's generator
 * writes k tests for each distinct one, and the tests are pooled: every question once, answered by vote, the tests
 * with most votes first. As a reward for a coder the suite stands in for gold tests; the reference is never asked.
 *
 * ATGEN's paper uses such suites as a reward and does not say how they are made. m, k and the vote are our choice.
 *
 * @example
 * const suite = await generateSuite({ coder, tester, problem, seed: 1, programs: 4, testsPerProgram: 4, most: 12 });
 * const verdict = await judgeOn(court, problem, source, suite.tests.map(({ testCase }) => testCase));
 */
import type { Problem } from "../problems/problem.ts";
import { type PooledTest, poolTests } from "./best-of-n/pool-tests.ts";
import { samplePrograms, sampleTests, type Writer } from "./sample-writers.ts";

export interface GeneratedSuite {
  /** Most votes first, then in the order in which they were first seen. */
  readonly tests: readonly PooledTest[];
  /** The distinct programs that the tests were written for. */
  readonly programs: readonly string[];
  /** Replies of the tester. */
  readonly replies: number;
  /** Replies that hold no test, with the reason; the rest were pooled. */
  readonly unreadable: readonly string[];
}

export interface GeneratedSuiteOptions {
  readonly coder: Writer;
  readonly tester: Writer;
  readonly problem: Problem;
  readonly seed: number;
  readonly programs: number;
  readonly testsPerProgram: number;
  /** Tests kept at most. */
  readonly most: number;
  readonly signal?: AbortSignal;
}

export async function generateSuite(options: GeneratedSuiteOptions): Promise<GeneratedSuite> {
  const { coder, tester, problem, testsPerProgram } = options;
  const sampled = { problem, seed: options.seed, ...(options.signal && { signal: options.signal }) };
  const written = await samplePrograms(coder, { ...sampled, programs: options.programs });
  const programs = [...new Set(written)];
  const repliesByProgram = await sampleTests(tester, { ...sampled, programs, testsPerProgram });
  const replies = repliesByProgram.flat();
  const cases = replies.flatMap((reply) => (reply.ok ? [reply.case] : []));
  return {
    tests: strongestFirst(poolTests(cases, problem.comparison)).slice(0, options.most),
    programs,
    replies: replies.length,
    unreadable: replies.flatMap((reply) => (reply.ok ? [] : [reply.reason])),
  };
}

function strongestFirst(tests: readonly PooledTest[]): PooledTest[] {
  return [...tests].sort((left, right) => right.votes - left.votes);
}
