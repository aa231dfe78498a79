/** Opens the models of a run in their roles, and refuses a run that the engine cannot do before anything starts. */
import { existsSync } from "node:fs";
import path from "node:path";
import { type EngineNeeds, requireAbilities } from "../engine/abilities.ts";
import { openEmbeddedEngine } from "../engine/embedded/embedded-engine.ts";
import type { Engine, FrozenPolicy, ModelSource, TrainablePolicy } from "../engine/engine.ts";
import { SparringError } from "../errors.ts";
import { packageRoot } from "../package-root.ts";
import type { TrainingConfig } from "./config.ts";
import type { Learner } from "./learn.ts";
import type { Players } from "./train-step.ts";

/** Both roles with what a checkpoint has to save. */
export interface Team {
  readonly engine: Engine;
  readonly players: Players;
  /** The code model as it was before training, where the run needs it beside the one that learns. */
  readonly start: FrozenPolicy | undefined;
  /** By the name of the folder they are saved under. */
  readonly trained: ReadonlyMap<string, TrainablePolicy>;
}

export async function openEngine({ engine }: TrainingConfig): Promise<Engine> {
  if (engine.kind === "embedded") {
    return openEmbeddedEngine(engine.threads === undefined ? {} : { threads: engine.threads });
  }
  throw new SparringError({
    code: "engine-missing",
    message: `the engine '${engine.kind}' is not part of this version`,
    hint: "Use `engine.kind: embedded`, or check the configuration with --dry-run.",
  });
}

/** What the engine must be able to do for this run. */
export function needsOf({ learning, engine, method }: TrainingConfig): EngineNeeds {
  return {
    training: true,
    tokens: true,
    savesState: true,
    objective: method.kind === "sft" ? "cross-entropy" : "clipped-ratio",
    trains: engine.lowRank ? "low-rank" : "all",
    ...(usesReference({ learning, method }) && { referencePenalty: true, scoring: true }),
  };
}

function usesReference({ learning, method }: Pick<TrainingConfig, "learning" | "method">): boolean {
  return learning.referenceCoefficient > 0 && method.kind !== "sft";
}

export async function openTeam(config: TrainingConfig, startFolder: string): Promise<Team> {
  const engine = await openEngine(config);
  try {
    requireAbilities(engine.describe(), needsOf(config));
    return await openRoles(engine, config, startFolder);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function openRoles(engine: Engine, config: TrainingConfig, startFolder: string): Promise<Team> {
  const { method } = config;
  const trained = new Map<string, TrainablePolicy>();
  const open = async (
    role: "code" | "test",
  ): Promise<{ policy: FrozenPolicy; learner: Learner | undefined }> => {
    const model = startingModel(config, role, startFolder);
    const spec = { role, model, seed: config.seed };
    if (!learns(config, role)) {
      return { policy: await engine.openFrozen(spec), learner: undefined };
    }
    const trains = config.engine.lowRank && {
      trains: { kind: "low-rank" as const, ...config.engine.lowRank },
    };
    const policy = await engine.openPolicy({ ...spec, ...trains });
    trained.set(role, policy);
    const reference = usesReference(config)
      ? await engine.openFrozen({ ...spec, role: `${role} reference` })
      : undefined;
    return { policy, learner: { policy, reference } };
  };
  const code = await open("code");
  // Self-play: one model plays both roles.
  const test = method.kind === "self-play" ? code : await open("test");
  const start = async () => {
    const model = startingModel(config, "code", startFolder);
    return code.learner?.reference ?? engine.openFrozen({ role: "start", model, seed: config.seed });
  };
  return {
    engine,
    start: needsStart(config) ? await start() : undefined,
    players: { code: code.policy, test: test.policy, codeLearner: code.learner, testLearner: test.learner },
    trained,
  };
}

/** Whether the code model as it was before training has something to do. */
function needsStart({ method }: TrainingConfig): boolean {
  return method.opponents.start > 0 || usesGeneratedSuites({ method });
}

export function usesGeneratedSuites({ method }: Pick<TrainingConfig, "method">): boolean {
  return method.kind === "golden" && method.testSource === "generated";
}

/** ATGEN's code model is the adversary, and only writes. */
export function learns({ method }: TrainingConfig, role: "code" | "test"): boolean {
  if (method.kind === "golden") return role === "code";
  if (method.kind === "atgen") return role === "test";
  return method.train === "both" || method.train === role;
}

/** The run's own copy of the start where there is one: the weights elsewhere may change before a resume. */
function startingModel(config: TrainingConfig, role: "code" | "test", startFolder: string): ModelSource {
  const own = path.join(startFolder, role);
  if (existsSync(own)) return { kind: "folder", path: own };
  const wanted = config.method.kind === "self-play" ? config.engine.shared : config.engine[role];
  if ("folder" in wanted) return { kind: "folder", path: wanted.folder };
  const shipped = path.join(packageRoot, "models", wanted.name);
  return existsSync(shipped) ? { kind: "folder", path: shipped } : { kind: "named", name: wanted.name };
}
