/**
 * A whole run: opens everything, measures, steps, saves, measures again. Killed at any moment and resumed, it ends
 * with the same metrics and the same weights as a run that was never interrupted: every random number is a function
 * of seed and step, and a checkpoint holds both policies, the book's position and the length of the log as one unit.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { EngineDescription } from "../engine/engine.ts";
import type { Target } from "../evaluation/evaluate-tests.ts";
import { FileAnswerCache } from "../judge/answer-cache.ts";
import { ReferenceAnswers } from "../judge/reference-answers.ts";
import { AppendLog } from "../runs/append-log.ts";
import { type BookPosition, BookStore } from "../runs/book-store.ts";
import { Checkpoints } from "../runs/checkpoints.ts";
import { TensorBoardWriter } from "../runs/tensorboard.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import type { Sandbox, SandboxDescription } from "../sandbox/sandbox.ts";
import type { TrainingConfig } from "./config.ts";
import { type Measurement, measure, measurementMetrics } from "./measure.ts";
import { openTeam, type Team } from "./open-players.ts";
import { loadProblemSet, type ProblemSet } from "./problem-set.ts";
import { rolloutRecord } from "./rollout-record.ts";
import type { Metrics } from "./step-metrics.ts";
import { supervisedStep } from "./supervised-step.ts";
import { type StepResult, trainStep } from "./train-step.ts";

export type TrainingEvent =
  | {
      readonly kind: "opened";
      readonly engine: EngineDescription;
      readonly sandbox: SandboxDescription;
      readonly problems: number;
      readonly heldOut: number;
      readonly firstStep: number;
    }
  | { readonly kind: "measuring"; readonly step: number }
  | { readonly kind: "measured"; readonly measurement: Measurement }
  | { readonly kind: "stepped"; readonly step: number; readonly metrics: Metrics }
  | { readonly kind: "saved"; readonly step: number };

export interface TrainingOptions {
  readonly config: TrainingConfig;
  /** An existing folder; with checkpoints in it the run continues from the newest one. */
  readonly folder: string;
  readonly onEvent?: (event: TrainingEvent) => void;
  /** Asks to save after the step under way and stop. */
  readonly finish?: AbortSignal;
  /** Stops at once; what was saved before stays. */
  readonly stop?: AbortSignal;
  /** Seconds since 1970. */
  readonly clock?: () => number;
}

export interface TrainingOutcome {
  readonly before: Measurement;
  /** Undefined when the run was asked to finish early. */
  readonly after: Measurement | undefined;
  readonly steps: number;
}

interface RunState {
  readonly metricsBytes: number;
  readonly book: BookPosition;
}

export async function train(options: TrainingOptions): Promise<TrainingOutcome> {
  const run = new TrainingRun(options);
  try {
    return await run.execute();
  } finally {
    await run.close();
  }
}

class TrainingRun {
  readonly #config: TrainingConfig;
  readonly #folder: string;
  readonly #options: TrainingOptions;
  readonly #checkpoints: Checkpoints<RunState>;
  readonly #clock: () => number;
  readonly #opened: (() => Promise<void> | void)[] = [];

  constructor(options: TrainingOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#folder = options.folder;
    this.#checkpoints = new Checkpoints(options.folder);
    this.#clock = options.clock ?? (() => Date.now() / 1000);
  }

  async execute(): Promise<TrainingOutcome> {
    const problemSet = await loadProblemSet(this.#config);
    const sandbox = await this.#openSandbox();
    const team = await this.#openTeam();
    const last = this.#checkpoints.latest();
    const book = this.#openBook(last?.state.book);
    const log = new AppendLog(path.join(this.#folder, "metrics.jsonl"), last?.state.metricsBytes ?? 0);
    const board = new TensorBoardWriter(path.join(this.#folder, "tensorboard"), this.#clock());
    this.#opened.push(
      () => log.close(),
      () => board.close(),
    );
    if (last) {
      for (const [name, policy] of team.trained) await policy.loadState(path.join(last.folder, name));
    } else {
      await this.#keepStart(team);
    }
    const firstStep = last?.step ?? 0;
    this.#emit({
      kind: "opened",
      engine: team.engine.describe(),
      sandbox: sandbox.describe(),
      problems: problemSet.training.length,
      heldOut: problemSet.heldOut.length,
      firstStep,
    });
    const loop = new Loop(this.#config, {
      problemSet,
      sandbox,
      team,
      book,
      log,
      board,
      folder: this.#folder,
      clock: this.#clock,
      emit: (event) => this.#emit(event),
      stop: this.#options.stop ?? new AbortController().signal,
    });
    return this.#steps(loop, firstStep);
  }

  async close(): Promise<void> {
    for (const close of this.#opened.reverse()) await close();
  }

  async #steps(loop: Loop, firstStep: number): Promise<TrainingOutcome> {
    const { steps, checkpointEvery, keepCheckpoints, evaluation } = this.#config;
    if (firstStep === 0) await loop.measure(0);
    const before = loop.measurementOf(0);
    if (firstStep === 0) await this.#save(loop, 0);
    for (let step = firstStep; step < steps; step += 1) {
      await loop.step(step);
      const done = step + 1;
      const isLast = done === steps;
      if (isLast || (evaluation.every > 0 && done % evaluation.every === 0)) await loop.measure(done);
      const finishing = this.#options.finish?.aborted ?? false;
      if (isLast || finishing || done % checkpointEvery === 0) {
        await this.#save(loop, done);
        await this.#checkpoints.prune(keepCheckpoints);
        loop.book.prune(this.#checkpoints.read(this.#checkpoints.steps()[0]!).state.book);
      }
      if (finishing && !isLast) return { before, after: undefined, steps: done };
    }
    return { before, after: loop.measurementOf(steps), steps };
  }

  async #save(loop: Loop, step: number): Promise<void> {
    loop.log.sync();
    const state: RunState = { metricsBytes: loop.log.bytes, book: loop.book.checkpoint() };
    await this.#checkpoints.write(step, state, async (folder) => {
      for (const [name, policy] of loop.trained) await policy.saveState(path.join(folder, name));
    });
    this.#emit({ kind: "saved", step });
  }

  async #openSandbox(): Promise<Sandbox> {
    const { kind, demand, workers } = this.#config.sandbox;
    const sandbox = await createSandbox({ kind, demand, ...(workers !== undefined && { workers }) });
    this.#opened.push(() => sandbox.close());
    return sandbox;
  }

  async #openTeam(): Promise<Team> {
    const team = await openTeam(this.#config, path.join(this.#folder, "start"));
    this.#opened.push(() => team.engine.close());
    return team;
  }

  #openBook(position: BookPosition | undefined): BookStore {
    const book = new BookStore({
      runFolder: this.#folder,
      mostPerProblem: this.#config.method.mostMistakesPerProblem,
      ...(position && { position }),
    });
    this.#opened.push(() => book.close());
    return book;
  }

  /** A copy of the start: the references open it again at a resume, whatever happened to the original. */
  async #keepStart(team: Team): Promise<void> {
    for (const [name, policy] of team.trained) {
      const target = path.join(this.#folder, "start", name);
      if (existsSync(target)) continue;
      const partial = `${target}.partial`;
      await policy.exportWeights(partial);
      renameSync(partial, target);
    }
  }

  #emit(event: TrainingEvent): void {
    this.#options.onEvent?.(event);
  }
}

interface LoopParts {
  readonly problemSet: ProblemSet;
  readonly sandbox: Sandbox;
  readonly team: Team;
  readonly book: BookStore;
  readonly log: AppendLog;
  readonly board: TensorBoardWriter;
  readonly folder: string;
  readonly clock: () => number;
  readonly emit: (event: TrainingEvent) => void;
  readonly stop: AbortSignal;
}

/** What happens inside the run: steps and measurements, and their records. */
class Loop {
  readonly #config: TrainingConfig;
  readonly #parts: LoopParts;
  readonly #court;

  constructor(config: TrainingConfig, parts: LoopParts) {
    this.#config = config;
    this.#parts = parts;
    const { caseCpuSeconds, programCpuSeconds, memoryMegabytes } = config.sandbox;
    const limits = {
      ...defaultLimits,
      caseCpuSeconds,
      programCpuSeconds,
      memoryBytes: memoryMegabytes * 1024 ** 2,
    };
    const cache = new FileAnswerCache(path.join(parts.folder, "answers"));
    const { sandbox } = parts;
    this.#court = { sandbox, limits, answers: new ReferenceAnswers({ sandbox, cache, limits }) };
  }

  get log(): AppendLog {
    return this.#parts.log;
  }

  get book(): BookStore {
    return this.#parts.book;
  }

  get trained(): Team["trained"] {
    return this.#parts.team.trained;
  }

  async step(step: number): Promise<void> {
    const { problemSet, team, book, clock, stop } = this.#parts;
    const takeStep = this.#config.method.kind === "sft" ? supervisedStep : trainStep;
    const result = await takeStep(
      {
        config: this.#config,
        players: team.players,
        problems: problemSet.training,
        dialect: problemSet.dialect,
        court: this.#court,
        book: book.book,
        clock,
        signal: stop,
      },
      step,
    );
    book.record(result.bookChanges);
    this.#recordRollouts(step + 1, result);
    this.#record(step + 1, result.metrics);
    this.#parts.emit({ kind: "stepped", step: step + 1, metrics: result.metrics });
  }

  async measure(step: number): Promise<void> {
    const { problemSet, team, emit } = this.#parts;
    emit({ kind: "measuring", step });
    const context = { config: this.#config, players: team.players, problemSet, court: this.#court };
    const measurement = await measure(context, step, this.#targets(step));
    const file = this.#measurementFile(step);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(`${file}.partial`, JSON.stringify(measurement, null, 1));
    renameSync(`${file}.partial`, file);
    this.#record(step, measurementMetrics(measurement));
    emit({ kind: "measured", measurement });
  }

  measurementOf(step: number): Measurement {
    return JSON.parse(readFileSync(this.#measurementFile(step), "utf8")) as Measurement;
  }

  /** Known wrong programs, or those that the untrained code model wrote: the same opponents all through the run. */
  #targets(step: number): Target[] {
    const { problemSet } = this.#parts;
    if (problemSet.targets.length > 0 || step === 0) return [...problemSet.targets];
    const { wrongPrograms } = this.measurementOf(0);
    const byId = new Map(problemSet.heldOut.map((problem) => [problem.id, problem]));
    return wrongPrograms.flatMap(({ problemId, source }) => {
      const problem = byId.get(problemId);
      return problem ? [{ problem, source }] : [];
    });
  }

  #measurementFile(step: number): string {
    return path.join(this.#parts.folder, "evaluations", `step-${step}.json`);
  }

  #record(step: number, metrics: Metrics): void {
    this.#parts.log.append({ step, ...metrics });
    this.#parts.board.scalars(step, this.#parts.clock(), metrics);
  }

  #recordRollouts(step: number, { rollouts, scores }: StepResult): void {
    const { rolloutsEvery } = this.#config;
    if (rolloutsEvery === 0 || step % rolloutsEvery !== 0) return;
    const folder = path.join(this.#parts.folder, "rollouts");
    mkdirSync(folder, { recursive: true });
    const lines = rollouts.map(
      (rollout, index) => `${JSON.stringify(rolloutRecord(rollout, scores[index]!))}\n`,
    );
    writeFileSync(path.join(folder, `step-${step}.jsonl`), lines.join(""));
  }
}
