import { describe, expect, it } from "vitest";
import type { CandidateVerdict, SuiteTest } from "../evaluation/judge-candidate.ts";
import type { Outcome } from "../judge/outcome.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import { codeA1Rules } from "../rewards/code-a1.ts";
import { type SuiteReward, suiteRewards } from "../rewards/suite-reward.ts";
import { exactComparison } from "../values/compare.ts";
import type { CandidateRollout, QuestionRollout, SuiteRollout } from "./rollout.ts";
import { bookUpdate, scoreOnGoldTests, scoreOnSuite, scoreQuestion } from "./score-question.ts";
import { codeLessons, testLessons } from "./teach.ts";

const problem: Problem = {
  id: "p",
  question: "?",
  style: "stdio",
  entryPoint: undefined,
  reference: "",
  goldTests: [],
  difficulty: undefined,
  comparison: exactComparison,
  metadata: {},
};
const rules = { ...codeA1Rules, testsPerSuite: 2 };
const test = (input: string): TestCase => ({ style: "stdio", input, expected: "" });
const completion = (text = "x") => ({
  text,
  tokenIds: [1],
  logprobs: [-1],
  promptTokenIds: [1],
  stopReason: "end" as const,
  role: "r",
  policyVersion: 0,
});
const passed: Outcome = { kind: "passed", actual: "" };
const failed: Outcome = { kind: "timed-out", limit: "cpu" };
const lost: Outcome = { kind: "infrastructure", message: "" };
const verdict = (outcomes: Outcome[], loads = true): CandidateVerdict => ({ loads, outcomes, denied: 0 });
const kept = (input: string, outcome: Outcome, answer: "right" | "wrong" = "right"): SuiteTest => ({
  judged: { kind: "kept", answer, result: outcome.kind === "passed" ? "passed" : "failed" },
  testCase: test(input),
  outcome,
});
const suite = (...tests: SuiteTest[]): SuiteRollout => ({
  completion: completion(),
  read: { cases: [], invalid: [] },
  verdict: { kind: "judged", tests },
});
const masked: SuiteRollout = { ...suite(), verdict: { kind: "masked", tests: [] } };
const candidate = (fields: Partial<CandidateRollout>): CandidateRollout => ({
  completion: completion(),
  source: "x = 1",
  history: undefined,
  verdict: verdict([]),
  suites: [],
  ...fields,
});
const question = (candidates: CandidateRollout[], replayed: TestCase[] = []): QuestionRollout => ({
  problem,
  replayed,
  candidates,
  opponents: [],
});

describe("scoreQuestion", () => {
  it("rewards a program for passing and a suite for breaking it", () => {
    const scores = scoreQuestion(
      question([
        candidate({
          suites: [suite(kept("a", passed), kept("b", failed)), suite(kept("a", passed), kept("c", passed))],
        }),
      ]),
      rules,
    );
    expect(scores.code).toEqual([0.75]);
    expect(scores.test[0]!.map((score) => score?.adversarial)).toEqual([0.5, 0]);
  });

  it("gives a program that does not load nothing, and its testers nothing either", () => {
    const scores = scoreQuestion(
      question([candidate({ verdict: verdict([], false), suites: [suite(kept("a", failed))] })]),
      rules,
    );
    expect(scores.code).toEqual([0]);
    expect(scores.test[0]![0]).toMatchObject({ reward: 0 });
  });

  it("masks what was lost to infrastructure instead of scoring it", () => {
    const scores = scoreQuestion(
      question([
        candidate({ suites: [masked, suite(kept("a", passed))] }),
        candidate({ suites: [masked] }),
        candidate({ suites: [masked], history: verdict([lost, passed]) }),
      ]),
      rules,
    );
    expect(scores.code).toEqual([1, undefined, 1]);
    expect(scores.test[0]).toEqual([undefined, expect.objectContaining({ validity: 0.5 })]);
  });

  it("scores the golden baseline on known outcomes only", () => {
    const scores = scoreOnGoldTests(
      question([
        candidate({ verdict: verdict([passed, failed, lost, passed]) }),
        candidate({ verdict: verdict([lost]) }),
        candidate({ verdict: verdict([failed], false) }),
      ]),
    );
    expect(scores.code).toEqual([2 / 3, undefined, 0]);
  });
});

describe("scoreOnSuite", () => {
  const unread: Outcome = { kind: "did-not-load", error: { type: "SyntaxError", message: "" } };
  const missing: Outcome = { kind: "did-not-load", error: { type: "ImportError", message: "" } };
  const scored = (reward: SuiteReward, ...verdicts: CandidateVerdict[]) =>
    scoreOnSuite(question(verdicts.map((given) => candidate({ verdict: given }))), reward).code;

  it.each([
    ["pass-rate", [0.5, 1, 0, 0]],
    ["all-pass", [0, 1, 0, 0]],
    ["weighted", [0.55, 1, 0, 0.1]],
  ] as const)("rewards by %s", (reward, expected) => {
    const verdicts = [
      verdict([passed, failed]),
      verdict([passed, passed]),
      verdict([unread, unread], false),
      verdict([missing, missing], false),
    ];
    expect(scored(reward, ...verdicts)).toEqual(expected);
  });

  it.each(suiteRewards)("gives nothing for no program (%s)", (reward) => {
    const silent = candidate({ source: " \n", verdict: verdict([failed, failed]) });
    expect(scoreOnSuite(question([silent]), reward).code).toEqual([0]);
  });

  it.each(suiteRewards)("masks the candidates of an empty suite (%s), which teaches nothing", (reward) => {
    const rollout = question([candidate({}), candidate({ verdict: verdict([], false) })]);
    const scores = scoreOnSuite(rollout, reward);
    expect(scores.code).toEqual([undefined, undefined]);
    const lessons = codeLessons([{ rollout, scores }], { trainedCandidates: 1, zeroVarianceGroups: "keep" });
    expect(lessons).toMatchObject({ groups: [[]], tooSmall: 1 });
  });

  it("leaves out what was lost, and does not call all passed where that is not known", () => {
    const verdicts = [verdict([passed, lost]), verdict([passed, failed, lost]), verdict([lost])];
    expect(scored("pass-rate", ...verdicts)).toEqual([1, 0.5, undefined]);
    expect(scored("all-pass", ...verdicts)).toEqual([undefined, 0, undefined]);
  });
});

describe("bookUpdate", () => {
  it("counts passes and failures of loading candidates only, every occurrence once", () => {
    const replayed = [test("old"), test("older")];
    const update = bookUpdate(
      question(
        [
          candidate({
            history: verdict([passed, failed]),
            suites: [suite(kept("a", failed)), suite(kept("a", failed), kept("b", passed))],
          }),
          candidate({
            history: verdict([passed, passed]),
            verdict: verdict([], false),
            suites: [suite(kept("z", failed))],
          }),
          candidate({ history: verdict([passed, lost]), suites: [masked] }),
        ],
        replayed,
      ),
      rules,
    );
    expect(update.replays.map(({ passes }) => passes)).toEqual([2, 0]);
    expect(update.failures).toEqual([test("a"), test("a")]);
  });

  it("takes corrected tests in, and leaves them out where they are dropped", () => {
    const rollout = question([candidate({ suites: [suite(kept("a", failed, "wrong"))] })]);
    expect(bookUpdate(rollout, rules).failures).toEqual([test("a")]);
    expect(bookUpdate(rollout, { ...rules, wrongAnswerTests: "drop" }).failures).toEqual([]);
  });
});

describe("lessons", () => {
  const teaching = { trainedCandidates: 1, zeroVarianceGroups: "skip" as const };
  const rollout = question([
    candidate({ suites: [suite(kept("a", passed)), suite(kept("b", passed))] }),
    candidate({ suites: [suite(kept("a", passed), kept("b", failed)), suite(kept("c", passed))] }),
  ]);
  const scored = [{ rollout, scores: scoreQuestion(rollout, rules) }];

  it("teach the tester on the candidate whose suites differ most", () => {
    const lessons = testLessons(scored, teaching);
    expect(lessons.groups[0]!.map(({ completion: taught }) => taught)).toEqual(
      rollout.candidates[1]!.suites.map(({ completion: taught }) => taught),
    );
    expect(lessons).toMatchObject({ total: 1, withoutVariance: 0, tooSmall: 0 });
  });

  it("count groups that say nothing and keep or skip them", () => {
    const same = question([
      candidate({ suites: [suite(kept("a", passed))] }),
      candidate({ suites: [suite(kept("a", passed))] }),
    ]);
    const scoredSame = [{ rollout: same, scores: scoreQuestion(same, rules) }];
    expect(codeLessons(scoredSame, teaching)).toMatchObject({ groups: [[]], withoutVariance: 1 });
    expect(codeLessons(scoredSame, { ...teaching, zeroVarianceGroups: "keep" }).groups[0]).toHaveLength(2);
    expect(testLessons(scoredSame, teaching)).toMatchObject({ groups: [[]], tooSmall: 1 });
  });
});
