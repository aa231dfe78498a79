/** The problems of a run: what it trains on, what it is measured on, and the language both are put in. */
import { SparringError } from "../errors.ts";
import type { Target } from "../evaluation/evaluate-tests.ts";
import { type ArenaOptions, arenaProblems } from "../problems/arena/arena.ts";
import { arenaPairs } from "../problems/arena/attack-pairs.ts";
import { wrongPrograms } from "../problems/arena/wrong-programs.ts";
import type { AttackPair } from "../problems/attack-pair.ts";
import type { Problem } from "../problems/problem.ts";
import { readPairs } from "../problems/read-pairs.ts";
import { readProblems } from "../problems/read-problem.ts";
import { arenaDialect, chatDialect, type Dialect } from "../prompts/dialect.ts";
import type { TrainingConfig } from "./config.ts";

export interface ProblemSet {
  readonly training: readonly Problem[];
  readonly heldOut: readonly Problem[];
  /** Wrong programs for held-out problems; empty where none are known before the run. */
  readonly targets: readonly Target[];
  readonly dialect: Dialect;
  /** Only for ATGEN, whose training and evaluation is on pairs. */
  readonly pairs: { readonly training: readonly AttackPair[]; readonly heldOut: readonly AttackPair[] };
}

const noPairs: ProblemSet["pairs"] = { training: [], heldOut: [] };

/** What a step draws from: pairs for ATGEN, problems for the others. */
export function trainingItems({ training, pairs }: ProblemSet): number {
  return pairs.training.length || training.length;
}

export async function loadProblemSet(config: TrainingConfig): Promise<ProblemSet> {
  const { problems } = config;
  if (problems.source === "arena")
    return config.method.kind === "atgen" ? arenaPairSet(config) : arenaSet(config);
  if (!problems.path) {
    throw new SparringError({
      code: "config-invalid",
      message: "problems.path is missing: `source: file` needs a file",
      hint: "Set problems.path to a json, jsonl or parquet file, or use `source: arena`.",
    });
  }
  if (config.method.kind === "atgen") return filePairSet(config, problems.path);
  const training = (await readProblems(problems.path)).slice(0, problems.limit);
  const heldOut = problems.heldOutPath ? await readProblems(problems.heldOutPath) : [];
  refuseLeaks(config, training, heldOut);
  return {
    training,
    heldOut: heldOut.slice(0, config.evaluation.problems),
    targets: [],
    dialect: dialectFor(config, [...training, ...heldOut]),
    pairs: noPairs,
  };
}

async function filePairSet(config: TrainingConfig, path: string): Promise<ProblemSet> {
  const { problems, evaluation } = config;
  const training = (await readPairs(path)).slice(0, problems.limit);
  const heldOut = problems.heldOutPath ? await readPairs(problems.heldOutPath) : [];
  const [trained, measured] = [problemsOf(training), problemsOf(heldOut)];
  refuseLeaks(config, trained, measured);
  return {
    training: trained,
    heldOut: measured,
    targets: [],
    dialect: dialectFor(config, [...trained, ...measured]),
    pairs: { training, heldOut: heldOut.slice(0, evaluation.problems) },
  };
}

/** Tiny models speak only the arena's shorthand, in which its problems can be put wherever they were read from. */
function dialectFor({ engine }: TrainingConfig, problems: readonly Problem[]): Dialect {
  const isArena = problems.every(({ metadata }) => metadata.source === "arena");
  return engine.kind === "embedded" && isArena ? arenaDialect : chatDialect;
}

function refuseLeaks(
  { problems }: TrainingConfig,
  training: readonly Problem[],
  heldOut: readonly Problem[],
): void {
  const shared = new Set(training.map(({ id }) => id));
  const leaked = heldOut.find(({ id }) => shared.has(id));
  if (!leaked) return;
  throw new SparringError({
    code: "config-invalid",
    message: `the problem '${leaked.id}' is in ${problems.path} and in ${problems.heldOutPath}`,
    hint: "Measure on problems that are not trained on: remove it from one of the files.",
  });
}

function problemsOf(pairs: readonly AttackPair[]): Problem[] {
  return [...new Map(pairs.map(({ problem }) => [problem.id, problem])).values()];
}

function arenaSides({ problems, evaluation }: TrainingConfig): {
  training: ArenaOptions;
  heldOut: ArenaOptions;
} {
  const difficulties = problems.difficulties && { difficulties: problems.difficulties };
  return {
    training: { split: "train", ...difficulties, ...(problems.limit && { limit: problems.limit }) },
    heldOut: { split: "held-out", ...difficulties, limit: evaluation.problems },
  };
}

function arenaPairSet(config: TrainingConfig): ProblemSet {
  const sides = arenaSides(config);
  const perProblem = config.atgen.pairsPerProblem;
  const training = arenaPairs({ ...sides.training, perProblem });
  const heldOut = arenaPairs({ ...sides.heldOut, perProblem });
  return {
    training: problemsOf(training),
    heldOut: problemsOf(heldOut),
    targets: [],
    dialect: arenaDialect,
    pairs: { training, heldOut },
  };
}

function arenaSet(config: TrainingConfig): ProblemSet {
  const { training, heldOut } = arenaSides(config);
  return {
    training: arenaProblems(training),
    heldOut: arenaProblems(heldOut),
    targets: wrongPrograms(heldOut),
    dialect: arenaDialect,
    pairs: noPairs,
  };
}
