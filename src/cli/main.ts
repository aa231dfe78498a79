#!/usr/bin/env node
/** The command `spar`: one file per sub-command, loaded only when it is the one asked for. */
import { Command, CommanderError } from "commander";

import { addCompareCommand } from "./compare.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addJudgeCommand } from "./judge.ts";
import { reportError } from "./output.ts";
import { addPretrainCommand } from "./pretrain.ts";
import { addRecipesCommand } from "./recipes.ts";
import { addRefereeCommand } from "./referee.ts";
import { addServeCommand } from "./serve.ts";
import { addTrainCommand } from "./train.ts";
import { packageVersion } from "./version.ts";

const program = new Command("spar")
  .description("Train two language models against each other: one writes programs, the other writes tests.")
  .version(packageVersion)
  .exitOverride()
  .showHelpAfterError("(use --help to see what is possible)");

addJudgeCommand(program);
addDoctorCommand(program);
addServeCommand(program);
addTrainCommand(program);
addPretrainCommand(program);
addCompareCommand(program);
addRecipesCommand(program);
addRefereeCommand(program);

// Whoever reads our output may stop early (`spar … | head`): that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : reportError(error);
}
