/**
 * How good the test policy is, on wrong programs of problems it was not trained on:
 *
 *   valid tests   share of the tests asked for that are tests with the right answer, repetitions not counted
 *   kill rate     share of suites in which at least one such test fails the wrong program
 *
 * Only the first K tests of a suite count, and tests with a wrong answer kill nothing: a tester that guesses cannot
 * look good here.
 */
import { collectSamples } from "../engine/collect-samples.ts";
import type { SamplingSettings } from "../engine/completion.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import type { Problem } from "../problems/problem.ts";
import type { Dialect } from "../prompts/dialect.ts";
import { enginePrompt, hasRoom } from "./engine-prompt.ts";
import { type Court, judgeSuites, type SuiteTest } from "./judge-candidate.ts";

/** A program that is known to be wrong. */
export interface Target {
  readonly problem: Problem;
  readonly source: string;
}

export interface TestEvaluation {
  readonly validTests: number;
  readonly killRate: number;
  readonly suites: readonly EvaluatedSuite[];
  readonly masked: number;
}

export interface EvaluatedSuite {
  readonly target: Target;
  readonly tests: readonly SuiteTest[];
  readonly valid: number;
  readonly kills: boolean;
}

export async function evaluateTests(options: {
  policy: FrozenPolicy;
  targets: readonly Target[];
  dialect: Dialect;
  court: Court;
  samples: number;
  testsPerSuite: number;
  view: "white-box" | "black-box";
  sampling: SamplingSettings;
}): Promise<TestEvaluation> {
  const { policy, dialect, court, testsPerSuite } = options;
  const promptFor = ({ problem, source }: Target) => {
    const shown = options.view === "white-box" ? { candidate: source } : {};
    return dialect.testPrompt(problem, { ...shown, tests: testsPerSuite });
  };
  // A model's own wrong program may be longer than the tester can be shown.
  const targets = options.targets.filter((target) => hasRoom(policy, promptFor(target)));
  const requests = targets.map((target, index) => ({
    prompt: enginePrompt(policy, promptFor(target)),
    samples: options.samples,
    key: `${target.problem.id}/${index}`,
  }));
  const completions = requests.length > 0 ? await collectSamples(policy, requests, options.sampling) : [];
  const evaluated = await Promise.all(
    targets.map(async (target, index) => {
      const read = completions[index]!.map(({ text }) => dialect.readSuite(target.problem, text));
      const { suites } = await judgeSuites(court, target.problem, target.source, read);
      return suites.map((suite) => ({ suite, target }));
    }),
  );
  const judged = evaluated.flat().filter(({ suite }) => suite.kind === "judged");
  const suites = judged.map(({ suite, target }) => evaluateSuite(target, suite.tests, testsPerSuite));
  const count = Math.max(1, suites.length);
  return {
    validTests: suites.reduce((sum, { valid }) => sum + valid / testsPerSuite, 0) / count,
    killRate: suites.filter(({ kills }) => kills).length / count,
    suites,
    masked: evaluated.flat().length - judged.length,
  };
}

function evaluateSuite(target: Target, tests: readonly SuiteTest[], testsPerSuite: number): EvaluatedSuite {
  const right = tests
    .filter(({ judged }) => judged.kind === "kept" && judged.answer === "right")
    .slice(0, testsPerSuite);
  return {
    target,
    tests,
    valid: right.length,
    kills: right.some(({ judged }) => judged.kind === "kept" && judged.result === "failed"),
  };
}
