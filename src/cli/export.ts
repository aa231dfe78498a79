/** `spar export`: a run's models as plain weights, for `--model` of other commands and for the start of other runs. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { readWeights, writeWeights } from "../engine/embedded/policy-files.ts";
import { SparringError } from "../errors.ts";
import { findWeights, type ModelRole } from "../evaluation/find-weights.ts";
import { Checkpoints } from "../runs/checkpoints.ts";
import { writeWhole } from "../runs/write-whole.ts";
import { printJson, printResult } from "./output.ts";

const originName = "origin.json";

interface ExportFlags {
  readonly role?: ModelRole;
  readonly step?: number;
  readonly out?: string;
  readonly runs: string;
  readonly force?: true;
  readonly json?: true;
}

interface ExportedModel {
  readonly role: ModelRole;
  readonly folder: string;
  readonly weights: string;
  readonly optimizerSteps: number;
}

export function addExportCommand(program: Command): void {
  program
    .command("export")
    .description("write a run's models as plain weights that --model and engine.code.folder can open")
    .argument("<run>", "the run's folder, or its name")
    .addOption(new Option("--role <role>", "only this one").choices(["code", "test"]))
    .option("--step <n>", "of this checkpoint (default: the newest)", stepNumber)
    .option("--out <folder>", "where the weights go (default: exports/<run>-step-<n>)")
    .option("--runs <folder>", "where runs are kept", "runs")
    .option("--force", "replace an earlier export in the folder of --out")
    .option("--json", "print what was written as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  $ spar export demo\n  $ spar export demo --role test --step 50 --out my-tester\n  $ spar train --set engine.test.folder=my-tester",
    )
    .action(exportCommand);
}

async function exportCommand(run: string, flags: ExportFlags): Promise<void> {
  const runFolder = folderOf(run, flags.runs);
  checkEngine(runFolder);
  const step = stepOf(runFolder, flags.step);
  const checkpoint = path.join(runFolder, "checkpoints", `step-${step}`);
  const name = path.basename(path.resolve(runFolder));
  const out = flags.out ?? path.join("exports", `${name}-step-${step}`);
  checkOut(out, flags);
  const roles = flags.role ? [flags.role] : trainedRoles(checkpoint);
  const partial = `${out}.${process.pid}.partial`;
  const exported: ExportedModel[] = [];
  try {
    mkdirSync(partial, { recursive: true });
    for (const role of roles) {
      const state = await readWeights(findWeights(checkpoint, role).folder);
      // One model lies in the folder itself, two in folders by their roles; --model understands both.
      const place = roles.length > 1 ? role : "";
      await writeWeights(path.join(partial, place), state);
      const folder = path.join(out, place);
      const weights = path.join(folder, "weights.safetensors");
      exported.push({ role, folder, weights, optimizerSteps: state.step });
    }
    writeWhole(path.join(partial, originName), `${JSON.stringify({ run: name, step, roles }, null, 2)}\n`);
    rmSync(out, { recursive: true, force: true });
    renameSync(partial, out);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  if (flags.json) printJson({ run: runFolder, step, models: exported });
  else for (const { role, weights } of exported) printResult(`${role} model of step ${step}: ${weights}`);
}

function folderOf(run: string, runs: string): string {
  const found = [run, path.join(runs, run)].find((folder) => existsSync(path.join(folder, "checkpoints")));
  if (found !== undefined) return found;
  const others = existsSync(runs)
    ? readdirSync(runs).filter((name) => existsSync(path.join(runs, name, "checkpoints")))
    : [];
  throw new SparringError({
    code: "run-missing",
    message: `there is no run with checkpoints in ${run} or ${path.join(runs, run)}`,
    hint: others.length > 0 ? `Runs in ${runs}: ${others.join(", ")}.` : "Check the name and --runs.",
  });
}

function checkEngine(runFolder: string): void {
  const file = path.join(runFolder, "manifest.json");
  const engine = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).engine?.kind : undefined;
  if (engine === undefined || engine === "embedded") return;
  throw new SparringError({
    code: "export-elsewhere",
    message: `the weights of ${runFolder} live on the server of the '${engine}' engine, not in the run folder`,
    hint: "Use that server's own export.",
  });
}

function stepOf(runFolder: string, wanted: number | undefined): number {
  const steps = new Checkpoints(runFolder).steps();
  const step = wanted === undefined ? steps.at(-1) : steps.find((each) => each === wanted);
  if (step !== undefined) return step;
  throw new SparringError({
    code: "checkpoint-missing",
    message:
      steps.length === 0
        ? `the run ${runFolder} has no complete checkpoint yet`
        : `the run ${runFolder} has no checkpoint of step ${wanted}`,
    hint:
      steps.length === 0
        ? "Wait for the first one."
        : `It keeps those of step ${steps.join(", ")}; keepCheckpoints says how many.`,
  });
}

function trainedRoles(checkpoint: string): ModelRole[] {
  const roles = (["code", "test"] as const).filter((role) => existsSync(path.join(checkpoint, role)));
  if (roles.length > 0) return roles;
  throw new SparringError({
    code: "checkpoint-damaged",
    message: `the checkpoint ${checkpoint} holds no model`,
    hint: "Choose another one with --step.",
  });
}

/** Only what an export has made is ever replaced. */
function checkOut(out: string, { force }: ExportFlags): void {
  if (!existsSync(out)) return;
  const isExport = existsSync(path.join(out, originName));
  if (force && isExport) return;
  throw new SparringError({
    code: "file-exists",
    message: `${out} already exists${isExport ? "" : " and is no export"}`,
    hint: isExport ? "Choose another --out, or add --force to replace it." : "Choose another --out.",
  });
}

function stepNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new InvalidArgumentError("It must be a whole number from 0 on.");
  return value;
}
