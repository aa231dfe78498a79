/** Both roles measured on held-out problems, before, during and after a run. */

import { type CodeEvaluation, evaluateCode } from "../evaluation/evaluate-code.ts";
import { evaluateTests, type Target, type TestEvaluation } from "../evaluation/evaluate-tests.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import { describeTest } from "../problems/test-text.ts";
import { streamSeed } from "./batches.ts";
import type { TrainingConfig } from "./config.ts";
import type { ProblemSet } from "./problem-set.ts";
import type { Players } from "./train-step.ts";

export interface Measurement {
  readonly step: number;
  /** Undefined where there are no held-out problems. */
  readonly passAt1?: number;
  /** Undefined where there are no wrong programs to test against. */
  readonly validTests?: number;
  readonly killRate?: number;
  /** Only for ATGEN. */
  readonly attack?: AttackMeasurement;
  readonly programs: readonly {
    readonly problemId: string;
    readonly question: string;
    readonly source: string;
    readonly passed: boolean;
  }[];
  readonly kills: readonly {
    readonly problemId: string;
    readonly question: string;
    readonly program: string;
    readonly test: string;
    readonly actual: string;
  }[];
  /** Held-out programs that failed, for runs that know no wrong programs beforehand. */
  readonly wrongPrograms: readonly { readonly problemId: string; readonly source: string }[];
}

/** A rate is missing where our infrastructure lost all that it would be made of. */
export interface AttackRates {
  readonly ioAccuracy?: number;
  readonly attackRate?: number;
  readonly inputAttackRate?: number;
}

export interface AttackMeasurement extends AttackRates {
  /** On the third of the pairs that was hardest before training. */
  readonly hard: AttackRates;
  readonly hardPairs: readonly string[];
  readonly falseAlarmRate?: number;
}

export interface MeasureContext {
  readonly config: TrainingConfig;
  readonly players: Players;
  readonly problemSet: ProblemSet;
  readonly court: Court;
  readonly signal: AbortSignal;
}

/** The same seed every time: a difference between two measurements is a difference between models. */
export async function measure(
  context: MeasureContext,
  step: number,
  targets: readonly Target[],
): Promise<Measurement> {
  const { config, players, problemSet, court } = context;
  const { dialect, heldOut } = problemSet;
  const sampling = (role: string, maxTokens: number) => ({
    temperature: config.evaluation.temperature,
    topP: config.evaluation.topP,
    maxTokens,
    seed: streamSeed(config.seed, `evaluation/${role}`, 0),
    ...(dialect.stopStrings.length > 0 && { stopStrings: dialect.stopStrings }),
  });
  const { samples } = config.evaluation;
  const code =
    heldOut.length > 0
      ? await evaluateCode({
          policy: players.code,
          problems: heldOut,
          dialect,
          court,
          samples,
          sampling: sampling("code", config.sampling.codeTokens),
        })
      : undefined;
  const wrong = code ? wrongProgramsOf(code) : [];
  const opponents = targets.length > 0 ? targets : wrong;
  const tests =
    opponents.length > 0 && config.method.kind !== "golden"
      ? await evaluateTests({
          policy: players.test,
          targets: opponents,
          dialect,
          court,
          samples,
          testsPerSuite: config.method.testsPerSuite,
          view: config.method.kind === "self-play" ? "black-box" : "white-box",
          sampling: sampling("test", config.sampling.testTokens),
        })
      : undefined;
  return {
    step,
    ...(code && { passAt1: code.passAt1 }),
    ...(tests && { validTests: tests.validTests, killRate: tests.killRate }),
    programs: code ? programsOf(code) : [],
    kills: tests ? killsOf(tests) : [],
    wrongPrograms: wrong.map(({ problem, source }) => ({ problemId: problem.id, source })),
  };
}

function wrongProgramsOf(code: CodeEvaluation): Target[] {
  return code.problems.flatMap(({ problem, programs }) =>
    programs
      .filter(({ result }) => result === "failed")
      .slice(0, 1)
      .map(({ source }) => ({ problem, source })),
  );
}

function programsOf(code: CodeEvaluation): Measurement["programs"] {
  return code.problems.map(({ problem, programs }) => ({
    problemId: problem.id,
    question: problem.question,
    source: programs[0]!.source,
    passed: programs[0]!.result === "passed",
  }));
}

function killsOf(tests: TestEvaluation): Measurement["kills"] {
  return tests.suites.flatMap(({ target, tests: suiteTests }) => {
    const kill = suiteTests.find(
      ({ judged }) => judged.kind === "kept" && judged.answer === "right" && judged.result === "failed",
    );
    if (!kill?.testCase || !kill.outcome) return [];
    const { problem, source } = target;
    const test = describeTest(kill.testCase, problem.entryPoint);
    const actual = "actual" in kill.outcome ? kill.outcome.actual : kill.outcome.kind;
    return [{ problemId: problem.id, question: problem.question, program: source, test, actual }];
  });
}

export function measurementMetrics({
  passAt1,
  validTests,
  killRate,
  attack,
}: Measurement): Record<string, number> {
  const named = {
    "pass@1": passAt1,
    valid_tests: validTests,
    kill_rate: killRate,
    io_accuracy: attack?.ioAccuracy,
    attack_rate: attack?.attackRate,
    attack_rate_hard: attack?.hard.attackRate,
    input_attack_rate: attack?.inputAttackRate,
    false_alarm_rate: attack?.falseAlarmRate,
  };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) =>
      value === undefined ? [] : [[`eval/held-out/${name}`, value] as const],
    ),
  );
}
