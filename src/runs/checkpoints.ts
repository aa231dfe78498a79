/**
 * Checkpoints as one atomic unit: everything is written into a folder of another name, made durable, and renamed.
 * A folder without its marker does not exist for us, however complete it looks.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { SparringError } from "../errors.ts";
import { writeError } from "./append-log.ts";

const markerName = "complete.json";
const folderPattern = /^step-(\d+)$/;

export interface Checkpoint<State> {
  readonly step: number;
  readonly folder: string;
  readonly state: State;
}

export class Checkpoints<State> {
  readonly #folder: string;

  constructor(runFolder: string) {
    this.#folder = path.join(runFolder, "checkpoints");
  }

  /** `save` writes what the step needs into the folder it is given. */
  async write(step: number, state: State, save: (folder: string) => Promise<void>): Promise<void> {
    const final = path.join(this.#folder, `step-${step}`);
    const partial = path.join(this.#folder, `.step-${step}.partial`);
    await rm(partial, { recursive: true, force: true });
    try {
      await mkdir(partial, { recursive: true });
      await save(partial);
      writeFileSync(path.join(partial, markerName), JSON.stringify(state, null, 2));
      syncTree(partial);
      await rm(final, { recursive: true, force: true });
      await rename(partial, final);
      syncEntry(this.#folder);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw writeError(final, error);
    }
  }

  steps(): number[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((name) => folderPattern.test(name) && existsSync(path.join(this.#folder, name, markerName)))
      .map((name) => Number(folderPattern.exec(name)![1]))
      .sort((left, right) => left - right);
  }

  latest(): Checkpoint<State> | undefined {
    const step = this.steps().at(-1);
    return step === undefined ? undefined : this.read(step);
  }

  read(step: number): Checkpoint<State> {
    const folder = path.join(this.#folder, `step-${step}`);
    try {
      return {
        step,
        folder,
        state: JSON.parse(readFileSync(path.join(folder, markerName), "utf8")) as State,
      };
    } catch (error) {
      throw new SparringError({
        code: "checkpoint-damaged",
        message: `the checkpoint ${folder} cannot be read`,
        hint: "Remove that folder to continue from the checkpoint before it.",
        cause: error,
      });
    }
  }

  /** Keeps the newest `count`, and removes what a crash left half-written. */
  async prune(count: number): Promise<void> {
    const surplus = this.steps().slice(0, -count);
    const partial = (await readdir(this.#folder)).filter((name) => name.endsWith(".partial"));
    for (const name of [...surplus.map((step) => `step-${step}`), ...partial]) {
      await rm(path.join(this.#folder, name), { recursive: true, force: true });
    }
  }
}

function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) syncTree(full);
    else syncEntry(full);
  }
  syncEntry(folder);
}

function syncEntry(target: string): void {
  const descriptor = openSync(target, "r");
  try {
    fsyncSync(descriptor);
  } catch {
    // Some systems refuse this for folders; the rename is still atomic there.
  } finally {
    closeSync(descriptor);
  }
}
