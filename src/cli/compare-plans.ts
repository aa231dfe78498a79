/**
 * What is compared with what: the arms of an experiment, all from the same start and seed, and the tables that the
 * papers show. Which plan it is follows from the recipe: Code-A1 with its baselines, a league with plain Code-A1, the
 * modes of ATGEN, or code RL by generated and by gold tests.
 */
import path from "node:path";
import { SparringError } from "../errors.ts";
import type { TrainingConfig } from "../training/config.ts";
import { loadConfig } from "../training/load-config.ts";
import type { Measurement } from "../training/measure.ts";
import { hasOpponents } from "../training/opponents.ts";
import { counted } from "./counted.ts";
import { recipeFile } from "./recipes.ts";

export interface Arm {
  /** Part of the run folder's name. */
  readonly key: string;
  /** `runOf` gives the folder of an earlier arm of the same seed. */
  config(seed: number, runOf: (key: string) => string): TrainingConfig;
}

export interface Row {
  readonly label: string;
  readonly arm: string;
  readonly when: "before" | "after";
}

export interface Column {
  readonly title: string;
  read(measurement: Measurement): number | undefined;
}

export interface Plan {
  readonly arms: readonly Arm[];
  readonly rows: readonly Row[];
  readonly tables: readonly { readonly title: string; readonly columns: readonly Column[] }[];
  /** What is not plain from the names of the arms, told before the first run. */
  readonly notes?: readonly string[];
}

export interface PlanOptions {
  /** Those of the command line, which `base` has already. */
  readonly settings: readonly string[];
  /** Steps of the generator that gives rewards, where the plan trains one. */
  readonly generatorSteps?: number | undefined;
}

export async function planFor(
  base: TrainingConfig,
  { settings, generatorSteps }: PlanOptions,
): Promise<Plan> {
  if (base.method.kind === "golden" && base.method.testSource === "generated")
    return rewardSourcePlan(base, generatorSteps);
  if (generatorSteps !== undefined) {
    throw new SparringError({
      code: "config-invalid",
      message: `--generator-steps: the comparison of '${base.name}' trains no generator for rewards`,
      hint: "It is for recipes with generated tests, such as code-rl-with-tests; others take --steps.",
    });
  }
  if (base.method.kind === "atgen") return atgenPlan(base);
  return hasOpponents(base) || base.method.attackSignal !== "share"
    ? leaguePlan(base, settings)
    : codeA1Plan(base);
}

const codeTable = {
  title: "code model",
  columns: [{ title: "pass@1", read: ({ passAt1 }: Measurement) => passAt1 }],
};
const testTable = {
  title: "test model",
  columns: [
    { title: "valid tests", read: ({ validTests }: Measurement) => validTests },
    { title: "kill rate", read: ({ killRate }: Measurement) => killRate },
    {
      // The paper's Mul.
      title: "product",
      read: ({ validTests, killRate }: Measurement) =>
        validTests === undefined || killRate === undefined ? undefined : validTests * killRate,
    },
  ],
};

function codeA1Plan(base: TrainingConfig): Plan {
  const arm = (kind: "golden" | "self-play" | "code-a1"): Arm => ({
    key: kind,
    config: (seed) => ({ ...base, seed, method: { ...base.method, kind } }),
  });
  return {
    arms: [arm("golden"), arm("self-play"), arm("code-a1")],
    rows: [
      { label: "Base", arm: "code-a1", when: "before" },
      { label: "Base, black-box", arm: "self-play", when: "before" },
      { label: "Golden Tests", arm: "golden", when: "after" },
      { label: "Self-Play", arm: "self-play", when: "after" },
      { label: "Code-A1", arm: "code-a1", when: "after" },
    ],
    tables: [codeTable, testTable],
  };
}

async function leaguePlan(base: TrainingConfig, settings: readonly string[]): Promise<Plan> {
  const { alphaEnd: _, ...method } = base.method;
  const plain: TrainingConfig["method"] = {
    ...method,
    opponents: { mutants: 0, start: 0, past: 0, adversaries: 0 },
    attackSignal: "share",
    trainedCandidates: 1,
  };
  // The name that `spar compare demo` uses where it is the same run, so that it is not done again.
  const demo = await loadConfig(recipeFile("demo"), settings);
  const same = JSON.stringify(demo) === JSON.stringify({ ...base, name: demo.name, method: plain });
  const name = same ? demo.name : base.name;
  return {
    arms: [
      { key: "code-a1", config: (seed) => ({ ...base, seed, name, method: plain }) },
      { key: "league", config: (seed) => ({ ...base, seed }) },
    ],
    rows: [
      { label: "Base", arm: "league", when: "before" },
      { label: "Code-A1", arm: "code-a1", when: "after" },
      { label: "League", arm: "league", when: "after" },
    ],
    tables: [codeTable, testTable],
  };
}

const modes = ["none", "unconditional", "adaptive"] as const;

function atgenPlan(base: TrainingConfig): Plan {
  return {
    arms: modes.map((mode) => ({
      key: mode,
      config: (seed) => ({ ...base, seed, atgen: { ...base.atgen, mode } }),
    })),
    rows: [
      { label: "Base", arm: "none", when: "before" },
      { label: "without adversary", arm: "none", when: "after" },
      { label: "unconditional", arm: "unconditional", when: "after" },
      { label: "adaptive", arm: "adaptive", when: "after" },
    ],
    tables: [
      {
        title: "test generator",
        columns: [
          { title: "IO accuracy", read: ({ attack }) => attack?.ioAccuracy },
          { title: "attack rate", read: ({ attack }) => attack?.attackRate },
          { title: "hard third", read: ({ attack }) => attack?.hard.attackRate },
          { title: "input attack", read: ({ attack }) => attack?.inputAttackRate },
          { title: "false alarms", read: ({ attack }) => attack?.falseAlarmRate },
        ],
      },
    ],
  };
}

/** The generator is another experiment with settings of its own, but it runs on the same machine. */
async function generatorConfig(base: TrainingConfig, steps: number | undefined): Promise<TrainingConfig> {
  const settings = steps === undefined ? [] : [`steps=${steps}`];
  const generator = await loadConfig(recipeFile("demo-atgen"), settings);
  const { threads } = base.engine;
  const engine = { ...generator.engine, ...(threads !== undefined && { threads }) };
  return { ...generator, engine, sandbox: base.sandbox };
}

async function rewardSourcePlan(base: TrainingConfig, generatorSteps: number | undefined): Promise<Plan> {
  const generator = await generatorConfig(base, generatorSteps);
  return {
    notes: [
      `the generator is trained by the recipe ${generator.name} with ${counted(generator.steps, "step")} of its own (--generator-steps), or reused where it is there; of --set only sandbox.* and engine.threads reach it`,
    ],
    arms: [
      // The name and mode that `spar compare demo-atgen` uses, so that its runs are not done again.
      { key: "adaptive", config: (seed) => ({ ...generator, seed }) },
      {
        key: "trained",
        config: (seed, runOf) => {
          const folder = path.join(runOf("adaptive"), "checkpoints", `step-${generator.steps}`, "test");
          return { ...base, seed, engine: { ...base.engine, test: { folder } } };
        },
      },
      {
        key: "untrained",
        config: (seed) => ({ ...base, seed, engine: { ...base.engine, test: generator.engine.test } }),
      },
      { key: "gold", config: (seed) => ({ ...base, seed, method: { ...base.method, testSource: "gold" } }) },
    ],
    rows: [
      { label: "Base", arm: "gold", when: "before" },
      { label: "untrained generator", arm: "untrained", when: "after" },
      { label: "trained generator", arm: "trained", when: "after" },
      { label: "gold tests", arm: "gold", when: "after" },
    ],
    tables: [codeTable],
  };
}
