#!/usr/bin/env node
/** The command `spar`: one file per sub-command, loaded only when it is the one asked for. */
import { Command, CommanderError } from "commander";
import { packageVersion } from "../package-version.ts";
import { reportError } from "./output.ts";

type AddCommand = (program: Command) => void;

const commands: Record<string, () => Promise<AddCommand>> = {
  train: async () => (await import("./train.ts")).addTrainCommand,
  eval: async () => (await import("./eval.ts")).addEvalCommand,
  compare: async () => (await import("./compare.ts")).addCompareCommand,
  recipes: async () => (await import("./recipes.ts")).addRecipesCommand,
  pretrain: async () => (await import("./pretrain.ts")).addPretrainCommand,
  data: async () => (await import("./data.ts")).addDataCommand,
  judge: async () => (await import("./judge.ts")).addJudgeCommand,
  referee: async () => (await import("./referee.ts")).addRefereeCommand,
  "best-of-n": async () => (await import("./best-of-n.ts")).addBestOfNCommand,
  tests: async () => (await import("./tests.ts")).addTestsCommand,
  export: async () => (await import("./export.ts")).addExportCommand,
  serve: async () => (await import("./serve.ts")).addServeCommand,
  doctor: async () => (await import("./doctor.ts")).addDoctorCommand,
};

const program = new Command("spar")
  .description("Train two language models against each other: one writes programs, the other writes tests.")
  .version(packageVersion)
  .exitOverride()
  .showHelpAfterError("(use --help to see what is possible)");

// Whoever reads our output may stop early (`spar … | head`): that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
});

try {
  const name = process.argv[2] ?? "";
  // `spar constructor` must not find what every object has.
  const wanted = Object.hasOwn(commands, name) ? commands[name] : undefined;
  for (const load of wanted ? [wanted] : Object.values(commands)) (await load())(program);
  await program.parseAsync();
} catch (error) {
  process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : reportError(error);
}
