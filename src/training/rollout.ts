/** The values of a step's rollouts: what was written for a question, and what came of it. */
import type { Completion, SamplingSettings } from "../engine/completion.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import type { CandidateVerdict, Court, SuiteVerdict } from "../evaluation/judge-candidate.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import type { Dialect, ReadSuite } from "../prompts/dialect.ts";
import type { FieldScore } from "./field.ts";
import type { OpponentOrigin, OpponentSource } from "./opponents.ts";
import type { StageTimes } from "./stage-times.ts";

export interface QuestionRollout {
  readonly problem: Problem;
  /** Tests of the Mistake Book, the same for all candidates. */
  readonly replayed: readonly TestCase[];
  readonly candidates: readonly CandidateRollout[];
  /** Other programs that the tester was shown; only the tester learns from them. */
  readonly opponents: readonly OpponentRollout[];
}

export interface CandidateRollout extends TestedProgram {
  readonly completion: Completion;
}

export interface OpponentRollout extends TestedProgram {
  readonly origin: OpponentOrigin;
}

export interface TestedProgram {
  readonly source: string;
  /** On the replayed tests; undefined where there were none. */
  readonly history: CandidateVerdict | undefined;
  /** On its suites, or on the gold tests where there are no suites. */
  readonly verdict: CandidateVerdict;
  readonly suites: readonly SuiteRollout[];
}

export interface SuiteRollout {
  readonly completion: Completion;
  readonly read: ReadSuite;
  readonly verdict: SuiteVerdict;
  /** Against all opponents of the question, where that is what attacks are rewarded by. */
  readonly field?: FieldScore;
}

export interface RollOutSettings {
  readonly dialect: Dialect;
  readonly court: Court;
  readonly codePolicy: FrozenPolicy;
  readonly candidates: number;
  readonly codeSampling: SamplingSettings;
  /** Undefined: candidates are judged on tests that are there before them. */
  readonly tester: TesterSettings | undefined;
  /** Those tests; the gold tests where nothing else is given. */
  readonly suiteOf: ((problem: Problem, signal: AbortSignal) => Promise<readonly TestCase[]>) | undefined;
  /** The tester's opponents besides the candidates. */
  readonly opponents: OpponentSource | undefined;
  /** Whether every suite is also run on every opponent. */
  readonly field: "played" | "left-out";
  readonly signal: AbortSignal;
  readonly stages: StageTimes;
}

export interface TesterSettings {
  readonly policy: FrozenPolicy;
  readonly suites: number;
  readonly testsPerSuite: number;
  readonly sampling: SamplingSettings;
  readonly view: "white-box" | "black-box";
}

export interface Assignment {
  readonly problem: Problem;
  readonly replayed: readonly TestCase[];
}
