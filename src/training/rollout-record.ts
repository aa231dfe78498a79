/** A question's rollouts as one line of JSON, for people and for the dashboard: everything said, and what came of it. */

import type { SuiteTest } from "../evaluation/judge-candidate.ts";
import type { TestCase } from "../problems/problem.ts";
import { assertText } from "../problems/test-text.ts";
import type { QuestionRollout, TestedProgram } from "./rollout.ts";
import type { QuestionScores, SuiteScore } from "./score-question.ts";

export function rolloutRecord(rollout: QuestionRollout, scores: QuestionScores): unknown {
  const { problem } = rollout;
  const text = (testCase: TestCase) =>
    testCase.style === "function"
      ? assertText(testCase, problem.entryPoint ?? "")
      : { input: testCase.input, output: testCase.expected };
  const testRecord = ({ judged, testCase, outcome, reason }: SuiteTest) =>
    judged.kind === "invalid"
      ? { valid: false, reason }
      : { valid: true, answer: judged.answer, test: testCase && text(testCase), outcome: outcome?.kind };
  const suitesRecord = ({ suites }: TestedProgram, suiteScores: readonly (SuiteScore | undefined)[]) =>
    suites.map((suite, position) => ({
      reply: suite.completion.text,
      policyVersion: suite.completion.policyVersion,
      ...(suiteScores[position] ?? { masked: true }),
      tests: suite.verdict.tests.map(testRecord),
    }));
  return {
    problem: problem.id,
    question: problem.question,
    replayed: rollout.replayed.map(text),
    candidates: rollout.candidates.map((candidate, index) => ({
      source: candidate.source,
      policyVersion: candidate.completion.policyVersion,
      loads: candidate.verdict.loads,
      reward: scores.code[index] ?? null,
      history: candidate.history?.outcomes.map(({ kind }) => kind) ?? [],
      ...(candidate.suites.length === 0 && { outcomes: candidate.verdict.outcomes.map(({ kind }) => kind) }),
      suites: suitesRecord(candidate, scores.test[index] ?? []),
    })),
    ...(rollout.opponents.length > 0 && {
      opponents: rollout.opponents.map((opponent, index) => ({
        origin: opponent.origin,
        source: opponent.source,
        suites: suitesRecord(opponent, scores.opponents[index] ?? []),
      })),
    }),
  };
}
