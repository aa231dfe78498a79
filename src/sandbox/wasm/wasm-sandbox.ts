/**
 * The WebAssembly sandbox: sealed Pythons in threads of this process. It needs nothing but Node and works on every
 * system. What a program can reach is the list in import-table.ts; after each program its interpreter is put back to
 * the image it started from.
 *
 * Differences from the native sandbox that programs can see: no threads and no processes (starting one raises), 32-bit
 * hashes, the newest Python.
 */
import { availableParallelism, loadavg } from "node:os";
import { messageOf, SparringError } from "../../errors.ts";
import { scratchBytes } from "../limits.ts";
import { SlotPool } from "../pool.ts";
import { refusedSource } from "../refused-source.ts";
import { type PartFailure, type PartOrder, type PartRecord, runInParts } from "../run-in-parts.ts";
import type {
  Layer,
  ProgramJob,
  RunOptions,
  Sandbox,
  SandboxDescription,
  SandboxReport,
} from "../sandbox.ts";
import type { InterpreterImage } from "./interpreter.ts";
import { type InterpreterKit, loadInterpreterKit } from "./interpreter-kit.ts";
import { InterpreterThread, ThreadLost } from "./interpreter-thread.ts";
import type { RunRequest } from "./program-run.ts";

export interface WasmSandboxOptions {
  /** Programs at the same time; the number of processors unless said. */
  readonly workers?: number;
}

const isolation = "full";
const servedBeforeRecycling = 10_000;
/** An interpreter's memory never shrinks, and all of it is cleared after every program. */
const grownBeforeRecycling = 64 * 1024 * 1024;
const attempts = 2;

interface Booted {
  readonly kit: InterpreterKit;
  readonly image: InterpreterImage;
}

/** Made by the first sandbox of this process, used by all. */
let booted: Promise<Booted> | undefined;

export async function createWasmSandbox(options: WasmSandboxOptions = {}): Promise<Sandbox> {
  const slots = Array.from({ length: options.workers ?? availableParallelism() }, (): Slot => ({}));
  booted ??= bootInto(slots[0]!).catch((error) => {
    booted = undefined;
    throw error;
  });
  return new WasmSandbox(await booted, slots);
}

/** The thread that made the image stays with whoever asked for it first. */
async function bootInto(slot: Slot): Promise<Booted> {
  const kit = await loadInterpreterKit();
  slot.thread = await InterpreterThread.start(kit, undefined);
  return { kit, image: slot.thread.image };
}

interface Slot {
  /** Started when the slot is first used, and again after it was lost. */
  thread?: InterpreterThread;
}

class WasmSandbox implements Sandbox {
  readonly #booted: Booted;
  readonly #slots: readonly Slot[];
  readonly #pool: SlotPool<Slot>;
  readonly #closing = new AbortController();

  constructor(start: Booted, slots: readonly Slot[]) {
    this.#booted = start;
    this.#slots = slots;
    this.#pool = new SlotPool(slots);
  }

  describe(): SandboxDescription {
    const { image } = this.#booted;
    return {
      kind: "wasm",
      isolation,
      integrity: "values",
      python: image.python,
      workers: this.#slots.length,
      layers: layers(),
    };
  }

  async run(job: ProgramJob, options: RunOptions = {}): Promise<SandboxReport> {
    const refused = refusedSource(job, isolation);
    if (refused) return refused;
    const lease = await this.#pool.acquire(options);
    const signal = options.signal
      ? AbortSignal.any([options.signal, this.#closing.signal])
      : this.#closing.signal;
    try {
      const report = await runInParts(job, (order) => this.#runPart(lease.slot, job, order, signal));
      return { ...report, underLoad: lease.underLoad, isolation };
    } finally {
      await recycleIfTired(lease.slot);
      lease.release();
    }
  }

  async close(): Promise<void> {
    const idle = this.#pool.close();
    this.#closing.abort(closedError());
    await idle;
    await Promise.all(this.#slots.map((slot) => slot.thread?.stop()));
  }

  async #runPart(
    slot: Slot,
    job: ProgramJob,
    order: PartOrder,
    signal: AbortSignal,
  ): Promise<PartRecord | PartFailure> {
    const request = requestOf(job, order);
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      try {
        if (!slot.thread?.alive) {
          slot.thread = await InterpreterThread.start(this.#booted.kit, this.#booted.image);
        }
      } catch (error) {
        return { failure: `no interpreter could be started: ${messageOf(error)}` };
      }
      try {
        return await slot.thread.run(request, signal);
      } catch (error) {
        if (!(error instanceof ThreadLost)) throw error;
        // Once may be anybody's fault. A program that ends two fresh threads does it on purpose, and must not be able
        // to pass that off as ours.
        if (attempt === attempts) return killedRecord;
      }
    }
  }
}

const killedRecord: PartRecord = {
  frames: [],
  end: { kind: "died", how: "ended its thread" },
  stdout: "",
  stderr: "",
  denied: 0,
  cpuSeconds: 0,
  wallSeconds: 0,
};

function requestOf(job: ProgramJob, order: PartOrder): RunRequest {
  const { limits } = job;
  return {
    job: order.body,
    input: order.input,
    cases: order.cases,
    limits: {
      caseCpuSeconds: limits.caseCpuSeconds,
      // A backstop for sleepers; the busier the machine, the longer an honest program may have to wait.
      caseWallSeconds: limits.caseWallSeconds * Math.max(1, loadavg()[0]! / availableParallelism()),
      programCpuSeconds: order.programCpuSeconds,
      memoryBytes: limits.memoryBytes,
      outputBytes: limits.outputBytes,
      valueBytes: limits.valueBytes,
      scratchBytes,
    },
  };
}

async function recycleIfTired(slot: Slot): Promise<void> {
  const { thread } = slot;
  if (!thread || (thread.served < servedBeforeRecycling && thread.memoryBytes < grownBeforeRecycling)) return;
  delete slot.thread;
  await thread.stop();
}

function closedError(): SparringError {
  return new SparringError({ code: "sandbox-closed", message: "the sandbox has been closed" });
}

function layers(): readonly Layer[] {
  const layer = (name: string, detail: string): Layer => ({ name, active: true, detail });
  return [
    layer("WebAssembly", "the interpreter can touch nothing but its own memory and the calls it is given"),
    layer(
      "sealed imports",
      "files in memory, clocks and random bytes; everything else is refused and counted",
    ),
    layer("no JavaScript", "Pyodide's own JavaScript is never loaded, so there is none to reach"),
    layer("reset", "memory, stack and files are restored from an image after every program"),
    layer("limits", "CPU time, wall time, memory, output and files are bounded; a hanging thread is ended"),
  ];
}
