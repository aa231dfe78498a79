/**
 * What the reference program answers. Each distinct call of a problem is asked once in the life of the cache, by two
 * runs in separate processes, the second in reverse order: an answer that depends on time, chance or on what was
 * asked before is no answer. A call on which the reference raises, hangs or disagrees with itself cannot make a valid
 * test.
 */
import type { Problem, TestCase } from "../problems/problem.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { Observation, ProgramJob, Sandbox } from "../sandbox/sandbox.ts";
import { exactComparison, sameValue } from "../values/compare.ts";
import { type Call, isLiteral, type PythonValue } from "../values/python-value.ts";
import { decodeWire, encodeWire, type Wire } from "../values/wire.ts";
import type { AnswerCache } from "./answer-cache.ts";
import { casesTogether, inBatches, isUnrun } from "./cases-together.ts";
import { limitsFor } from "./judge-problem.ts";
import { runConfirmed } from "./run-confirmed.ts";
import { sameOutput } from "./same-output.ts";

export type ReferenceAnswer =
  | { readonly kind: "value"; readonly value: PythonValue }
  | { readonly kind: "output"; readonly stdout: string }
  | { readonly kind: "none"; readonly reason: NoAnswerReason; readonly detail: string }
  | { readonly kind: "infrastructure"; readonly message: string };

export type NoAnswerReason =
  | "raised"
  | "timed-out"
  | "too-large"
  | "not-a-literal"
  | "undecided"
  | "did-not-load";

/** What is asked: the input half of a test case. */
export type Question = Call | string;

export function questionOf(testCase: TestCase): Question {
  return testCase.style === "function" ? testCase.call : testCase.input;
}

/** Whoever knows right answers. */
export interface AnswerSource {
  /** One answer for each question, in order. */
  answer(problem: Problem, questions: readonly Question[]): Promise<ReferenceAnswer[]>;
}

// Raised when the meaning of a stored answer changes.
const cacheVersion = 2;

/** What one candidate asks at the paper's setting (8 suites of 8): a job's limits hold for all its questions together. */
const questionsPerJob = 64;

interface Batch {
  readonly questions: Map<string, Question>;
  readonly answers: Promise<Map<string, ReferenceAnswer>>;
  /** The sandbox has its questions; no more can be added. */
  begun: boolean;
}

export class ReferenceAnswers implements AnswerSource {
  readonly #sandbox: Sandbox;
  readonly #cache: AnswerCache;
  readonly #limits: Limits;
  /** Questions being answered right now: candidates of one problem ask the same things at the same time. */
  readonly #underWay = new Map<string, Promise<ReferenceAnswer>>();
  /** By problem, as long as there is anything to ask. */
  readonly #lastBatch = new Map<string, Batch>();

  constructor(options: { sandbox: Sandbox; cache: AnswerCache; limits: Limits }) {
    this.#sandbox = options.sandbox;
    this.#cache = options.cache;
    this.#limits = options.limits;
  }

  async answer(problem: Problem, questions: readonly Question[]): Promise<ReferenceAnswer[]> {
    const problemKey = this.#problemKey(problem);
    const known = await this.#cache.load(problemKey);
    const keys = questions.map(questionKey);
    const stored = keys.map((key) => decodeAnswer(known.get(key)));
    const fresh = new Map<string, Question>();
    for (const [index, key] of keys.entries()) {
      if (!stored[index] && !this.#underWay.has(problemKey + key)) fresh.set(key, questions[index]!);
    }
    if (fresh.size > 0) this.#start(problem, problemKey, fresh);
    return Promise.all(keys.map((key, index) => stored[index] ?? this.#underWay.get(problemKey + key)!));
  }

  /**
   * One job at a time for each problem: what is asked meanwhile waits and goes together. The candidates of a problem
   * ask at about the same time, and a job costs much more than a question.
   */
  #start(problem: Problem, problemKey: string, fresh: ReadonlyMap<string, Question>): void {
    for (const [key, question] of fresh) {
      const batch = this.#batchFor(problem, problemKey);
      batch.questions.set(key, question);
      const answer = batch.answers
        .then((found) => found.get(key)!)
        .finally(() => this.#underWay.delete(problemKey + key));
      answer.catch(() => {}); // whoever asked hears of it; nobody may be listening any more
      this.#underWay.set(problemKey + key, answer);
    }
  }

  /** The last of the problem's batches that has not begun and has room, or a new one behind it. */
  #batchFor(problem: Problem, problemKey: string): Batch {
    const last = this.#lastBatch.get(problemKey);
    if (last && !last.begun && last.questions.size < questionsPerJob) return last;
    const questions = new Map<string, Question>();
    const answers = Promise.resolve(last?.answers)
      .catch(() => {}) // those who asked before have heard of it
      .then(() => {
        batch.begun = true;
        return this.#askAndStore(problem, problemKey, questions);
      })
      .finally(() => {
        if (this.#lastBatch.get(problemKey) === batch) this.#lastBatch.delete(problemKey);
      });
    const batch: Batch = { questions, answers, begun: false };
    answers.catch(() => {});
    this.#lastBatch.set(problemKey, batch);
    return batch;
  }

  async #askAndStore(
    problem: Problem,
    problemKey: string,
    questions: ReadonlyMap<string, Question>,
  ): Promise<Map<string, ReferenceAnswer>> {
    const found = await this.#ask(problem, [...questions.values()]);
    const answers = new Map([...questions.keys()].map((key, index) => [key, found[index]!]));
    const lasting = new Map<string, string>();
    for (const [key, answer] of answers) {
      if (answer.kind !== "infrastructure") lasting.set(key, encodeAnswer(answer));
    }
    if (lasting.size > 0) await this.#cache.store(problemKey, lasting);
    return answers;
  }

  /** Which questions happen to go together must not matter: those that others' time-outs left unrun are run again. */
  async #ask(problem: Problem, questions: readonly Question[]): Promise<ReferenceAnswer[]> {
    const observed = await this.#observe(problem, questions);
    const isOpen = (index: number) => observed[index]!.some(isUnrun);
    const open = questions.filter((_, index) => isOpen(index));
    const batches = inBatches(open, casesTogether(limitsFor(problem, this.#limits)));
    const again = (await Promise.all(batches.map((batch) => this.#observe(problem, batch)))).flat().values();
    return observed.map((both, index) => agree(isOpen(index) ? again.next().value! : both));
  }

  /** Of each question in both runs. */
  async #observe(problem: Problem, questions: readonly Question[]): Promise<[Observation, Observation][]> {
    const [forward, backward] = await Promise.all([
      runConfirmed(this.#sandbox, this.#job(problem, questions)),
      runConfirmed(this.#sandbox, this.#job(problem, [...questions].reverse())),
    ]);
    return questions.map((_, index) => [
      forward.observations[index]!,
      backward.observations[questions.length - 1 - index]!,
    ]);
  }

  #job(problem: Problem, questions: readonly Question[]): ProgramJob {
    const work =
      problem.style === "function"
        ? {
            style: "function" as const,
            entryPoint: problem.entryPoint ?? "",
            calls: questions as readonly Call[],
          }
        : { style: "stdio" as const, inputs: questions as readonly string[] };
    return { source: problem.reference, work, limits: limitsFor(problem, this.#limits) };
  }

  #problemKey(problem: Problem): string {
    const { kind, python } = this.#sandbox.describe();
    return JSON.stringify([
      cacheVersion,
      kind,
      python,
      problem.style,
      problem.entryPoint,
      problem.reference,
      limitsFor(problem, this.#limits),
    ]);
  }
}

function questionKey(question: Question): string {
  if (typeof question === "string") return question;
  const keywords = Object.entries(question.keywords).map(([name, value]) => [name, encodeWire(value)]);
  return JSON.stringify([question.args.map(encodeWire), keywords]);
}

function agree([first, second]: readonly [Observation, Observation]): ReferenceAnswer {
  for (const observation of [first, second]) {
    if (observation.kind === "infrastructure") return observation;
  }
  for (const observation of [first, second]) {
    const failure = failureOf(observation);
    if (failure) return failure;
  }
  if (first.kind === "returned" && second.kind === "returned") {
    if (!isLiteral(first.value))
      return none("not-a-literal", "the reference returns something that is not plain data");
    return sameValue(first.value, second.value, exactComparison)
      ? { kind: "value", value: first.value }
      : none("undecided", "two runs of the reference gave different values");
  }
  if (first.kind === "printed" && second.kind === "printed") {
    return sameOutput(first.stdout, second.stdout, exactComparison)
      ? { kind: "output", stdout: first.stdout }
      : none("undecided", "two runs of the reference printed different texts");
  }
  return none("undecided", "two runs of the reference did different things");
}

function failureOf(observation: Observation): ReferenceAnswer | undefined {
  switch (observation.kind) {
    case "raised":
      return none("raised", `${observation.error.type}: ${observation.error.message}`);
    case "did-not-load":
      return none("did-not-load", `${observation.error.type}: ${observation.error.message}`);
    case "timed-out":
      return none("timed-out", "the reference ran into its time limit");
    case "out-of-memory":
    case "output-flood":
      return none("too-large", `the reference ended with ${observation.kind}`);
    case "printed":
      return observation.exitCode === 0
        ? undefined
        : none("raised", `the reference ended with code ${observation.exitCode}`);
    default:
      return undefined;
  }
}

function none(reason: NoAnswerReason, detail: string): ReferenceAnswer {
  return { kind: "none", reason, detail };
}

function encodeAnswer(answer: ReferenceAnswer): string {
  return JSON.stringify(answer.kind === "value" ? { kind: "value", wire: encodeWire(answer.value) } : answer);
}

/** Undefined for a text that is missing or damaged: the question is then asked again. */
function decodeAnswer(text: string | undefined): ReferenceAnswer | undefined {
  if (text === undefined) return undefined;
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return undefined;
  }
  const answer = stored as Exclude<ReferenceAnswer, { kind: "value" }> | { kind: "value"; wire: Wire } | null;
  switch (answer?.kind) {
    case "value": {
      const value = decodeWire(answer.wire);
      return value && { kind: "value", value };
    }
    case "output":
    case "none":
      return answer;
    default:
      return undefined;
  }
}
