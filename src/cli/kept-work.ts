/**
 * What a command has finished lies beside its output until nothing is missing any more. Problems that may fare better
 * another time, such as those whose prompt a model refused, are missing; the others need not be paid for twice.
 */
import { existsSync, rmSync } from "node:fs";
import { counted } from "./counted.ts";
import { printProgress } from "./output.ts";

/** Call it when the output is written, or when it is known that there is nothing to write. */
export function settleKeptWork(
  file: string,
  { missing, isWritten }: { readonly missing: number; readonly isWritten: boolean },
): void {
  if (missing === 0) rmSync(file, { force: true });
  // Where no problem was finished there is no such file.
  if (!existsSync(file)) return;
  const again = isWritten ? "the same command with --force" : "the same command";
  printProgress(
    `${counted(missing, "problem")} missing: ${again} asks only for what is missing, the others are kept in ${file}`,
  );
}
