/**
 * One step's rollouts: problems → candidates → suites → verdicts, as a stream. A candidate's old mistakes are replayed
 * the moment it exists; the suites of a question are asked for when its candidates are there; a candidate is judged
 * when its last suite has been read. Nothing waits for the whole batch.
 *
 * Results are placed by index, so that the order in which things happen to finish changes nothing.
 */
import type { Completion, SamplingSettings } from "../engine/completion.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import { enginePrompt } from "../evaluation/engine-prompt.ts";
import {
  type CandidateVerdict,
  type Court,
  judgeGold,
  judgeOn,
  judgeSuites,
  type SuiteVerdict,
} from "../evaluation/judge-candidate.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import type { Dialect, ReadSuite } from "../prompts/dialect.ts";
import type { Opponent, OpponentOrigin, OpponentSource } from "./opponents.ts";

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
}

export interface RollOutSettings {
  readonly dialect: Dialect;
  readonly court: Court;
  readonly codePolicy: FrozenPolicy;
  readonly candidates: number;
  readonly codeSampling: SamplingSettings;
  /** Undefined: candidates are judged on the gold tests. */
  readonly tester: TesterSettings | undefined;
  /** The tester's opponents besides the candidates. */
  readonly opponents: OpponentSource | undefined;
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

/** From the first to the last moment of each stage; they overlap, so their sum may exceed the step. */
export class StageTimes {
  readonly #clock: () => number;
  readonly #spans = new Map<string, { first: number; last: number }>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  begin(stage: string): void {
    const now = this.#clock();
    if (!this.#spans.has(stage)) this.#spans.set(stage, { first: now, last: now });
  }

  end(stage: string): void {
    this.begin(stage);
    this.#spans.get(stage)!.last = this.#clock();
  }

  seconds(): Record<string, number> {
    return Object.fromEntries(
      [...this.#spans].map(([stage, { first, last }]) => [`time/${stage}`, last - first]),
    );
  }
}

export interface Assignment {
  readonly problem: Problem;
  readonly replayed: readonly TestCase[];
}

export async function rollOut(
  assignments: readonly Assignment[],
  settings: RollOutSettings,
): Promise<QuestionRollout[]> {
  const { codePolicy, dialect, candidates, signal } = settings;
  const requests = assignments.map(({ problem }) => ({
    prompt: enginePrompt(codePolicy, dialect.codePrompt(problem)),
    samples: candidates,
    key: problem.id,
  }));
  const questions = assignments.map((assignment) => new Question(assignment, settings));
  const finished: Promise<QuestionRollout>[] = [];
  settings.stages.begin("code_sampling");
  try {
    for await (const sampled of codePolicy.sample(requests, settings.codeSampling, { signal })) {
      const question = questions[sampled.requestIndex]!;
      question.add(sampled.sampleIndex, sampled.completion);
      if (question.complete) finished[sampled.requestIndex] = question.finish();
    }
    settings.stages.end("code_sampling");
  } catch (error) {
    // Whatever is under way ends with the same signal; nobody is waiting for it any more.
    for (const promise of finished) promise?.catch(() => {});
    throw error;
  }
  return Promise.all(finished);
}

/** One problem on its way through a step. */
class Question {
  readonly #assignment: Assignment;
  readonly #settings: RollOutSettings;
  readonly #completions: Completion[] = [];
  readonly #sources: string[] = [];
  readonly #histories: Promise<CandidateVerdict | undefined>[] = [];
  #count = 0;

  constructor(assignment: Assignment, settings: RollOutSettings) {
    this.#assignment = assignment;
    this.#settings = settings;
  }

  get complete(): boolean {
    return this.#count === this.#settings.candidates;
  }

  add(index: number, completion: Completion): void {
    const { problem, replayed } = this.#assignment;
    const source = this.#settings.dialect.readProgram(problem, completion.text);
    this.#completions[index] = completion;
    this.#sources[index] = source;
    this.#histories[index] = this.#replay(problem, source, replayed);
    this.#count += 1;
  }

  #replay(
    problem: Problem,
    source: string,
    replayed: readonly TestCase[],
  ): Promise<CandidateVerdict | undefined> {
    const history =
      replayed.length > 0
        ? judgeOn(this.#settings.court, problem, source, replayed)
        : Promise.resolve(undefined);
    history.catch(() => {}); // it is awaited with the suites, which may never come when the run is aborted
    return history;
  }

  async finish(): Promise<QuestionRollout> {
    const { tester } = this.#settings;
    if (!tester) return { ...this.#assignment, candidates: await this.#withGoldTests(), opponents: [] };
    const [candidates, known] = await Promise.all([this.#candidates(tester), this.#knownOpponents(tester)]);
    const adversaries = await this.#adversaries(tester, candidates);
    return { ...this.#assignment, candidates, opponents: [...known, ...adversaries] };
  }

  async #candidates(tester: TesterSettings): Promise<CandidateRollout[]> {
    const tested = await this.#test(tester, this.#sources, { histories: this.#histories, key: "" });
    return tested.map((program, index) => ({ ...program, completion: this.#completions[index]! }));
  }

  async #knownOpponents(tester: TesterSettings): Promise<OpponentRollout[]> {
    const { opponents, signal } = this.#settings;
    return this.#oppose(tester, (await opponents?.known(this.#assignment.problem, signal)) ?? []);
  }

  /** Programs that survive what the tester has just written. */
  async #adversaries(
    tester: TesterSettings,
    candidates: readonly CandidateRollout[],
  ): Promise<OpponentRollout[]> {
    const { opponents, signal } = this.#settings;
    if (!opponents) return [];
    const tests = candidates.flatMap(({ suites }) =>
      suites.flatMap(({ verdict }) =>
        verdict.tests.flatMap(({ judged, testCase }) =>
          judged.kind === "kept" && judged.answer === "right" && testCase ? [testCase] : [],
        ),
      ),
    );
    return this.#oppose(tester, await opponents.adversaries(this.#assignment.problem, tests, signal));
  }

  async #oppose(tester: TesterSettings, opponents: readonly Opponent[]): Promise<OpponentRollout[]> {
    if (opponents.length === 0) return [];
    const { problem, replayed } = this.#assignment;
    const sources = opponents.map(({ source }) => source);
    const histories = sources.map((source) => this.#replay(problem, source, replayed));
    const tested = await this.#test(tester, sources, { histories, key: `${opponents[0]!.origin}/` });
    return tested.map((program, index) => ({ ...program, origin: opponents[index]!.origin }));
  }

  async #withGoldTests(): Promise<CandidateRollout[]> {
    const { problem } = this.#assignment;
    return Promise.all(
      this.#sources.map(async (source, index) => ({
        completion: this.#completions[index]!,
        source,
        history: await this.#histories[index],
        verdict: await judgeGold(this.#settings.court, problem, source),
        suites: [],
      })),
    );
  }

  /** Suites for each program, and what came of them. */
  async #test(
    tester: TesterSettings,
    sources: readonly string[],
    { histories, key }: { histories: readonly Promise<CandidateVerdict | undefined>[]; key: string },
  ): Promise<TestedProgram[]> {
    const { problem } = this.#assignment;
    const { dialect, signal, stages } = this.#settings;
    const requests = sources.map((source, index) => {
      const shown = tester.view === "white-box" ? { candidate: source } : {};
      const prompt = dialect.testPrompt(problem, { ...shown, tests: tester.testsPerSuite });
      return {
        prompt: enginePrompt(tester.policy, prompt),
        samples: tester.suites,
        key: `${problem.id}/${key}${index}`,
      };
    });
    const completionsByProgram: Completion[][] = sources.map(() => []);
    const judged: Promise<TestedProgram>[] = [];
    const missing = sources.map(() => tester.suites);
    stages.begin("test_sampling");
    for await (const sampled of tester.policy.sample(requests, tester.sampling, { signal })) {
      const index = sampled.requestIndex;
      const completions = completionsByProgram[index]!;
      completions[sampled.sampleIndex] = sampled.completion;
      missing[index]! -= 1;
      if (missing[index] === 0) judged[index] = this.#judge(sources[index]!, completions, histories[index]!);
    }
    stages.end("test_sampling");
    return Promise.all(judged);
  }

  async #judge(
    source: string,
    completions: readonly Completion[],
    history: Promise<CandidateVerdict | undefined>,
  ): Promise<TestedProgram> {
    const { problem } = this.#assignment;
    const read = completions.map(({ text }) => this.#settings.dialect.readSuite(problem, text));
    this.#settings.stages.begin("judging");
    const { verdict, suites } = await judgeSuites(this.#settings.court, problem, source, read);
    this.#settings.stages.end("judging");
    return {
      source,
      history: await history,
      verdict,
      suites: suites.map((suiteVerdict, position) => ({
        completion: completions[position]!,
        read: read[position]!,
        verdict: suiteVerdict,
      })),
    };
  }
}
