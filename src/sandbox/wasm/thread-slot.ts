/**
 * A place for one interpreter at a time: starts a thread when there is none, replaces one that was lost, and retires
 * one that has served long or has grown large.
 */
import { messageOf } from "../../errors.ts";
import type { PartFailure, PartRecord } from "../run-in-parts.ts";
import type { RunRequest } from "./program-run.ts";

/** The thread ended although nobody asked for it. */
export class ThreadLost extends Error {}

/** An interpreter in a thread of its own; `InterpreterThread` is one. */
export interface ProgramThread {
  readonly alive: boolean;
  /** Programs run so far. */
  readonly served: number;
  /** The size to which its memory has grown. It never shrinks, and all of it is cleared after every program. */
  readonly memoryBytes: number;
  /** Rejects with `ThreadLost`, or with the signal's reason. */
  run(request: RunRequest, signal: AbortSignal): Promise<PartRecord>;
  stop(): Promise<void>;
}

const servedBeforeRetiring = 10_000;
const grownBeforeRetiring = 64 * 1024 * 1024;
const attempts = 2;

export class ThreadSlot {
  readonly #start: () => Promise<ProgramThread>;
  #thread: ProgramThread | undefined;

  /** `ready` is a thread that has already been started. */
  constructor(start: () => Promise<ProgramThread>, ready?: ProgramThread) {
    this.#start = start;
    this.#thread = ready;
  }

  async run(request: RunRequest, signal: AbortSignal): Promise<PartRecord | PartFailure> {
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      try {
        if (!this.#thread?.alive) this.#thread = await this.#start();
      } catch (error) {
        return { failure: `no interpreter could be started: ${messageOf(error)}` };
      }
      try {
        return await this.#thread.run(request, signal);
      } catch (error) {
        if (!(error instanceof ThreadLost)) throw error;
        // Once may be anybody's fault. A program that ends two fresh threads must not be able to pass it off as ours.
        if (attempt === attempts) return endedTwice;
      }
    }
  }

  /** To be called between programs. */
  async retireIfTired(): Promise<void> {
    const thread = this.#thread;
    if (!thread) return;
    if (thread.served >= servedBeforeRetiring || thread.memoryBytes >= grownBeforeRetiring) await this.stop();
  }

  async stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.stop();
  }
}

const endedTwice: PartRecord = {
  frames: [],
  end: { kind: "died", how: "ended the sandbox's thread" },
  stdout: "",
  stderr: "",
  denied: 0,
  cpuSeconds: 0,
  wallSeconds: 0,
};
