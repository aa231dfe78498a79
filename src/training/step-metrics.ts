/** The numbers of a training step, by their stable names. docs/metrics.md says what each means and what a bad value is. */
import type { Completion } from "../engine/completion.ts";
import { outcomeKinds } from "../judge/outcome.ts";
import type { LearningReport } from "./learn.ts";
import { opponentOrigins } from "./opponents.ts";
import type { CandidateRollout, OpponentRollout, QuestionRollout, SuiteRollout } from "./rollout.ts";
import type { QuestionScores } from "./score-question.ts";
import type { Lessons } from "./teach.ts";

export type Metrics = Record<string, number>;

export interface StepFacts {
  readonly rollouts: readonly QuestionRollout[];
  readonly scores: readonly QuestionScores[];
  readonly lessons: { readonly code?: Lessons; readonly test?: Lessons };
  readonly learning: {
    readonly code?: LearningReport | undefined;
    readonly test?: LearningReport | undefined;
  };
  readonly book: { readonly size: number; readonly added: number; readonly removed: number };
}

export function stepMetrics(facts: StepFacts): Metrics {
  const candidates = facts.rollouts.flatMap((rollout) => rollout.candidates);
  const suites = candidates.flatMap((candidate) => candidate.suites);
  const codeRewards = facts.scores.flatMap((scores) => scores.code);
  const suiteScores = facts.scores.flatMap((scores) => scores.test.flat());
  const known = suiteScores.filter((score) => score !== undefined);
  const metrics: Metrics = {};
  const put = (name: string, value: number | undefined) => {
    if (value !== undefined && Number.isFinite(value)) metrics[name] = value;
  };
  put("code/reward/mean", mean(codeRewards));
  put("code/reward/std", deviation(codeRewards));
  put("code/masked", codeRewards.filter((reward) => reward === undefined).length);
  put("code/loads", mean(candidates.map(({ verdict }) => (verdict.loads ? 1 : 0))));
  put("code/pass_rate/new", passRate(suites));
  put("code/pass_rate/replayed", replayRate(candidates));
  putCompletions(
    put,
    "code",
    candidates.map(({ completion }) => completion),
  );
  if (suites.length > 0) {
    put("test/reward/mean", mean(known.map(({ reward }) => reward)));
    put("test/reward/std", deviation(known.map(({ reward }) => reward)));
    put("test/reward/validity", mean(known.map(({ validity }) => validity)));
    put("test/reward/adversarial", mean(known.map(({ adversarial }) => adversarial)));
    put("test/masked", suiteScores.length - known.length);
    put("test/tests_per_suite", mean(suites.map(({ verdict }) => verdict.tests.length)));
    put(
      "test/right_answers",
      shareOfTests(suites, ({ judged }) => judged.kind === "kept" && judged.answer === "right"),
    );
    put(
      "test/invalid",
      shareOfTests(suites, ({ judged }) => judged.kind === "invalid"),
    );
    put("test/attack_rate", mean(suites.map((suite) => (breaks(suite) ? 1 : 0))));
    putCompletions(
      put,
      "test",
      suites.map(({ completion }) => completion),
    );
  }
  putOpponents(
    put,
    facts.rollouts.flatMap(({ opponents }) => opponents),
  );
  for (const role of ["code", "test"] as const) {
    putLessons(put, role, facts.lessons[role]);
    putLearning(put, role, facts.learning[role]);
  }
  put("book/size", facts.book.size);
  put("book/added", facts.book.added);
  put("book/removed", facts.book.removed);
  putOutcomes(put, candidates);
  return metrics;
}

type Put = (name: string, value: number | undefined) => void;

export function putCompletions(put: Put, role: string, completions: readonly Completion[]): void {
  put(`${role}/completions/mean_length`, mean(completions.map(({ tokenIds }) => tokenIds.length)));
  put(
    `${role}/completions/truncated`,
    mean(completions.map(({ stopReason }) => (stopReason === "length" ? 1 : 0))),
  );
}

function putOpponents(put: Put, opponents: readonly OpponentRollout[]): void {
  if (opponents.length === 0) return;
  for (const origin of opponentOrigins)
    put(`opponents/${origin}`, opponents.filter((opponent) => opponent.origin === origin).length);
  const suites = opponents.flatMap((opponent) => opponent.suites);
  put("opponents/attack_rate", mean(suites.map((suite) => (breaks(suite) ? 1 : 0))));
}

export function putLessons(put: Put, role: string, lessons: Lessons | undefined): void {
  if (!lessons || lessons.total === 0) return;
  put(`${role}/groups/zero_variance`, lessons.withoutVariance / lessons.total);
  put(`${role}/groups/too_small`, lessons.tooSmall / lessons.total);
}

export function putLearning(put: Put, role: string, report: LearningReport | undefined): void {
  if (!report) return;
  put(`${role}/optim/gradient_norm`, report.gradientNorm);
  put(`${role}/optim/learning_rate`, report.learningRate);
  put(`${role}/tokens`, report.tokens);
  put(`${role}/entropy`, report.statistics.entropy);
  put(`${role}/kl`, report.statistics.referenceDivergence);
  put(`${role}/clip_fraction`, report.statistics.clippedFraction);
}

function putOutcomes(put: Put, candidates: readonly CandidateRollout[]): void {
  const counts = new Map<string, number>(outcomeKinds.map((kind) => [kind, 0]));
  for (const { verdict, history } of candidates) {
    for (const { kind } of [...verdict.outcomes, ...(history?.outcomes ?? [])])
      counts.set(kind, counts.get(kind)! + 1);
  }
  for (const [kind, count] of counts) put(`sandbox/${kind}`, count);
  put(
    "sandbox/denied",
    candidates.reduce((sum, { verdict }) => sum + verdict.denied, 0),
  );
}

function passRate(suites: readonly SuiteRollout[]): number | undefined {
  const kept = suites.flatMap(({ verdict }) =>
    verdict.tests.flatMap(({ judged }) => (judged.kind === "kept" ? [judged] : [])),
  );
  return mean(kept.map(({ result }) => (result === "passed" ? 1 : 0)));
}

function replayRate(candidates: readonly CandidateRollout[]): number | undefined {
  const known = candidates
    .flatMap(({ history }) => history?.outcomes ?? [])
    .filter(({ kind }) => kind !== "infrastructure");
  return mean(known.map(({ kind }) => (kind === "passed" ? 1 : 0)));
}

function shareOfTests(
  suites: readonly SuiteRollout[],
  wanted: (test: SuiteRollout["verdict"]["tests"][number]) => boolean,
): number | undefined {
  const tests = suites.flatMap(({ verdict }) => verdict.tests);
  return mean(tests.map((test) => (wanted(test) ? 1 : 0)));
}

/** A suite breaks its candidate when a test with a right answer fails. */
function breaks({ verdict }: SuiteRollout): boolean {
  return verdict.tests.some(
    ({ judged }) => judged.kind === "kept" && judged.answer === "right" && judged.result === "failed",
  );
}

export function mean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : undefined;
}

export function deviation(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  const center = mean(known);
  return center === undefined ? undefined : Math.sqrt(mean(known.map((value) => (value - center) ** 2)) ?? 0);
}
