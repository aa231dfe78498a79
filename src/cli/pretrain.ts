/** `spar pretrain arena`: makes the demo's starting weights from nothing. */
import path from "node:path";
import type { Command } from "commander";
import { openEmbeddedEngine } from "../engine/embedded/embedded-engine.ts";
import { pretrainArena, pretrainPhases } from "../training/pretrain-arena.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import { positiveNumber, wholeNumber } from "./sandbox-options.ts";

interface PretrainFlags {
  readonly out: string;
  readonly seed: number;
  readonly model: string;
  readonly scale: number;
  readonly threads?: number;
  readonly json?: true;
}

export function addPretrainCommand(program: Command): void {
  const pretrain = program.command("pretrain").description("make starting weights by supervised learning");
  pretrain
    .command("arena")
    .description(
      "the demo's starting weights, from nothing, on generated training problems (about an hour on 2 cores)",
    )
    .option("--out <folder>", "where the weights go", path.join("models", "arena"))
    .option("--seed <n>", "decides everything random", wholeNumber, 1)
    .option("--model <name>", "size of the model: tiny, small, medium or large", "small")
    .option("--scale <factor>", "multiplies the number of steps; below 1 for a quick look", positiveNumber, 1)
    .option("--threads <n>", "worker threads (default: number of processors)", wholeNumber)
    .option("--json", "print the report as JSON")
    .addHelpText("after", "\nExample:\n  $ spar pretrain arena --out my-weights --scale 0.1")
    .action(pretrainCommand);
}

async function pretrainCommand(flags: PretrainFlags): Promise<void> {
  const engine = await openEmbeddedEngine(flags.threads === undefined ? {} : { threads: flags.threads });
  const phases = pretrainPhases.map((phase) => ({
    ...phase,
    steps: Math.max(1, Math.round(phase.steps * flags.scale)),
  }));
  const started = performance.now();
  try {
    const report = await pretrainArena({
      engine,
      folder: flags.out,
      seed: flags.seed,
      model: flags.model,
      phases,
      onProgress: ({ phase, step, steps, loss, tokens }) => {
        if (step % 50 !== 0 && step !== steps) return;
        const seconds = (performance.now() - started) / 1000;
        const left = ((steps - step) / step) * seconds;
        printProgress(
          `${phase}: step ${step} of ${steps}, loss ${loss.toFixed(3)}, ${Math.round(tokens / seconds)} tokens/s, ${(left / 60).toFixed(1)} min left`,
        );
      },
    });
    if (flags.json) printJson(report);
    else
      printResult(`${report.parameters} parameters after ${report.steps} steps: ${report.files.join(", ")}`);
  } finally {
    await engine.close();
  }
}
