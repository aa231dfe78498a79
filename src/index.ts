/**
 * The public API: the same objects that the command line uses.
 *
 * @example
 * const sandbox = await createSandbox();
 * const verdict = await judgeProgram({ sandbox, source, problem, cases: problem.goldTests, limits: defaultLimits });
 */

export type { Adversary, AdversaryRequest } from "./adversaries/adversary.ts";
export { findAdversary } from "./adversaries/find-adversary.ts";
export type * from "./engine/completion.ts";
export { openEmbeddedEngine } from "./engine/embedded/embedded-engine.ts";
export type * from "./engine/engine.ts";
export {
  type EndpointUsage,
  type OpenAIEngineOptions,
  openOpenAIEngine,
} from "./engine/openai/openai-engine.ts";
export { SparringError } from "./errors.ts";
export { evaluateAttack } from "./evaluation/attack/evaluate-attack.ts";
export { poolTests } from "./evaluation/best-of-n/pool-tests.ts";
export { generateSuite } from "./evaluation/generated-suite.ts";
export type { Court } from "./evaluation/judge-candidate.ts";
export { ModelShelf, type OpenedModel } from "./evaluation/open-model.ts";
export { scoreProgram } from "./evaluation/score-program.ts";
export { readSuites } from "./evaluation/suite-file.ts";
export { FileAnswerCache, MemoryAnswerCache } from "./judge/answer-cache.ts";
export { type JudgeRequest, judgeProgram, type Verdict } from "./judge/judge.ts";
export type { Outcome } from "./judge/outcome.ts";
export { type ReferenceAnswer, ReferenceAnswers } from "./judge/reference-answers.ts";
export { type VerdictReport, verdictReport } from "./judge/report.ts";
export { MistakeBook } from "./mistakes/mistake-book.ts";
export { chooseMutants } from "./mutants/choose-mutants.ts";
export { mutantsOf } from "./mutants/mutants-of.ts";
export { arenaProblems } from "./problems/arena/arena.ts";
export { arenaPairs } from "./problems/arena/attack-pairs.ts";
export type { AttackPair } from "./problems/attack-pair.ts";
export type { Problem, TestCase } from "./problems/problem.ts";
export { readPairs } from "./problems/read-pairs.ts";
export { readProblems, readTests } from "./problems/read-problem.ts";
export { splitByProblem } from "./problems/split-pairs.ts";
export { writePairs } from "./problems/write-pairs.ts";
export { extractCode } from "./prompts/extract-code.ts";
export { parseTests } from "./prompts/parse-tests.ts";
export * from "./rewards/atgen.ts";
export * from "./rewards/code-a1.ts";
export { createSandbox, type SandboxChoice } from "./sandbox/create-sandbox.ts";
export { defaultLimits, type Limits } from "./sandbox/limits.ts";
export { createRemoteSandbox } from "./sandbox/remote/remote-sandbox.ts";
export type { Sandbox, SandboxReport } from "./sandbox/sandbox.ts";
export { type TrainingConfig, trainingConfigSchema } from "./training/config.ts";
export { type TrainingOptions, type TrainingOutcome, train } from "./training/train.ts";
export type { TrainingEvent } from "./training/training-event.ts";
export { type Comparison, exactComparison, sameValue } from "./values/compare.ts";
export { literalText } from "./values/literal-text.ts";
export type { PythonValue } from "./values/python-value.ts";
