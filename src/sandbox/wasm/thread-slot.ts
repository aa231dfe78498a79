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
  /**
   * What its memory has cost by having grown, in bytes cleared so far: memory never shrinks, and all of it is cleared
   * after every program.
   */
  readonly ballastBytes: number;
  /** Rejects with `ThreadLost`, or with the signal's reason. */
  run(request: RunRequest, signal?: AbortSignal): Promise<PartRecord>;
  stop(): Promise<void>;
}

const servedBeforeRetiring = 10_000;
/** About as much as can be cleared in the time that a new thread takes to start. */
const ballastBeforeRetiring = 256 * 1024 * 1024;
const attempts = 2;

export class ThreadSlot {
  readonly #start: () => Promise<ProgramThread>;
  #thread: ProgramThread | undefined;
  #closed: Error | undefined;

  /** `ready` is a thread that has already been started. */
  constructor(start: () => Promise<ProgramThread>, ready?: ProgramThread) {
    this.#start = start;
    this.#thread = ready;
  }

  /** Rejects with the signal's reason, or with the one for closing. */
  async run(request: RunRequest, signal?: AbortSignal): Promise<PartRecord | PartFailure> {
    for (let attempt = 1; ; attempt++) {
      if (this.#closed) throw this.#closed;
      let thread: ProgramThread;
      try {
        thread = await this.#readyThread();
      } catch (error) {
        return { failure: `no interpreter could be started: ${messageOf(error)}` };
      }
      signal?.throwIfAborted();
      try {
        return await thread.run(request, signal);
      } catch (error) {
        if (!(error instanceof ThreadLost)) throw error;
        if (this.#closed) throw this.#closed;
        // Once may be anybody's fault. A program that ends two fresh threads must not be able to pass it off as ours.
        if (attempt === attempts) return endedTwice;
      }
    }
  }

  async #readyThread(): Promise<ProgramThread> {
    if (this.#thread?.alive) return this.#thread;
    const thread = await this.#start();
    this.#thread = thread;
    // Closed while it started: nobody else will end it.
    if (this.#closed) await thread.stop();
    return thread;
  }

  /** To be called between programs. */
  async retireIfTired(): Promise<void> {
    const thread = this.#thread;
    if (!thread) return;
    if (thread.served < servedBeforeRetiring && thread.ballastBytes < ballastBeforeRetiring) return;
    this.#thread = undefined;
    await thread.stop();
  }

  /** Ends the thread, and with it the program that runs, which is told the reason. */
  async close(reason: Error): Promise<void> {
    this.#closed = reason;
    await this.#thread?.stop();
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
