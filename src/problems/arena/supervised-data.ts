/**
 * Supervised examples for the warm start of both roles: endless seeded streams of (prompt, completion), made from
 * training tasks only. They are noisy on purpose, so that a model warmed up on them knows the language of the arena
 * and most of its meaning, and reinforcement learning has something left to do:
 *
 * - nearly half of the programs are wrong: each misconception that the question invites (misconceptions.ts) is given
 *   in to by a share (65 %), and a share (12 %) of the programs left carry one random planted bug;
 * - of the answers in suites, a share (15 %) are wrong, half of those as the shown candidate would have it;
 * - the inputs in suites are random and only now and then reveal the candidate's bug.
 */
import { selectTasks, statementOf } from "./arena.ts";
import { type Bug, bugsOf, chooseBug } from "./bugs.ts";
import {
  blackBoxTestPrompt,
  casesPerSuite,
  codePrompt,
  endMark,
  type Statement,
  testPrompt,
} from "./dialect.ts";
import { suiteText } from "./dialect-cases.ts";
import { answerKey, compileProgram } from "./evaluate.ts";
import type { ArenaCase } from "./gold-tests.ts";
import { type InputHabit, inputKey, randomInput } from "./inputs.ts";
import { misconceptions } from "./misconceptions.ts";
import type { ArenaInput, ArenaValue, Program } from "./program.ts";
import { below, choose, type Random, seededRandom } from "./random.ts";
import { type ArenaStyle, renderBody, renderProgram } from "./render-python.ts";
import type { ArenaTask, Difficulty } from "./tasks.ts";

export interface Example {
  readonly prompt: string;
  readonly completion: string;
}

export interface SupervisedOptions {
  readonly seed: number;
  readonly style?: ArenaStyle;
  readonly difficulties?: readonly Difficulty[];
  /** How often a misconception that the question invites is given in to. Default 0.65. */
  readonly misconceivedShare?: number;
  /** Share of otherwise right programs with one planted bug. Default 0.12. */
  readonly slipShare?: number;
}

export interface SuiteOptions extends SupervisedOptions {
  /** Default 0.15. */
  readonly wrongAnswerShare?: number;
  /** Default: as many as a suite has. */
  readonly cases?: number;
  /** What the inputs are like. Default: plain. */
  readonly habit?: InputHabit;
  /** What the tester sees: question and candidate, or the question alone. */
  readonly view?: "white-box" | "black-box";
}

/** Programs for questions. */
export function* codeExamples(options: SupervisedOptions): Generator<Example, never> {
  const source = new ProgramSource(options);
  for (;;) {
    const { problem, program } = source.next();
    yield { prompt: codePrompt(problem), completion: `${renderBody(program, source.style)}${endMark}` };
  }
}

/** Suites for questions and candidates. */
export function* suiteExamples(options: SuiteOptions): Generator<Example, never> {
  const source = new ProgramSource(options);
  const wrongAnswerShare = options.wrongAnswerShare ?? 0.15;
  for (;;) {
    const { task, problem, program } = source.next();
    const [right, candidate] = [compileProgram(task.program), compileProgram(program)];
    const inputs = distinctInputs(source.random, {
      count: options.cases ?? casesPerSuite,
      family: task.family,
      habit: options.habit ?? "plain",
    });
    const cases = inputs.map((input): ArenaCase => {
      const answer = right(input);
      if (answer.kind === "raised") throw new Error(`the reference of ${task.slug} raised`);
      if (source.random.next() >= wrongAnswerShare) return { input, expected: answer.value };
      const misled = candidate(input);
      const follow = misled.kind === "value" && answerKey(misled) !== answerKey(answer);
      const followed = follow && misled.value !== null && source.random.next() < 0.5;
      return { input, expected: followed ? misled.value : slightlyWrong(source.random, answer.value) };
    });
    const shown = renderProgram(program, source.style, task.family);
    const prompt = options.view === "black-box" ? blackBoxTestPrompt(problem) : testPrompt(problem, shown);
    yield { prompt, completion: suiteText(cases) };
  }
}

/** Draws a task and a program for it, right or wrong. */
class ProgramSource {
  readonly random: Random;
  readonly style: ArenaStyle;
  readonly #tasks: readonly ArenaTask[];
  readonly #misconceivedShare: number;
  readonly #slipShare: number;
  readonly #bugs = new Map<string, readonly Bug[]>();

  constructor(options: SupervisedOptions) {
    this.random = seededRandom(options.seed);
    this.style = options.style ?? "function";
    this.#misconceivedShare = options.misconceivedShare ?? 0.65;
    this.#slipShare = options.slipShare ?? 0.12;
    this.#tasks = selectTasks({
      split: "train",
      ...(options.difficulties && { difficulties: options.difficulties }),
    });
  }

  next(): { task: ArenaTask; problem: Statement; program: Program } {
    const task = choose(this.random, this.#tasks);
    return { task, problem: statementOf(task, this.style), program: this.#programFor(task) };
  }

  #programFor(task: ArenaTask): Program {
    let { program } = task;
    for (const misconception of misconceptions) {
      if (misconception.concerns(task) && this.random.next() < this.#misconceivedShare)
        program = misconception.apply(program);
    }
    const slips = program === task.program && this.random.next() < this.#slipShare;
    return slips ? this.#bugOf(task).program : program;
  }

  #bugOf(task: ArenaTask): Bug {
    const bugs = this.#bugs.get(task.slug) ?? bugsOf(task.program, task.family);
    this.#bugs.set(task.slug, bugs);
    return chooseBug(this.random, bugs);
  }
}

/** Distinct: a repeated case counts as invalid. */
function distinctInputs(
  random: Random,
  options: { count: number; family: ArenaTask["family"]; habit: InputHabit },
): ArenaInput[] {
  const inputs = new Map<string, ArenaInput>();
  while (inputs.size < options.count) {
    const input = randomInput(random, options);
    inputs.set(inputKey(input), input);
  }
  return [...inputs.values()];
}

/** An answer that is nearly right: a number off by a little or with the wrong sign, an item too few or wrong. */
function slightlyWrong(random: Random, answer: ArenaValue): ArenaValue {
  if (typeof answer === "number") {
    const wrong = choose(random, [answer + 1, answer - 1, -answer, answer + 2]);
    return wrong === answer ? answer + 1 : wrong;
  }
  if (typeof answer === "string") {
    const place = below(random, answer.length + 1);
    const shorter = answer.slice(0, place) + answer.slice(place + 1);
    return shorter === answer ? `${answer}a` : shorter;
  }
  if (answer === null || answer.length === 0) return [0];
  const place = below(random, answer.length);
  return random.next() < 0.5
    ? answer.filter((_, index) => index !== place)
    : answer.map((item, index) => (index === place ? slightlyWrong(random, item) : item));
}
