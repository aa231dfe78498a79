/** `spar train`: two models against each other. Without a recipe it is the built-in demo. */

import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { SparringError } from "../errors.ts";
import { Checkpoints } from "../runs/checkpoints.ts";
import { RunLock } from "../runs/run-lock.ts";
import { isUnstarted, leaveUnstarted } from "../runs/unstarted-run.ts";
import type { TrainingConfig } from "../training/config.ts";
import { checkKeptConfig, configFile, keepConfig } from "../training/keep-config.ts";
import { loadConfig } from "../training/load-config.ts";
import { train } from "../training/train.ts";
import { adversarySearches } from "./adversary-warnings.ts";
import { dryRun } from "./dry-run.ts";
import { numberFromZero } from "./number-from-zero.ts";
import { printProgress, printResult } from "./output.ts";
import { recipeFile } from "./recipes.ts";
import { recordLimit } from "./shown-text.ts";
import { summary, TrainingView } from "./training-view.ts";

const defaultRuns = "runs";
const stopMilliseconds = 2_000;

interface TrainFlags {
  readonly steps?: number;
  readonly seed?: number;
  readonly name?: string;
  readonly runs: string;
  readonly resume?: true;
  readonly set?: string[];
  readonly dryRun?: true;
  readonly json?: true;
}

export function addTrainCommand(program: Command): void {
  program
    .command("train")
    .description("train two models against each other; without a recipe, the built-in demo")
    .argument("[recipe]", "a configuration file, or the name of a recipe")
    .option("--steps <n>", "training steps", recordLimit)
    .option("--seed <n>", "decides everything random", numberFromZero)
    .option("--name <name>", "name of the run")
    .option("--runs <folder>", "where runs are kept", defaultRuns)
    .option("--resume", "continue the run of this name where its last checkpoint left it")
    .option("--set <key=value>", "change one setting, for example method.alpha=0.25", collect)
    .option("--dry-run", "check configuration, problems and engine, print the arithmetic, do nothing")
    .option("--json", "print the result as one line of JSON, and nothing else, on standard output")
    .addHelpText(
      "after",
      "\nExamples:\n  $ spar train\n  $ spar train demo --steps 20 --name short\n  $ spar train --name short --resume --steps 40",
    )
    .action(trainCommand);
}

async function trainCommand(recipe: string | undefined, flags: TrainFlags): Promise<void> {
  const config = withFreeName(await configOf(recipe, flags), flags);
  const folder = path.join(flags.runs, config.name);
  if (flags.dryRun)
    return dryRun(config, { startFolder: path.join(folder, "start"), json: flags.json ?? false });
  checkFolder(folder, config, flags);
  const isNew = !existsSync(configFile(folder));
  mkdirSync(folder, { recursive: true });
  const lock = new RunLock(folder);
  try {
    keepConfig(folder, config);
    await runTraining(config, folder, flags);
  } catch (error) {
    // A mistake that was found before anything was learnt leaves the name free for the next attempt.
    if (isNew && isUnstarted(folder)) leaveUnstarted(folder);
    throw error;
  } finally {
    lock.release();
  }
}

async function configOf(recipe: string | undefined, flags: TrainFlags): Promise<TrainingConfig> {
  const own = flags.name && configFile(path.join(flags.runs, flags.name));
  const file =
    flags.resume && recipe === undefined && own && existsSync(own) ? own : recipeFile(recipe ?? "demo");
  const settings = [
    ...(flags.steps === undefined ? [] : [`steps=${flags.steps}`]),
    ...(flags.seed === undefined ? [] : [`seed=${flags.seed}`]),
    ...(flags.name === undefined ? [] : [`name=${flags.name}`]),
    ...(flags.set ?? []),
  ];
  return loadConfig(file, settings);
}

/** Without --name a second run gets a number, and --resume means the newest of them. */
function withFreeName(config: TrainingConfig, flags: TrainFlags): TrainingConfig {
  if (flags.name !== undefined) return config;
  const exists = (name: string) => existsSync(configFile(path.join(flags.runs, name)));
  const names = [config.name];
  while (exists(names.at(-1)!)) names.push(`${config.name}-${names.length + 1}`);
  const newest = names.at(-2) ?? config.name;
  return { ...config, name: flags.resume ? newest : names.at(-1)! };
}

/** A new run needs a free folder, a continued one needs its own, unchanged in what matters. */
function checkFolder(folder: string, config: TrainingConfig, flags: TrainFlags): void {
  const started = existsSync(configFile(folder));
  if (started && !flags.resume) {
    throw new SparringError({
      code: "run-exists",
      message: `${folder} already holds a run`,
      hint: `Continue it with ${resumption(config, flags)}, or choose another --name.`,
    });
  }
  if (!started && flags.resume) {
    throw new SparringError({
      code: "run-missing",
      message: `there is no run in ${folder} to continue`,
      hint: "Leave out --resume to start it, or check --name and --runs.",
    });
  }
  checkKeptConfig(folder, config);
  const taken = new Checkpoints(folder).steps().at(-1) ?? 0;
  if (taken > config.steps) {
    throw new SparringError({
      code: "run-longer",
      message: `${folder} has already taken ${taken} steps, and ${config.steps} are asked for`,
      hint: `Ask for ${taken} or more with --steps. \`spar export\` gives the models of an earlier checkpoint.`,
    });
  }
}

async function runTraining(config: TrainingConfig, folder: string, flags: TrainFlags): Promise<void> {
  const [finish, stop] = [new AbortController(), new AbortController()];
  const view = new TrainingView(config);
  let isUnderWay = false;
  let lastStep = 0;
  const onInterrupt = () => {
    view.end(); // what is drawn from now on comes below what is said here
    // While data and models are looked through there is no step to finish.
    if (finish.signal.aborted || !isUnderWay) {
      printProgress("stopping now; what was saved stays");
      stop.abort(new DOMException("interrupted", "AbortError"));
      // Some work cannot be called off; what was saved is whole at any moment, so nobody has to wait for it.
      setTimeout(() => process.exit(130), stopMilliseconds).unref();
    } else {
      const waiting = searchesAt(config, lastStep + 1) ? " (searching for harder programs)" : "";
      printProgress(`finishing this step and saving${waiting}; press Ctrl-C again to stop at once`);
      finish.abort();
    }
  };
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", onInterrupt);
  try {
    const outcome = await train({
      config,
      folder,
      onEvent: (event) => {
        isUnderWay ||= event.kind === "opened";
        if (event.kind === "opened") lastStep = event.firstStep;
        if (event.kind === "stepped") lastStep = event.step;
        view.show(event);
      },
      finish: finish.signal,
      stop: stop.signal,
    });
    view.end();
    // With --json, standard output is for the machine alone.
    if (outcome.after) (flags.json ? printProgress : printResult)(summary(outcome, folder));
    else printProgress(`saved after step ${outcome.steps}; continue with ${resumption(config, flags)}`);
    if (flags.json) printResult(JSON.stringify(jsonResult(outcome, folder)));
    if (!outcome.after) process.exitCode = 130;
  } finally {
    view.end();
    process.off("SIGINT", onInterrupt);
    process.off("SIGTERM", onInterrupt);
  }
}

/** Whether a step, counted from 1, may have to wait for an adversary. */
function searchesAt({ method, atgen }: TrainingConfig, step: number): boolean {
  return method.kind === "atgen" && atgen.mode !== "none" && step >= atgen.startStep;
}

function jsonResult({ before, after, steps }: Awaited<ReturnType<typeof train>>, folder: string) {
  const numbers = (measurement: typeof before | undefined) => ({
    "pass@1": measurement?.passAt1 ?? null,
    validTests: measurement?.validTests ?? null,
    killRate: measurement?.killRate ?? null,
    ...(measurement?.attack && {
      ioAccuracy: measurement.attack.ioAccuracy,
      attackRate: measurement.attack.attackRate,
      hardAttackRate: measurement.attack.hard.attackRate,
      inputAttackRate: measurement.attack.inputAttackRate,
      falseAlarmRate: measurement.attack.falseAlarmRate,
    }),
  });
  const searches = adversarySearches(folder);
  return {
    before: numbers(before),
    after: numbers(after),
    steps,
    ...(searches.all > 0 && { adversarySearches: searches }),
    finished: after !== undefined,
    run: folder,
  };
}

function resumption({ name }: TrainingConfig, { runs }: TrainFlags): string {
  return `--resume --name ${name}${runs === defaultRuns ? "" : ` --runs ${runs}`}`;
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
