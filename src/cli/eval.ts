/** `spar eval`: what a model can do, on problems and programs that it has not been trained on. */
import type { Command } from "commander";
import { addEvalAttackCommand } from "./eval-attack.ts";

export function addEvalCommand(program: Command): void {
  const evaluation = program.command("eval").description("measure a model");
  addEvalAttackCommand(evaluation);
}
