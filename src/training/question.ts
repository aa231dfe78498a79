/**
 * One problem on its way through a step: candidates come in one by one, their old mistakes are replayed at once, and
 * when all are there the tester writes suites for them and for its other opponents.
 */
import type { Completion } from "../engine/completion.ts";
import { enginePrompt, hasRoom } from "../evaluation/engine-prompt.ts";
import { type CandidateVerdict, judgeGold, judgeOn, judgeSuites } from "../evaluation/judge-candidate.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import { playField, rightTests } from "./field.ts";
import type { Opponent } from "./opponents.ts";
import type {
  Assignment,
  CandidateRollout,
  OpponentRollout,
  QuestionRollout,
  RollOutSettings,
  TestedProgram,
  TesterSettings,
} from "./rollout.ts";

export class Question {
  readonly #assignment: Assignment;
  readonly #settings: RollOutSettings;
  readonly #completions: Completion[] = [];
  readonly #sources: string[] = [];
  readonly #histories: Promise<CandidateVerdict | undefined>[] = [];
  /** By program: samples repeat each other, and the same program on the same tests gets the same verdict. */
  readonly #replays = new Map<string, Promise<CandidateVerdict | undefined>>();
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
    const before = this.#replays.get(source);
    if (before) return before;
    const history =
      replayed.length > 0
        ? judgeOn(this.#settings.court, problem, source, replayed)
        : Promise.resolve(undefined);
    this.#replays.set(source, heardLater(history));
    return history;
  }

  async finish(): Promise<QuestionRollout> {
    const { tester } = this.#settings;
    if (!tester) return { ...this.#assignment, candidates: await this.#onGivenTests(), opponents: [] };
    const [candidates, known] = await Promise.all([this.#candidates(tester), this.#knownOpponents(tester)]);
    const opponents = [...known, ...(await this.#adversaries(tester, candidates))];
    if (this.#settings.field === "left-out") return { ...this.#assignment, candidates, opponents };
    const score = await playField(this.#settings.court, {
      problem: this.#assignment.problem,
      opponents: opponents.map(({ source }) => source),
      programs: [...candidates, ...opponents],
    });
    return { ...this.#assignment, candidates: candidates.map(score), opponents: opponents.map(score) };
  }

  async #candidates(tester: TesterSettings): Promise<CandidateRollout[]> {
    const tested = await this.#test(tester, this.#sources, { histories: this.#histories, series: "" });
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
    const distinct = new Map(
      candidates.flatMap(({ suites }) => suites.flatMap((suite) => [...rightTests(suite)])),
    );
    const tests = [...distinct.values()];
    return this.#oppose(tester, await opponents.adversaries(this.#assignment.problem, tests, signal));
  }

  async #oppose(tester: TesterSettings, opponents: readonly Opponent[]): Promise<OpponentRollout[]> {
    if (opponents.length === 0) return [];
    const { problem, replayed } = this.#assignment;
    const sources = opponents.map(({ source }) => source);
    const histories = sources.map((source) => this.#replay(problem, source, replayed));
    const tested = await this.#test(tester, sources, { histories, series: `${opponents[0]!.origin}/` });
    return tested.map((program, index) => ({ ...program, origin: opponents[index]!.origin }));
  }

  async #onGivenTests(): Promise<CandidateRollout[]> {
    const { problem } = this.#assignment;
    const { court, suiteOf, signal } = this.#settings;
    const suite = await suiteOf?.(problem, signal);
    const distinct = [...new Set(this.#sources)];
    const verdicts = new Map(
      distinct.map((source) => [
        source,
        heardLater(suite ? judgeOn(court, problem, source, suite) : judgeGold(court, problem, source)),
      ]),
    );
    return Promise.all(
      this.#sources.map(async (source, index) => ({
        completion: this.#completions[index]!,
        source,
        history: await this.#histories[index],
        verdict: await verdicts.get(source)!,
        suites: [],
      })),
    );
  }

  /** Suites for each program, and what came of them. */
  async #test(
    tester: TesterSettings,
    sources: readonly string[],
    { histories, series }: { histories: readonly Promise<CandidateVerdict | undefined>[]; series: string },
  ): Promise<TestedProgram[]> {
    const { problem } = this.#assignment;
    const { dialect, signal, stages } = this.#settings;
    const requests = sources.flatMap((source, index) => {
      const shown = tester.view === "white-box" ? { candidate: source } : {};
      const prompt = dialect.testPrompt(problem, { ...shown, tests: tester.testsPerSuite });
      // A program that the tester cannot be shown gets no suites.
      if (!hasRoom(tester.policy, prompt)) return [];
      const key = `${problem.id}/${series}${index}`;
      return [{ index, prompt: enginePrompt(tester.policy, prompt), samples: tester.suites, key }];
    });
    const completionsByProgram: Completion[][] = sources.map(() => []);
    const judge = (index: number) =>
      heardLater(this.#judge(sources[index]!, completionsByProgram[index]!, histories[index]!));
    const missing = sources.map(() => 0);
    for (const { index } of requests) missing[index] = tester.suites;
    const judged = missing.map((count, index) => (count === 0 ? judge(index) : undefined));
    if (requests.length === 0) return Promise.all(judged.map((program) => program!));
    stages.begin("test_sampling");
    for await (const sampled of tester.policy.sample(requests, tester.sampling, { signal })) {
      const { index } = requests[sampled.requestIndex]!;
      completionsByProgram[index]![sampled.sampleIndex] = sampled.completion;
      missing[index]! -= 1;
      if (missing[index] === 0) judged[index] = judge(index);
    }
    stages.end("test_sampling");
    return Promise.all(judged.map((program) => program!));
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

/** It is awaited in the end, unless the run is aborted before: then nobody is to hear of it. */
function heardLater<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}
