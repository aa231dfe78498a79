/** The inside of a run: its steps and measurements, and the records they leave in the run folder. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Target } from "../evaluation/evaluate-tests.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import { AgreedAnswers } from "../judge/agreed-answers.ts";
import { FileAnswerCache } from "../judge/answer-cache.ts";
import { ReferenceAnswers } from "../judge/reference-answers.ts";
import type { AppendLog } from "../runs/append-log.ts";
import type { BookStore } from "../runs/book-store.ts";
import type { TensorBoardWriter } from "../runs/tensorboard.ts";
import { keptFiles } from "../runs/unstarted-run.ts";
import { writeWhole } from "../runs/write-whole.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { attackStep } from "./attack-step.ts";
import type { Companions } from "./companions.ts";
import type { TrainingConfig } from "./config.ts";
import { type Measurement, measure, measurementMetrics } from "./measure.ts";
import { measureAttack } from "./measure-attack.ts";
import type { Team } from "./open-players.ts";
import type { League } from "./opponents.ts";
import type { ProblemSet } from "./problem-set.ts";
import { runLimits } from "./run-limits.ts";
import type { Metrics } from "./step-metrics.ts";
import { supervisedStep } from "./supervised-step.ts";
import { type StepContext, type StepResult, trainStep } from "./train-step.ts";
import type { TrainingEvent } from "./training-event.ts";

export interface LoopParts {
  readonly problemSet: ProblemSet;
  readonly sandbox: Sandbox;
  readonly team: Team;
  readonly book: BookStore;
  readonly companions: Companions;
  readonly log: AppendLog;
  readonly board: TensorBoardWriter;
  readonly folder: string;
  readonly clock: () => number;
  readonly emit: (event: TrainingEvent) => void;
  readonly stop: AbortSignal;
}

export class RunLoop {
  readonly #config: TrainingConfig;
  readonly #parts: LoopParts;
  readonly #court: Court;
  readonly #league: League | undefined;

  constructor(config: TrainingConfig, parts: LoopParts) {
    this.#config = config;
    this.#parts = parts;
    const limits = runLimits(config);
    const cache = new FileAnswerCache(path.join(parts.folder, keptFiles.answers));
    const { sandbox } = parts;
    const references = new ReferenceAnswers({ sandbox, cache, limits });
    const answers = new AgreedAnswers(references, { witnesses: config.problems.witnesses });
    this.#court = { sandbox, limits, answers };
    this.#league = parts.companions.league?.league(config, { ...parts, court: this.#court });
  }

  get log(): AppendLog {
    return this.#parts.log;
  }

  get book(): BookStore {
    return this.#parts.book;
  }

  get companions(): Companions {
    return this.#parts.companions;
  }

  get trained(): Team["trained"] {
    return this.#parts.team.trained;
  }

  async step(step: number): Promise<void> {
    const { problemSet, team, book, clock, stop } = this.#parts;
    const context: StepContext = {
      config: this.#config,
      players: team.players,
      problems: problemSet.training,
      dialect: problemSet.dialect,
      court: this.#court,
      book: book.book,
      league: this.#league,
      suites: this.companions.suites,
      clock,
      signal: stop,
    };
    const result = await this.#takeStep(context, step);
    book.record(result.bookChanges);
    this.companions.adversaries?.record(result.poolChanges);
    this.companions.league?.record(result.pastPrograms);
    this.#recordRollouts(step + 1, result);
    this.#record(step + 1, result.metrics);
    this.#parts.emit({ kind: "stepped", step: step + 1, metrics: result.metrics });
    this.#warn(step + 1, result);
  }

  #warn(step: number, { adversaryFailure: reason, metrics }: StepResult): void {
    if (reason === undefined) return;
    this.#parts.emit({
      kind: "adversary-failed",
      step,
      failures: metrics["adversary/failures"] ?? 1,
      reason,
    });
  }

  #takeStep(context: StepContext, step: number): Promise<StepResult> {
    const { adversaries } = this.companions;
    if (adversaries) return attackStep({ ...context, ground: adversaries.ground }, step);
    return this.#config.method.kind === "sft" ? supervisedStep(context, step) : trainStep(context, step);
  }

  async measure(step: number): Promise<void> {
    const { problemSet, team, emit } = this.#parts;
    emit({ kind: "measuring", step });
    const { stop: signal } = this.#parts;
    const context = { config: this.#config, players: team.players, problemSet, court: this.#court, signal };
    const measurement = this.companions.adversaries
      ? await measureAttack(context, step, step === 0 ? undefined : this.measurementOf(0).attack?.hardPairs)
      : await measure(context, step, this.#targets(step));
    const file = this.#measurementFile(step);
    mkdirSync(path.dirname(file), { recursive: true });
    writeWhole(file, JSON.stringify(measurement, null, 1));
    this.#record(step, measurementMetrics(measurement));
    emit({ kind: "measured", measurement });
  }

  /** What was measured after this step; measured now where the run was stopped before it could be. */
  async measuredAt(step: number): Promise<Measurement> {
    if (!existsSync(this.#measurementFile(step))) await this.measure(step);
    return this.measurementOf(step);
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

  #recordRollouts(step: number, { records }: StepResult): void {
    const { rolloutsEvery } = this.#config;
    if (rolloutsEvery === 0 || step % rolloutsEvery !== 0) return;
    const folder = path.join(this.#parts.folder, "rollouts");
    mkdirSync(folder, { recursive: true });
    const lines = records().map((record) => `${JSON.stringify(record)}\n`);
    writeFileSync(path.join(folder, `step-${step}.jsonl`), lines.join(""));
  }
}
