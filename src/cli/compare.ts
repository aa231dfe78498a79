/**
 * `spar compare`: the untrained start, Golden Tests, Self-Play and Code-A1 from the same start over several seeds, in
 * the two tables of the paper, with 95 % intervals over seeds. Runs that are done are not done again.
 */
import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { type MeanInterval, meanInterval } from "../evaluation/intervals.ts";
import type { TrainingConfig } from "../training/config.ts";
import { loadConfig } from "../training/load-config.ts";
import type { Measurement } from "../training/measure.ts";
import { type TrainingOutcome, train } from "../training/train.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import { recipeFile } from "./recipes.ts";
import { wholeNumber } from "./sandbox-options.ts";

interface CompareFlags {
  readonly seeds: number;
  readonly steps?: number;
  readonly runs: string;
  readonly set: string[];
  readonly json?: true;
}

const methods = ["golden", "self-play", "code-a1"] as const;
type Method = (typeof methods)[number];

export function addCompareCommand(program: Command): void {
  program
    .command("compare")
    .description("Golden Tests, Self-Play and Code-A1 from the same start over several seeds, with intervals")
    .argument("[recipe]", "a configuration file, or the name of a recipe", "demo")
    .option("--seeds <n>", "how many seeds", wholeNumber, 3)
    .option("--steps <n>", "training steps of each run", wholeNumber)
    .option("--runs <folder>", "where runs are kept; finished ones are not repeated", "runs")
    .option(
      "--set <key=value>",
      "change one setting",
      (value: string, before: string[]) => [...before, value],
      [],
    )
    .option("--json", "print the tables as JSON")
    .addHelpText("after", "\nExample:\n  $ spar compare demo --seeds 5")
    .action(compare);
}

async function compare(recipe: string, flags: CompareFlags): Promise<void> {
  const settings = flags.steps === undefined ? flags.set : [...flags.set, `steps=${flags.steps}`];
  const base = await loadConfig(recipeFile(recipe), settings);
  const outcomes = new Map<Method, TrainingOutcome[]>(methods.map((method) => [method, []]));
  const total = flags.seeds * methods.length;
  for (let seed = 1; seed <= flags.seeds; seed += 1) {
    for (const method of methods) {
      const done = [...outcomes.values()].flat().length;
      printProgress(`run ${done + 1} of ${total}: ${method}, seed ${seed}`);
      outcomes.get(method)!.push(await runOne(base, { method, seed, flags }));
    }
  }
  const rows = tableRows(outcomes);
  if (flags.json) printJson(rows);
  else printResult(tables(rows, flags.seeds, base));
}

async function runOne(
  base: TrainingConfig,
  { method, seed, flags }: { method: Method; seed: number; flags: CompareFlags },
): Promise<TrainingOutcome> {
  const name = `${base.name}-${method}-seed-${seed}-steps-${base.steps}`;
  const folder = path.join(flags.runs, "compare", name);
  mkdirSync(folder, { recursive: true });
  const config: TrainingConfig = {
    ...base,
    name,
    seed,
    method: { ...base.method, kind: method },
    evaluation: { ...base.evaluation, every: 0 },
    rolloutsEvery: 0,
  };
  return train({
    config,
    folder,
    onEvent: (event) => {
      if (event.kind !== "stepped" || event.step % 10 !== 0) return;
      const reward = event.metrics["code/reward/mean"]?.toFixed(2) ?? "–";
      printProgress(`  step ${event.step} of ${config.steps}, code reward ${reward}`);
    },
  });
}

interface Row {
  readonly method: string;
  readonly passAt1: MeanInterval | undefined;
  readonly validTests: MeanInterval | undefined;
  readonly killRate: MeanInterval | undefined;
  /** valid tests × kill rate, as the paper's Mul. */
  readonly product: MeanInterval | undefined;
}

function tableRows(outcomes: ReadonlyMap<Method, readonly TrainingOutcome[]>): Row[] {
  const row = (method: string, measurements: readonly (Measurement | undefined)[]): Row => {
    const over = (read: (measurement: Measurement) => number | undefined) => {
      const values = measurements.flatMap((entry) => (entry ? (read(entry) ?? []) : []));
      return values.length > 0 ? meanInterval(values) : undefined;
    };
    return {
      method,
      passAt1: over(({ passAt1 }) => passAt1),
      validTests: over(({ validTests }) => validTests),
      killRate: over(({ killRate }) => killRate),
      product: over(({ validTests, killRate }) =>
        validTests === undefined || killRate === undefined ? undefined : validTests * killRate,
      ),
    };
  };
  const of = (method: Method) => outcomes.get(method)!;
  return [
    row(
      "Base",
      of("code-a1").map(({ before }) => before),
    ),
    row(
      "Base, one model",
      of("self-play").map(({ before }) => before),
    ),
    row(
      "Golden Tests",
      of("golden").map(({ after }) => after),
    ),
    row(
      "Self-Play",
      of("self-play").map(({ after }) => after),
    ),
    row(
      "Code-A1",
      of("code-a1").map(({ after }) => after),
    ),
  ];
}

function tables(rows: readonly Row[], seeds: number, config: TrainingConfig): string {
  const number = (value: MeanInterval | undefined) => {
    if (!value) return "–".padEnd(15);
    const margin = value.margin === undefined ? "" : ` ± ${value.margin.toFixed(3)}`;
    return `${value.mean.toFixed(3)}${margin}`.padEnd(15);
  };
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const head = (title: string, columns: readonly string[]) => [
    line([title.padEnd(16), ...columns.map((column) => column.padEnd(15))]),
    line(["-".repeat(16), ...columns.map(() => "-".repeat(15))]),
  ];
  const code = rows.filter(({ passAt1 }) => passAt1);
  const test = rows.filter(({ validTests }) => validTests);
  return [
    `${config.steps} steps, ${seeds} seeds, ${config.evaluation.problems} held-out problems; ± is the 95 % interval over seeds`,
    "",
    ...head("code model", ["pass@1"]),
    ...code.map((row) => line([row.method.padEnd(16), number(row.passAt1)])),
    "",
    ...head("test model", ["valid tests", "kill rate", "product"]),
    ...test.map((row) =>
      line([row.method.padEnd(16), number(row.validTests), number(row.killRate), number(row.product)]),
    ),
  ].join("\n");
}
