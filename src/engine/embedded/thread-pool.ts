/**
 * The worker threads of an engine. Pieces of work go to whichever thread is free; what a thread computes never
 * depends on which one it is. While nothing is under way the threads do not keep the process alive.
 */
import { Worker } from "node:worker_threads";
import { SparringError } from "../../errors.ts";
import { compiledModule } from "../../package-root.ts";
import type { FinishedSample } from "./sample-unit.ts";
import type { FromThread, ThreadData, ToThread, Work, WorkResult } from "./thread-messages.ts";

interface Pending {
  readonly resolve: (result: WorkResult) => void;
  readonly reject: (error: unknown) => void;
}

export class ThreadPool {
  readonly size: number;
  readonly #workers: Worker[];
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<PoolListener>();
  #nextJob = 0;
  #holds = 0;
  #failure: SparringError | undefined;

  constructor(options: ThreadData & { readonly threads: number }) {
    this.size = options.threads;
    const workerData: ThreadData = { module: options.module, memory: options.memory };
    this.#workers = Array.from({ length: options.threads }, () => {
      const worker = new Worker(compiledModule("engine/embedded/thread.js"), { workerData, execArgv: [] });
      worker.on("message", (message: FromThread) => this.#receive(message));
      worker.on("error", (error) => this.#fail(error));
      worker.on("exit", () => this.#fail(undefined));
      worker.unref();
      return worker;
    });
  }

  /** Runs every piece, each on the next free thread; answers in the order of the pieces. */
  async runAll(pieces: readonly ((thread: number) => Work)[]): Promise<WorkResult[]> {
    const results: WorkResult[] = new Array(pieces.length);
    let next = 0;
    const serve = async (thread: number) => {
      while (next < pieces.length) {
        const index = next++;
        results[index] = await this.request(thread, (job) => ({
          kind: "work",
          job,
          work: pieces[index]!(thread),
        }));
      }
    };
    // Every thread must have stopped before anybody may reuse the memory that the pieces work on.
    const outcomes = await Promise.allSettled(this.#workers.map((_, thread) => serve(thread)));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    return results;
  }

  /** Sends a message that the thread answers. */
  request(thread: number, message: (job: number) => ToThread): Promise<WorkResult> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const job = this.#nextJob++;
    this.hold();
    return new Promise<WorkResult>((resolve, reject) => {
      this.#pending.set(job, { resolve, reject });
      this.#workers[thread]!.postMessage(message(job));
    }).finally(() => this.unhold());
  }

  post(thread: number, message: ToThread): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#workers[thread]!.postMessage(message);
  }

  /** Keeps the process alive until `unhold`: something is under way. */
  hold(): void {
    if (this.#holds++ === 0) for (const worker of this.#workers) worker.ref();
  }

  unhold(): void {
    if (--this.#holds === 0) for (const worker of this.#workers) worker.unref();
  }

  listen(listener: PoolListener): void {
    this.#listeners.add(listener);
  }

  unlisten(listener: PoolListener): void {
    this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#end(new SparringError({ code: "engine-closed", message: "The engine is closed." }));
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  #receive(message: FromThread): void {
    if (message.kind === "sampled") {
      for (const listener of this.#listeners) listener.sampled(message.sample);
      return;
    }
    const pending = this.#pending.get(message.job);
    this.#pending.delete(message.job);
    if (message.kind === "done") pending?.resolve(message.result);
    else
      pending?.reject(
        new SparringError({
          code: "engine-thread-failed",
          message: `A thread of the engine failed: ${message.message}`,
        }),
      );
  }

  #fail(cause: unknown): void {
    this.#end(
      new SparringError({
        code: "engine-thread-died",
        message: "A thread of the embedded engine ended unexpectedly.",
        hint: "Open the engine again and load the last saved state.",
        cause,
      }),
    );
  }

  #end(reason: SparringError): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
    for (const listener of this.#listeners) listener.ended(reason);
  }
}

export interface PoolListener {
  sampled(sample: FinishedSample): void;
  /** The threads are gone: nothing more will come. */
  ended(reason: SparringError): void;
}
