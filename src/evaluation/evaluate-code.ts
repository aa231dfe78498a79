/**
 * How good the code policy is: pass@1 on problems it was not trained on, judged by their gold tests alone. With
 * several samples per problem, pass@1 is the mean over problems of the share of samples that pass everything.
 */
import { collectSamples } from "../engine/collect-samples.ts";
import type { SamplingSettings } from "../engine/completion.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import type { Problem } from "../problems/problem.ts";
import type { Dialect } from "../prompts/dialect.ts";
import { enginePrompt } from "./engine-prompt.ts";
import { type Court, judgeGold } from "./judge-candidate.ts";

export interface CodeEvaluation {
  readonly passAt1: number;
  readonly problems: readonly EvaluatedProblem[];
  /** Samples lost to infrastructure; they count neither way. */
  readonly masked: number;
}

export interface EvaluatedProblem {
  readonly problem: Problem;
  readonly programs: readonly EvaluatedProgram[];
}

export interface EvaluatedProgram {
  readonly source: string;
  readonly result: "passed" | "failed" | "masked";
}

export async function evaluateCode(options: {
  policy: FrozenPolicy;
  problems: readonly Problem[];
  dialect: Dialect;
  court: Court;
  samples: number;
  sampling: SamplingSettings;
}): Promise<CodeEvaluation> {
  const { policy, problems, dialect, court } = options;
  const requests = problems.map((problem) => ({
    prompt: enginePrompt(policy, dialect.codePrompt(problem)),
    samples: options.samples,
    key: problem.id,
  }));
  const completions = await collectSamples(policy, requests, options.sampling);
  const evaluated = await Promise.all(
    problems.map(async (problem, index) => {
      const programs = completions[index]!.map(({ text }) => dialect.readProgram(problem, text));
      const results = await Promise.all(programs.map((source) => evaluateProgram(court, problem, source)));
      return { problem, programs: results };
    }),
  );
  const rates = evaluated.flatMap(({ programs }) => {
    const known = programs.filter(({ result }) => result !== "masked");
    return known.length > 0 ? [known.filter(({ result }) => result === "passed").length / known.length] : [];
  });
  return {
    passAt1: rates.length > 0 ? rates.reduce((sum, rate) => sum + rate, 0) / rates.length : 0,
    problems: evaluated,
    masked: evaluated.flatMap(({ programs }) => programs).filter(({ result }) => result === "masked").length,
  };
}

async function evaluateProgram(court: Court, problem: Problem, source: string): Promise<EvaluatedProgram> {
  const { outcomes } = await judgeGold(court, problem, source);
  if (outcomes.some(({ kind }) => kind === "infrastructure")) return { source, result: "masked" };
  // Where there is no test there is nothing to pass.
  const passed = outcomes.length > 0 && outcomes.every(({ kind }) => kind === "passed");
  return { source, result: passed ? "passed" : "failed" };
}
