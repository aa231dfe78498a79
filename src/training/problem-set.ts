/** The problems of a run: what it trains on, what it is measured on, and the language both are put in. */
import { SparringError } from "../errors.ts";
import type { Target } from "../evaluation/evaluate-tests.ts";
import { type ArenaOptions, arenaProblems } from "../problems/arena/arena.ts";
import { wrongPrograms } from "../problems/arena/wrong-programs.ts";
import type { Problem } from "../problems/problem.ts";
import { readProblems } from "../problems/read-problem.ts";
import { arenaDialect, chatDialect, type Dialect } from "../prompts/dialect.ts";
import type { TrainingConfig } from "./config.ts";

export interface ProblemSet {
  readonly training: readonly Problem[];
  readonly heldOut: readonly Problem[];
  /** Wrong programs for held-out problems; empty where none are known before the run. */
  readonly targets: readonly Target[];
  readonly dialect: Dialect;
}

export async function loadProblemSet(config: TrainingConfig): Promise<ProblemSet> {
  const { problems } = config;
  if (problems.source === "arena") return arenaSet(config);
  if (!problems.path) {
    throw new SparringError({
      code: "config-invalid",
      message: "problems.path is missing: `source: file` needs a file",
      hint: "Set problems.path to a json, jsonl or parquet file, or use `source: arena`.",
    });
  }
  const training = (await readProblems(problems.path)).slice(0, problems.limit);
  const heldOut = problems.heldOutPath ? await readProblems(problems.heldOutPath) : [];
  const shared = new Set(training.map(({ id }) => id));
  const leaked = heldOut.find(({ id }) => shared.has(id));
  if (leaked) {
    throw new SparringError({
      code: "config-invalid",
      message: `the problem '${leaked.id}' is in ${problems.path} and in ${problems.heldOutPath}`,
      hint: "Measure on problems that are not trained on: remove it from one of the files.",
    });
  }
  return {
    training,
    heldOut: heldOut.slice(0, config.evaluation.problems),
    targets: [],
    dialect: chatDialect,
  };
}

function arenaSet({ problems, evaluation }: TrainingConfig): ProblemSet {
  const difficulties = problems.difficulties && { difficulties: problems.difficulties };
  const training: ArenaOptions = {
    split: "train",
    ...difficulties,
    ...(problems.limit && { limit: problems.limit }),
  };
  const heldOut: ArenaOptions = { split: "held-out", ...difficulties, limit: evaluation.problems };
  return {
    training: arenaProblems(training),
    heldOut: arenaProblems(heldOut),
    targets: wrongPrograms(heldOut),
    dialect: arenaDialect,
  };
}
