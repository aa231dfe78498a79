/**
 * One interpreter in its own thread, seen from ours. The thread ends programs at their limits by itself; this side
 * watches the same clocks from outside and ends the whole thread when it does not (C code that never looks up), and
 * when a cancelled program does not stop.
 */
import { Worker } from "node:worker_threads";
import { compiledModule } from "../../package-root.ts";
import type { PartEnd } from "../part-outcome.ts";
import type { PartRecord } from "../run-in-parts.ts";
import { splitFrames } from "./channel-frames.ts";
import type { InterpreterImage, RunEnd } from "./interpreter.ts";
import type { InterpreterKit } from "./interpreter-kit.ts";
import { type Journal, JournalReader, newJournal } from "./journal.ts";
import type { RunRequest } from "./program-run.ts";
import { Stopwatch } from "./stopwatch.ts";
import { kernelClock, type ThreadClock } from "./thread-clock.ts";
import type { FromThread, ThreadSettings } from "./thread-messages.ts";
import { type ProgramThread, ThreadLost } from "./thread-slot.ts";

/** How often the clocks are looked at from outside. */
const lookMilliseconds = 40;
/** How much later than the thread itself this side acts. */
const graceSeconds = 0.15;
const cancelGraceMilliseconds = 100;
/**
 * The interpreter stops recursion of C code by the size of its own stack, 4 MB inside its memory. The engine's stack
 * must be larger than that can ever need (about 20 times), or deep recursion ends the program instead of raising.
 * Only what is used of it takes memory.
 */
const stackMegabytes = 192;
const javaScriptMegabytes = 128;
/** What ordinary programs let the memory grow by. */
const ordinaryGrowthBytes = 8 * 1024 * 1024;

type EndedMessage = Extract<FromThread, { kind: "ended" }>;

export class InterpreterThread implements ProgramThread {
  readonly image: InterpreterImage;
  readonly #worker: Worker;
  readonly #journal: JournalReader;
  readonly #clock: ThreadClock | undefined;
  #served = 0;
  #ballastBytes = 0;
  #alive = true;
  #spilled: Uint8Array[] = [];
  /** Told when the program has ended, or the thread (undefined). */
  #onEnd: (message: EndedMessage | undefined) => void = () => {};

  private constructor(worker: Worker, journal: Journal, ready: Extract<FromThread, { kind: "ready" }>) {
    this.#worker = worker;
    this.#journal = new JournalReader(journal);
    this.image = ready.image;
    this.#clock = kernelClock(ready.threadName);
    // An idle interpreter keeps nobody waiting; while a program runs, the watch keeps the process alive.
    worker.unref();
    worker.on("message", (message: FromThread) => {
      if (message.kind === "spill") this.#spilled.push(message.bytes);
      if (message.kind === "ended") this.#onEnd(message);
    });
    worker.on("exit", () => {
      this.#alive = false;
      this.#clock?.close();
      this.#onEnd(undefined);
    });
  }

  /** Boots an interpreter, or starts one from an image. */
  static async start(kit: InterpreterKit, image: InterpreterImage | undefined): Promise<InterpreterThread> {
    const journal = newJournal();
    const settings: ThreadSettings = {
      module: kit.module,
      library: kit.library,
      origin: image ? { image } : { ownFiles: kit.ownFiles },
      journal,
    };
    const worker = new Worker(compiledModule("sandbox/wasm/worker.js"), {
      workerData: settings,
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { stackSizeMb: stackMegabytes, maxOldGenerationSizeMb: javaScriptMegabytes },
    });
    // Errors are followed by an exit; without a listener they would end this process.
    let failure = "the thread ended while starting";
    worker.on("error", (error) => {
      failure = error.message;
    });
    const first = await new Promise<FromThread>((resolve) => {
      worker.once("message", resolve);
      worker.once("exit", () => resolve({ kind: "not-ready", message: failure }));
    });
    if (first.kind !== "ready") {
      await worker.terminate();
      throw new ThreadLost(first.kind === "not-ready" ? first.message : "unexpected first message");
    }
    return new InterpreterThread(worker, journal, first);
  }

  get alive(): boolean {
    return this.#alive;
  }

  get served(): number {
    return this.#served;
  }

  get ballastBytes(): number {
    return this.#ballastBytes;
  }

  async stop(): Promise<void> {
    this.#alive = false;
    await this.#worker.terminate();
  }

  async run(request: RunRequest, signal?: AbortSignal): Promise<PartRecord> {
    signal?.throwIfAborted();
    this.#served++;
    this.#spilled = [];
    this.#journal.setCancelled("no");
    const started = performance.now();
    const watch = this.#watch(request);
    const cancel = () => {
      this.#journal.setCancelled("yes");
      watch.terminateIn(cancelGraceMilliseconds);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    const message = await new Promise<EndedMessage | undefined>((resolve) => {
      this.#onEnd = resolve;
      if (this.#alive) this.#worker.postMessage(request);
      else resolve(undefined);
    });
    this.#onEnd = () => {};
    signal?.removeEventListener("abort", cancel);
    watch.stop();
    signal?.throwIfAborted();
    const common = {
      frames: splitFrames(Buffer.concat([...this.#spilled, this.#journal.remainder()]), request.cases + 1),
      denied: this.#journal.denied,
      wallSeconds: (performance.now() - started) / 1000,
    };
    if (message) {
      const grown = message.memoryBytes - this.image.memory.byteLength;
      this.#ballastBytes += Math.max(0, grown - ordinaryGrowthBytes);
      const { stdout, stderr, cpuSeconds } = message;
      return { ...common, end: endOf(message.end), stdout: text(stdout), stderr: text(stderr), cpuSeconds };
    }
    const limit = watch.endedFor;
    if (!limit) throw new ThreadLost("its thread ended");
    const { cpuSeconds } = watch;
    return { ...common, end: { kind: "timed-out", limit }, stdout: "", stderr: "", cpuSeconds };
  }

  /** Looks at the program's clocks until told to stop, and ends the thread when a limit has long passed. */
  #watch(request: RunRequest) {
    const { limits } = request;
    // Where other threads' CPU time cannot be seen, only the wall limit is kept from outside.
    const clock = this.#clock ?? { read: () => ({ cpu: 0, waiting: 0 }) };
    const stopwatch = new Stopwatch(clock, () => performance.now(), {
      caseCpuSeconds: limits.caseCpuSeconds + graceSeconds,
      caseWallSeconds: limits.caseWallSeconds + graceSeconds,
      programCpuSeconds: limits.programCpuSeconds + graceSeconds,
      programWallSeconds: limits.programWallSeconds + graceSeconds,
    });
    let frames = 0;
    const watch = {
      endedFor: undefined as "cpu" | "wall" | "program" | undefined,
      cpuSeconds: 0,
      stop: () => clearInterval(timer),
      terminateIn: (milliseconds: number) => {
        clearInterval(timer);
        timer = setInterval(terminate, milliseconds);
      },
    };
    const terminate = () => {
      clearInterval(timer);
      watch.cpuSeconds = stopwatch.cpuSeconds();
      void this.stop();
    };
    let timer = setInterval(() => {
      if (this.#journal.frames !== frames) {
        frames = this.#journal.frames;
        stopwatch.nextCase();
      }
      watch.endedFor = stopwatch.passedLimit();
      if (watch.endedFor) terminate();
    }, lookMilliseconds);
    return watch;
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}

function endOf(end: RunEnd): PartEnd {
  switch (end.kind) {
    case "limit":
      if (end.limit === "output") return { kind: "flooded", what: "printed" };
      if (end.limit === "value") return { kind: "flooded", what: "value" };
      if (end.limit === "refused") return { kind: "died", how: "kept making refused system calls" };
      return { kind: "timed-out", limit: end.limit };
    case "exited":
      return { kind: "exited", code: end.code };
    case "out-of-memory":
      return { kind: "out-of-memory" };
    case "aborted":
      return { kind: "died", how: "aborted" };
    case "fault":
      return { kind: "died", how: `crashed (${end.message})` };
    default:
      return { kind: "exited", code: 0 };
  }
}
