/**
 * One process per run folder. The lock names its holder, so that the lock of a process that was killed is recognised
 * and taken over, and the lock of a living one is respected.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { SparringError } from "../errors.ts";

interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, by the kernel: process ids are used again. */
  readonly started: string;
}

/** What people are told where somebody else holds the lock. */
export interface LockWords {
  /** What is locked; the folder unless said. */
  readonly name?: string;
  readonly hint?: string;
  /** What may be removed if the holder is surely gone; the lock file unless said. */
  readonly removable?: string;
}

export class RunLock {
  readonly #file: string;

  /** Throws `run-in-use` when a living process holds the folder, or one on another machine that cannot be asked. */
  constructor(folder: string, words: LockWords = {}) {
    this.#file = path.join(folder, "lock.json");
    const holder: Holder = { pid: process.pid, host: hostname(), started: startOf(process.pid) ?? "" };
    for (;;) {
      try {
        writeFileSync(this.#file, JSON.stringify(holder), { flag: "wx" });
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const other = readHolder(this.#file);
      if (other && isAlive(other)) {
        throw new SparringError({
          code: "run-in-use",
          message: `${words.name ?? folder} is in use by process ${other.pid} on ${other.host}`,
          hint:
            (words.hint ?? "Wait for it, stop it with Ctrl-C, or choose another --name.") +
            (other.host === hostname() ? "" : strangerHint(other, words.removable ?? this.#file)),
        });
      }
      rmSync(this.#file, { force: true });
    }
  }

  release(): void {
    rmSync(this.#file, { force: true });
  }
}

/** Nobody here can tell whether it still runs; a container that is started again has another name than before. */
function strangerHint({ pid, host }: Holder, removable: string): string {
  return ` That is another machine, or a container of another name: if process ${pid} on ${host} is surely gone, remove ${removable} and start again.`;
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Holder;
  } catch {
    return undefined; // torn by a crash: nobody holds it
  }
}

/** A holder on another machine cannot be asked; it counts as alive. */
function isAlive(holder: Holder): boolean {
  if (holder.host !== hostname()) return true;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const started = startOf(holder.pid);
  return started === undefined || started === holder.started;
}

/** Undefined where the system does not tell. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name in parentheses may hold anything; the fields after it are plain. The 20th is the start time.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
