/** The options by which every command that runs programs chooses its sandbox. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { createSandbox, sandboxKinds } from "../sandbox/create-sandbox.ts";
import { isolationLevels, type Sandbox } from "../sandbox/sandbox.ts";

export interface SandboxFlags {
  readonly sandbox: (typeof sandboxKinds)[number];
  readonly demand: (typeof isolationLevels)[number];
  readonly workers?: number;
}

export function addSandboxOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--sandbox <kind>", "where programs run").choices([...sandboxKinds]).default("auto"),
    )
    .addOption(
      new Option("--demand <level>", "refuse to start with less isolation")
        .choices([...isolationLevels])
        .default("full"),
    )
    .option("--workers <n>", "programs at the same time (default: number of processors)", wholeNumber);
}

export function openSandbox(flags: SandboxFlags): Promise<Sandbox> {
  const workers = flags.workers === undefined ? {} : { workers: flags.workers };
  return createSandbox({ kind: flags.sandbox, demand: flags.demand, ...workers });
}

/** For options that take a whole number from 1 on. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 4096) {
    throw new InvalidArgumentError("It must be a whole number from 1 to 4096.");
  }
  return value;
}

/** For options that take a positive number of seconds. */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new InvalidArgumentError("It must be a number above 0.");
  return value;
}
