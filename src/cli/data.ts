/** `spar data`: problem sets looked at, checked, converted and made into pairs. */
import type { Command } from "commander";
import { problemJsonSchema } from "../problems/problem-schema.ts";
import { addBugsCommand } from "./data-bugs.ts";
import { addConvertCommand } from "./data-convert.ts";
import { addShowCommand } from "./data-show.ts";
import { addValidateCommand } from "./data-validate.ts";
import { printJson } from "./output.ts";

export function addDataCommand(program: Command): void {
  const data = program
    .command("data")
    .description("look at, check and convert problem sets (json, jsonl, jsonl.gz, parquet)");
  addValidateCommand(data);
  addConvertCommand(data);
  addShowCommand(data);
  addBugsCommand(data);
  data
    .command("schema")
    .description("print the JSON schema of the plain problem format")
    .addHelpText("after", "\nExample:\n  $ spar data schema > problem.schema.json")
    .action(() => printJson(problemJsonSchema()));
}
