/** How commands speak: results on standard output, everything else on standard error, exit codes by whose fault it is. */
import pc from "picocolors";
import { messageOf, SparringError } from "../errors.ts";
import { writeError } from "../runs/append-log.ts";

/** Causes that lie in the machine, not in what the user wrote. */
const machineFaults = new Set([
  "sandbox-leaks",
  "no-sandbox",
  "worker-start",
  "python-missing",
  "isolation-too-low",
  "engine-endpoint",
  "sandbox-lost",
  "disk-write",
  "answer-cache",
  "run-damaged",
  "checkpoint-damaged",
]);

export function printResult(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  printResult(JSON.stringify(value, (_, part) => (typeof part === "bigint" ? part.toString() : part), 2));
}

export function printProgress(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Prints the error for a person and gives the exit code: 1 for a failure, 2 for wrong use, 130 for an interruption. */
export function reportError(thrown: unknown): number {
  const error = withoutStack(thrown);
  if (error instanceof Error && error.name === "AbortError") {
    printProgress("interrupted");
    return 130;
  }
  printProgress(`${pc.red("error:")} ${messageOf(error)}`);
  if (!(error instanceof SparringError)) {
    if (error instanceof Error && error.stack) printProgress(pc.dim(error.stack));
    printProgress("This is a defect of sparring. Please report it with the lines above.");
    return 1;
  }
  if (error.hint) printProgress(`${pc.cyan("hint:")} ${error.hint}`);
  return machineFaults.has(error.code) ? 1 : 2;
}

/** A full disk is nobody's defect, whichever command met it. */
function withoutStack(thrown: unknown): unknown {
  const error = writeError("a file", thrown);
  if (error === thrown || !(error instanceof SparringError)) return thrown;
  return new SparringError({ code: error.code, message: error.message, cause: thrown });
}
