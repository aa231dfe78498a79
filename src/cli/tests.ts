/** `spar tests`: suites of generated tests. */
import type { Command } from "commander";
import { addGenerateCommand } from "./tests-generate.ts";

export function addTestsCommand(program: Command): void {
  const tests = program.command("tests").description("suites of generated tests");
  addGenerateCommand(tests);
}
