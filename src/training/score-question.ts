/** From what happened to a question's candidates and suites to rewards, and to what the Mistake Book learns from it. */

import { isUnreadable } from "../judge/is-unreadable.ts";
import type { Outcome } from "../judge/outcome.ts";
import type { BookUpdate } from "../mistakes/mistake-book.ts";
import type { TestCase } from "../problems/problem.ts";
import {
  type CodeA1Rules,
  codeReward,
  goldenReward,
  type History,
  tallySuite,
  testReward,
} from "../rewards/code-a1.ts";
import { type SuiteReward, suiteReward } from "../rewards/suite-reward.ts";
import type { CandidateRollout, QuestionRollout, SuiteRollout, TestedProgram } from "./rollout.ts";

export interface QuestionScores {
  /** One for each candidate; undefined where it was lost to infrastructure, or where there is no test to judge by. */
  readonly code: readonly (number | undefined)[];
  /** One list for each candidate, one entry for each of its suites. */
  readonly test: readonly (readonly (SuiteScore | undefined)[])[];
  /** The same for each opponent. */
  readonly opponents: readonly (readonly (SuiteScore | undefined)[])[];
}

export interface SuiteScore {
  readonly reward: number;
  readonly validity: number;
  readonly adversarial: number;
}

export function scoreQuestion(rollout: QuestionRollout, rules: CodeA1Rules): QuestionScores {
  return {
    code: rollout.candidates.map((candidate) => scoreCandidate(candidate, rules)),
    test: rollout.candidates.map((candidate) => scoreSuites(candidate, rules)),
    opponents: rollout.opponents.map((opponent) => scoreSuites(opponent, rules)),
  };
}

function scoreSuites(program: TestedProgram, rules: CodeA1Rules): (SuiteScore | undefined)[] {
  const history = historyOf(program);
  return program.suites.map((suite) =>
    suite.verdict.kind === "judged"
      ? testReward({
          tally: tallyOf(suite, rules),
          history,
          ...(suite.field && { field: suite.field }),
          candidateLoads: program.verdict.loads,
          reply: suite.completion.text,
          rules,
        })
      : undefined,
  );
}

function scoreCandidate(candidate: CandidateRollout, rules: CodeA1Rules): number | undefined {
  // The program's own doing: it is wrong whatever the tests are worth.
  if (!candidate.verdict.loads) return 0;
  const judged = candidate.suites.filter(({ verdict }) => verdict.kind === "judged");
  return codeReward(
    judged.map((suite) => tallyOf(suite, rules)),
    historyOf(candidate),
    rules,
  );
}

/** The Golden-Tests baseline: the data set's own tests decide. */
export function scoreOnGoldTests(rollout: QuestionRollout): QuestionScores {
  return {
    code: rollout.candidates.map(({ verdict: { loads, outcomes } }) => {
      const known = outcomes.filter(isKnown);
      if (known.length === 0 && outcomes.length > 0) return undefined;
      const passed = known.filter(({ kind }) => kind === "passed").length;
      return goldenReward({ loads, passed, total: known.length });
    }),
    test: rollout.candidates.map(() => []),
    opponents: [],
  };
}

/** Code RL without gold tests: one generated suite decides for all candidates. */
export function scoreOnSuite(rollout: QuestionRollout, reward: SuiteReward): QuestionScores {
  return {
    code: rollout.candidates.map((candidate) => rewardBySuite(candidate, reward)),
    test: rollout.candidates.map(() => []),
    opponents: [],
  };
}

function rewardBySuite(
  { source, verdict: { loads, outcomes } }: CandidateRollout,
  reward: SuiteReward,
): number | undefined {
  const known = outcomes.filter(isKnown);
  const passed = loads ? known.filter(({ kind }) => kind === "passed").length : 0;
  const undecided = known.length < outcomes.length && passed === known.length;
  // The test that was lost might be the one that fails.
  if (reward === "all-pass" && undecided) return undefined;
  // Nothing is a program to Python, but not to whoever asked for one.
  const parses = source.trim() !== "" && !isUnreadable(known);
  return suiteReward(reward, { passed, total: known.length, parses });
}

function tallyOf(suite: SuiteRollout, rules: CodeA1Rules) {
  return tallySuite(
    suite.verdict.tests.map(({ judged }) => judged),
    rules,
  );
}

function historyOf({ history }: TestedProgram): History {
  const known = history?.outcomes.filter(isKnown) ?? [];
  return { total: known.length, passed: known.filter(({ kind }) => kind === "passed").length };
}

/** What the book is told: passes of replayed tests and failures of new ones, both of candidates that load. */
export function bookUpdate(rollout: QuestionRollout, rules: CodeA1Rules): BookUpdate {
  const loading = rollout.candidates.filter(({ verdict }) => verdict.loads);
  const replays = rollout.replayed.map((testCase, index) => ({
    testCase,
    passes: loading.filter(({ history }) => history?.outcomes[index]?.kind === "passed").length,
  }));
  const failures = loading.flatMap(({ suites }) => suites.flatMap((suite) => failuresOf(suite, rules)));
  return { problemId: rollout.problem.id, replays, failures };
}

function failuresOf(suite: SuiteRollout, rules: CodeA1Rules): TestCase[] {
  if (suite.verdict.kind === "masked") return [];
  return suite.verdict.tests.flatMap(({ judged, testCase }) => {
    const counts =
      judged.kind === "kept" &&
      judged.result === "failed" &&
      (judged.answer === "right" || rules.wrongAnswerTests === "correct");
    return counts && testCase ? [testCase] : [];
  });
}

function isKnown(outcome: Outcome): boolean {
  return outcome.kind !== "infrastructure";
}
