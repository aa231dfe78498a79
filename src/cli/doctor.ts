/** `spar doctor`: what this machine can do, what is missing, how to get it. */
import { availableParallelism, totalmem } from "node:os";
import type { Command } from "commander";
import pc from "picocolors";
import { messageOf, SparringError } from "../errors.ts";
import { packageVersion } from "../package-version.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import { findPython } from "../sandbox/native/find-python.ts";
import type { Layer, SandboxDescription } from "../sandbox/sandbox.ts";
import { printJson, printResult } from "./output.ts";

interface Finding {
  readonly usable: boolean;
  readonly detail: string;
  readonly hint?: string;
  readonly description?: SandboxDescription;
}

export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("what this machine can do, what is missing, how to get it")
    .option("--json", "print the findings as JSON")
    .addHelpText("after", "\nExample:\n  $ spar doctor")
    .action(async (flags: { json?: true }) => {
      const findings = await examine();
      if (flags.json) printJson(findings);
      else printResult(describe(findings));
      if (!findings.native.usable && !findings.wasm.usable) process.exitCode = 1;
    });
}

async function examine() {
  const [python, native, wasm] = await Promise.all([
    probePython(),
    probeSandbox("native"),
    probeSandbox("wasm"),
  ]);
  const chosen =
    native.usable && native.description?.isolation === "full" ? "native" : wasm.usable ? "wasm" : undefined;
  return {
    sparring: packageVersion,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    python,
    native,
    wasm,
    auto: chosen ?? null,
  };
}

async function probePython(): Promise<Finding> {
  try {
    const { executable, version } = await findPython();
    return { usable: true, detail: `${version} at ${executable}` };
  } catch (error) {
    return failed(error);
  }
}

async function probeSandbox(kind: "native" | "wasm"): Promise<Finding> {
  try {
    const sandbox = await createSandbox({ kind, demand: "limits", workers: 1 });
    const description = sandbox.describe();
    await sandbox.close();
    return {
      usable: true,
      detail: `isolation ${description.isolation}, Python ${description.python}, self-test passed`,
      description,
    };
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): Finding {
  const hint = error instanceof SparringError ? error.hint : undefined;
  return { usable: false, detail: messageOf(error), ...(hint ? { hint } : {}) };
}

function describe(findings: Awaited<ReturnType<typeof examine>>): string {
  const line = (name: string, finding: Finding) =>
    [
      `${finding.usable ? pc.green("ok  ") : pc.yellow("no  ")} ${name.padEnd(16)} ${finding.detail}`,
      ...(finding.description?.layers ?? []).map(layerLine),
      ...(finding.hint ? [`     ${" ".repeat(16)} ${pc.cyan("hint:")} ${finding.hint}`] : []),
    ].join("\n");
  const gigabytes = (findings.memoryBytes / 1024 ** 3).toFixed(1);
  return [
    `sparring ${findings.sparring}, Node ${findings.node}, ${findings.platform}, ${findings.processors} processors, ${gigabytes} GiB`,
    line("python3", findings.python),
    line("native sandbox", findings.native),
    line("wasm sandbox", findings.wasm),
    findings.auto
      ? `The automatic choice here is ${pc.bold(findings.auto)}.`
      : "No sandbox with full isolation works here: nothing that runs programs will start.",
  ].join("\n");
}

function layerLine(layer: Layer): string {
  return `     ${" ".repeat(16)} ${layer.active ? pc.green("+") : pc.yellow("-")} ${layer.name}${layer.detail ? `: ${layer.detail}` : ""}`;
}
