/**
 * All generated tests of a problem as one suite: every question once, answered by vote.
 *
 *   answer(x) = the answer that most of the generated tests for x give, the first seen where several have as many
 *
 * ATGEN writes one test for one program and says nothing of how tests of several programs are put together; this is
 * our choice. The reference is never asked: the answers are the generator's own.
 */
import type { TestCase } from "../../problems/problem.ts";
import type { Comparison } from "../../values/compare.ts";
import { type NumberedTest, QuestionBook } from "./question-book.ts";

export interface Vote extends NumberedTest {
  /** Tests that give this answer. */
  readonly votes: number;
  /** Tests that ask this question. */
  readonly asked: number;
}

export interface PooledTest {
  /** With the answer that won. */
  readonly testCase: TestCase;
  readonly votes: number;
  readonly asked: number;
}

/** In the order in which the questions were first asked. */
export function poolTests(tests: readonly TestCase[], comparison: Comparison): PooledTest[] {
  const book = new QuestionBook(comparison);
  return poolVotes(tests.map((test) => book.enter(test))).map((vote) => ({
    testCase: book.caseOf(vote),
    votes: vote.votes,
    asked: vote.asked,
  }));
}

/** The same for tests that have numbers already. */
export function poolVotes(tests: readonly NumberedTest[]): Vote[] {
  const votesByQuestion = new Map<number, Map<number, number>>();
  for (const { question, answer } of tests) {
    const votes = votesByQuestion.get(question) ?? new Map<number, number>();
    votes.set(answer, (votes.get(answer) ?? 0) + 1);
    votesByQuestion.set(question, votes);
  }
  return [...votesByQuestion].map(([question, votesByAnswer]) => {
    let answer = -1;
    let votes = 0;
    let asked = 0;
    // A map keeps the order of first insertion, so `>` leaves ties with the first seen.
    for (const [each, count] of votesByAnswer) {
      asked += count;
      if (count > votes) [answer, votes] = [each, count];
    }
    return { question, answer, votes, asked };
  });
}
