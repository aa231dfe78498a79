/**
 * A whole run: opens everything, measures, steps, saves, measures again. Killed at any moment and resumed, it ends
 * with the same metrics and the same weights as a run that was never interrupted: every random number is a function
 * of seed and step, and a checkpoint holds both policies, the book's position and the length of the log as one unit.
 */
import { setMaxListeners } from "node:events";
import { existsSync, renameSync } from "node:fs";
import path from "node:path";
import type { EngineDescription } from "../engine/engine.ts";
import { packageVersion } from "../package-version.ts";
import { AppendLog, writeError } from "../runs/append-log.ts";
import { type BookPosition, BookStore } from "../runs/book-store.ts";
import { Checkpoints } from "../runs/checkpoints.ts";
import { TensorBoardWriter } from "../runs/tensorboard.ts";
import { writeWhole } from "../runs/write-whole.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import type { Sandbox, SandboxDescription } from "../sandbox/sandbox.ts";
import {
  type Companions,
  checkpointCompanions,
  closeCompanions,
  type JournalPositions,
  openCompanions,
} from "./companions.ts";
import type { TrainingConfig } from "./config.ts";
import { keepSources } from "./keep-sources.ts";
import type { Measurement } from "./measure.ts";
import { openTeam, type Team } from "./open-players.ts";
import { loadProblemSet, type ProblemSet, trainingItems } from "./problem-set.ts";
import { runLimits } from "./run-limits.ts";
import { RunLoop } from "./run-loop.ts";
import type { TrainingEvent } from "./training-event.ts";
import { usableProblems } from "./usable-problems.ts";

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
  readonly journals: JournalPositions;
}

export async function train(options: TrainingOptions): Promise<TrainingOutcome> {
  const run = new TrainingRun(options);
  try {
    return await run.execute();
  } catch (error) {
    throw writeError(options.folder, error);
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
  readonly #stop: AbortSignal;
  readonly #opened: (() => Promise<void> | void)[] = [];

  constructor(options: TrainingOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#folder = options.folder;
    this.#checkpoints = new Checkpoints(options.folder);
    this.#clock = options.clock ?? (() => Date.now() / 1000);
    this.#stop = options.stop ?? new AbortController().signal;
    setMaxListeners(0, this.#stop); // everything that samples or judges listens to it
  }

  async execute(): Promise<TrainingOutcome> {
    const loaded = await loadProblemSet(this.#config);
    await keepSources(this.#folder, this.#config);
    const sandbox = await this.#openSandbox();
    const team = await this.#openTeam();
    const problemSet = await this.#usableProblems(loaded, sandbox, team);
    const last = this.#checkpoints.latest();
    const book = this.#openBook(last?.state.book);
    const companions = await this.#openCompanions(problemSet, team, last?.state.journals ?? {});
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
    this.#writeManifest(team.engine.describe(), sandbox.describe());
    const firstStep = last?.step ?? 0;
    this.#emit({
      kind: "opened",
      engine: team.engine.describe(),
      sandbox: sandbox.describe(),
      problems: trainingItems(problemSet),
      heldOut: problemSet.pairs.heldOut.length || problemSet.heldOut.length,
      firstStep,
    });
    const loop = new RunLoop(this.#config, {
      problemSet,
      sandbox,
      team,
      book,
      companions,
      log,
      board,
      folder: this.#folder,
      clock: this.#clock,
      emit: (event) => this.#emit(event),
      stop: this.#stop,
    });
    return this.#steps(loop, last?.step);
  }

  async close(): Promise<void> {
    for (const close of this.#opened.reverse()) await close();
  }

  /** `saved` is the step of the checkpoint that the run continues from; undefined for a new one. */
  async #steps(loop: RunLoop, saved: number | undefined): Promise<TrainingOutcome> {
    const { steps, checkpointEvery, keepCheckpoints, evaluation } = this.#config;
    if (saved === undefined) {
      await loop.measure(0);
      await this.#save(loop, 0);
    }
    const before = loop.measurementOf(0);
    for (let step = saved ?? 0; step < steps; step += 1) {
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
    return { before, after: await loop.measuredAt(steps), steps };
  }

  async #save(loop: RunLoop, step: number): Promise<void> {
    loop.log.sync();
    const state: RunState = {
      metricsBytes: loop.log.bytes,
      book: loop.book.checkpoint(),
      journals: checkpointCompanions(loop.companions),
    };
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

  async #usableProblems(loaded: ProblemSet, sandbox: Sandbox, team: Team): Promise<ProblemSet> {
    const { problemSet, leftOut } = await usableProblems(loaded, {
      config: this.#config,
      players: team.players,
      sandbox,
      limits: runLimits(this.#config),
      folder: this.#folder,
      signal: this.#stop,
      clock: this.#clock,
      onProgress: (progress) => this.#emit({ kind: "checking", ...progress }),
    });
    if (leftOut.length > 0) this.#emit({ kind: "left-out", leftOut });
    return problemSet;
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

  async #openCompanions(
    problemSet: ProblemSet,
    team: Team,
    positions: JournalPositions,
  ): Promise<Companions> {
    const companions = await openCompanions(this.#config, {
      folder: this.#folder,
      problemSet,
      team,
      positions,
      onAdversaryDown: (reason) =>
        this.#emit({ kind: "adversary-failed", step: undefined, failures: 0, reason }),
      onPartialBank: (coverage) => this.#emit({ kind: "partial-bank", ...coverage }),
      signal: this.#stop,
    });
    this.#opened.push(() => closeCompanions(companions));
    return companions;
  }

  /** What this run was made with: versions, seed, engine, isolation. */
  #writeManifest(engine: EngineDescription, sandbox: SandboxDescription): void {
    const manifest = {
      sparring: packageVersion,
      node: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
      seed: this.#config.seed,
      engine,
      sandbox,
    };
    writeWhole(path.join(this.#folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
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
