/** Problems to a file in the plain format, one per line. The file appears whole or not at all. */
import { access, rename, rm, writeFile } from "node:fs/promises";
import { messageOf, SparringError } from "../errors.ts";
import { plainRecord } from "./plain-problem.ts";
import type { Problem } from "./problem.ts";

export async function writeProblems(file: string, problems: readonly Problem[]): Promise<void> {
  const partial = `${file}.${process.pid}.partial`;
  try {
    const lines = problems.map((problem) => `${JSON.stringify(plainRecord(problem))}\n`);
    await writeFile(partial, lines, { flag: "wx" });
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw new SparringError({
      code: "file-unwritable",
      message: `${file} cannot be written: ${messageOf(error)}`,
      hint: "Check the folder, its permissions and the room on the disk.",
      cause: error,
    });
  }
}

/** To be asked before the work whose result is to be written. */
export async function refuseToOverwrite(file: string): Promise<void> {
  if (!(await exists(file))) return;
  throw new SparringError({
    code: "file-exists",
    message: `${file} already exists`,
    hint: "Choose another name, or add --force to overwrite it.",
  });
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
