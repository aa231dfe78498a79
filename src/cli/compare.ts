/**
 * `spar compare`: the arms of an experiment from the same start over several seeds, in the tables of the papers, with
 * 95 % intervals over seeds. Runs that are done are not done again, and one that was stopped is continued.
 */
import type { Command } from "commander";
import { SparringError } from "../errors.ts";
import { loadConfig } from "../training/load-config.ts";
import type { TrainingOutcome } from "../training/train.ts";
import { adversarySearches, adversarySummary } from "./adversary-warnings.ts";
import { planFor } from "./compare-plans.ts";
import { checkRuns, plannedRuns, runOne } from "./compare-runs.ts";
import { tableRows, tables } from "./compare-tables.ts";
import { CompareView } from "./compare-view.ts";
import { counted } from "./counted.ts";
import { withInterruption } from "./interruption.ts";
import { leftOutOf, type MeasuredRun, measuredOn } from "./measured-on.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import { recipeFile } from "./recipes.ts";
import { wholeNumber } from "./sandbox-options.ts";

interface CompareFlags {
  readonly seeds: number;
  readonly firstSeed: number;
  readonly steps?: number;
  readonly generatorSteps?: number;
  readonly runs: string;
  readonly set: string[];
  readonly json?: true;
}

const stopMilliseconds = 2_000;

export function addCompareCommand(program: Command): void {
  program
    .command("compare")
    .description("a method and what it is measured against, from the same start over several seeds")
    .argument("[recipe]", "a configuration file, or the name of a recipe", "demo")
    .option("--seeds <n>", "how many seeds", wholeNumber, 3)
    .option("--first-seed <n>", "the first of them", wholeNumber, 1)
    .option("--steps <n>", "training steps of each run", wholeNumber)
    .option(
      "--generator-steps <n>",
      "code-rl-with-tests: training steps of the generator (default: those of the recipe demo-atgen)",
      wholeNumber,
    )
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
        "  code-rl-with-tests  rewards from an untrained and a trained generator, and from gold tests; the",
        "                      generator is that of `compare demo-atgen` (adaptive), reused where it is there:",
        "                      of --set only sandbox.* and engine.threads reach it, and --generator-steps",
        "",
        "Example:",
        "  $ spar compare demo --seeds 5",
      ].join("\n"),
    )
    .action((recipe: string, flags: CompareFlags) =>
      withInterruption((stop) => {
        stop.addEventListener("abort", onInterrupted);
        return compare(recipe, flags, stop);
      }),
    );
}

function onInterrupted(): void {
  printProgress("stopping now; finished runs and checkpoints are kept: the same command goes on from there");
  // Some work cannot be called off; what was saved is whole at any moment, so nobody has to wait for it.
  setTimeout(() => process.exit(130), stopMilliseconds).unref();
}

async function compare(recipe: string, flags: CompareFlags, stop: AbortSignal): Promise<void> {
  refuseSeed(flags.set);
  const settings = flags.steps === undefined ? flags.set : [...flags.set, `steps=${flags.steps}`];
  const base = await loadConfig(recipeFile(recipe), settings);
  const plan = await planFor(base, { settings, generatorSteps: flags.generatorSteps });
  const planned = plannedRuns(plan, flags);
  printProgress(
    `comparing ${plan.arms.map(({ key }) => key).join(", ")}: ${counted(flags.seeds, "seed")}, ${counted(base.steps, "step")}`,
  );
  for (const note of plan.notes ?? []) printProgress(note);
  await checkRuns(planned);
  stop.throwIfAborted();
  const view = new CompareView();
  const outcomes = new Map<string, TrainingOutcome[]>(plan.arms.map(({ key }) => [key, []]));
  const measured: MeasuredRun[] = [];
  const shown = new Set(plan.rows.map(({ arm }) => arm));
  for (const [index, run] of planned.entries()) {
    const { arm, seed, config, folder } = run;
    printProgress(`run ${index + 1} of ${planned.length}: ${arm}, seed ${seed}, in ${folder}`);
    const outcome = await runOne(run, { onEvent: view.of(config), stop });
    outcomes.get(arm)!.push(outcome);
    if (shown.has(arm)) measured.push({ config, folder, outcome });
    view.leftOut(leftOutOf(folder)); // of a run that was done before
    for (const line of adversarySummary(adversarySearches(folder))) printProgress(`  ${line}`);
  }
  const rows = tableRows(plan, outcomes);
  if (flags.json) {
    printJson(rows.map(({ label, values }) => ({ method: label, ...values })));
    return;
  }
  const title = { steps: base.steps, seeds: flags.seeds, measuredOn: await measuredOn(measured) };
  printResult(tables(plan, rows, title));
}

/** Every run has a seed of its own; one for all would be ignored. */
function refuseSeed(settings: readonly string[]): void {
  const setting = settings.find((text) => text.split("=")[0]?.trim() === "seed");
  if (setting === undefined) return;
  throw new SparringError({
    code: "config-invalid",
    message: `--set ${setting}: the seeds of a comparison are counted, one for each repetition`,
    hint: "Use --first-seed for the first of them, and --seeds for how many.",
  });
}
