/**
 * `spar compare`: the arms of an experiment from the same start over several seeds, in the tables of the papers, with
 * 95 % intervals over seeds. Runs that are done are not done again, and one that was stopped is continued.
 */
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { type MeanInterval, meanInterval } from "../evaluation/intervals.ts";
import { RunLock } from "../runs/run-lock.ts";
import type { TrainingConfig } from "../training/config.ts";
import { keepConfig } from "../training/keep-config.ts";
import { loadConfig } from "../training/load-config.ts";
import { type TrainingOutcome, train } from "../training/train.ts";
import { adversarySearches, adversarySummary, adversaryWarning } from "./adversary-warnings.ts";
import { type Column, type Plan, planFor } from "./compare-plans.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import { recipeFile } from "./recipes.ts";
import { wholeNumber } from "./sandbox-options.ts";

interface CompareFlags {
  readonly seeds: number;
  readonly firstSeed: number;
  readonly steps?: number;
  readonly runs: string;
  readonly set: string[];
  readonly json?: true;
}

export function addCompareCommand(program: Command): void {
  program
    .command("compare")
    .description("a method and what it is measured against, from the same start over several seeds")
    .argument("[recipe]", "a configuration file, or the name of a recipe", "demo")
    .option("--seeds <n>", "how many seeds", wholeNumber, 3)
    .option("--first-seed <n>", "the first of them", wholeNumber, 1)
    .option("--steps <n>", "training steps of each run", wholeNumber)
    .option("--runs <folder>", "where runs are kept; finished ones are not repeated", "runs")
    .option(
      "--set <key=value>",
      "change one setting",
      (value: string, before: string[]) => [...before, value],
      [],
    )
    .option("--json", "print the tables as JSON")
    .addHelpText(
      "after",
      [
        "",
        "What is compared follows from the recipe:",
        "  demo                Golden Tests, Self-Play and Code-A1",
        "  league              Code-A1 and the league",
        "  demo-atgen          ATGEN without adversary, unconditional and adaptive",
        "  code-rl-with-tests  rewards from an untrained and a trained generator, and from gold tests",
        "",
        "Example:",
        "  $ spar compare demo --seeds 5",
      ].join("\n"),
    )
    .action(compare);
}

async function compare(recipe: string, flags: CompareFlags): Promise<void> {
  const settings = flags.steps === undefined ? flags.set : [...flags.set, `steps=${flags.steps}`];
  const base = await loadConfig(recipeFile(recipe), settings);
  const plan = await planFor(base, settings);
  const outcomes = new Map<string, TrainingOutcome[]>(plan.arms.map(({ key }) => [key, []]));
  const total = flags.seeds * plan.arms.length;
  let done = 0;
  for (let seed = flags.firstSeed; seed < flags.firstSeed + flags.seeds; seed += 1) {
    const folders = new Map<string, string>();
    for (const arm of plan.arms) {
      done += 1;
      const config = quiet(arm.config(seed, (key) => folders.get(key)!));
      const name = `${config.name}-${arm.key}-seed-${seed}-steps-${config.steps}`;
      const folder = path.join(flags.runs, "compare", name);
      folders.set(arm.key, folder);
      printProgress(`run ${done} of ${total}: ${arm.key}, seed ${seed}, in ${folder}`);
      outcomes.get(arm.key)!.push(await runOne({ ...config, name }, folder));
      for (const line of adversarySummary(adversarySearches(folder))) printProgress(`  ${line}`);
    }
  }
  const rows = tableRows(plan, outcomes);
  if (flags.json) printJson(rows.map(({ label, values }) => ({ method: label, ...values })));
  else printResult(tables(plan, rows, { seeds: flags.seeds, config: base }));
}

/** Measured before and after only, and without rollouts: there will be many of these runs. */
function quiet(config: TrainingConfig): TrainingConfig {
  return { ...config, evaluation: { ...config.evaluation, every: 0 }, rolloutsEvery: 0 };
}

async function runOne(config: TrainingConfig, folder: string): Promise<TrainingOutcome> {
  mkdirSync(folder, { recursive: true });
  const lock = new RunLock(folder);
  try {
    // Refuses a folder whose run was made with other settings: its figures would stand in the wrong table.
    keepConfig(folder, config);
    const finished = finishedOutcome(folder, config);
    if (finished) return finished;
    return await train({
      config,
      folder,
      onEvent: (event) => {
        if (event.kind === "adversary-failed") printProgress(`  ${adversaryWarning(event)}`);
        if (event.kind !== "stepped" || event.step % 10 !== 0) return;
        const role = event.metrics["code/reward/mean"] === undefined ? "test" : "code";
        const reward = event.metrics[`${role}/reward/mean`]?.toFixed(2) ?? "–";
        printProgress(`  step ${event.step} of ${config.steps}, ${role} reward ${reward}`);
      },
    });
  } finally {
    lock.release();
  }
}

/** Opening models and sandbox only to find that nothing is left to do would take seconds a run. */
function finishedOutcome(folder: string, { steps }: TrainingConfig): TrainingOutcome | undefined {
  const read = (step: number) =>
    JSON.parse(readFileSync(path.join(folder, "evaluations", `step-${step}.json`), "utf8"));
  try {
    readFileSync(path.join(folder, "checkpoints", `step-${steps}`, "complete.json"));
    return { before: read(0), after: read(steps), steps };
  } catch {
    return undefined;
  }
}

interface TableRow {
  readonly label: string;
  /** By column. */
  readonly values: Readonly<Record<string, MeanInterval | undefined>>;
}

function tableRows(plan: Plan, outcomes: ReadonlyMap<string, readonly TrainingOutcome[]>): TableRow[] {
  const columns = plan.tables.flatMap((table) => table.columns);
  return plan.rows.map(({ label, arm, when }) => {
    const over = ({ read }: Column) => {
      const values = outcomes.get(arm)!.flatMap((outcome) => {
        const measurement = outcome[when];
        return measurement ? (read(measurement) ?? []) : [];
      });
      return values.length > 0 ? meanInterval(values) : undefined;
    };
    return { label, values: Object.fromEntries(columns.map((column) => [column.title, over(column)])) };
  });
}

const width = { label: 20, value: 15 };

function tables(
  plan: Plan,
  rows: readonly TableRow[],
  { seeds, config }: { seeds: number; config: TrainingConfig },
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const table = ({ title, columns }: Plan["tables"][number]) => [
    "",
    line([title.padEnd(width.label), ...columns.map((column) => column.title.padEnd(width.value))]),
    line(["-".repeat(width.label), ...columns.map(() => "-".repeat(width.value))]),
    ...rows
      .filter(({ values }) => columns.some((column) => values[column.title]))
      .map(({ label, values }) =>
        line([label.padEnd(width.label), ...columns.map((column) => cell(values[column.title]))]),
      ),
  ];
  const measured = `measured on ${config.evaluation.problems} held-out problems${config.method.kind === "atgen" ? " and their wrong programs" : ""}`;
  return [
    `${config.steps} steps, ${seeds} seeds, ${measured}; ± is the 95 % interval over seeds`,
    ...plan.tables.flatMap(table),
  ].join("\n");
}

function cell(value: MeanInterval | undefined): string {
  if (!value) return "–".padEnd(width.value);
  const margin = value.margin === undefined ? "" : ` ± ${value.margin.toFixed(3)}`;
  return `${value.mean.toFixed(3)}${margin}`.padEnd(width.value);
}
