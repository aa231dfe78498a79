/**
 * The WebAssembly sandbox: sealed Pythons in threads of this process. It needs nothing but Node and works on every
 * system. What a program can reach is the list in import-table.ts; after each program its interpreter is put back to
 * the image it started from.
 *
 * What programs can see of it: no processes; threads run to their end when they are started; hashes of 32 bits, so
 * sets of strings come in another order; the Python that Pyodide brings.
 */
import { availableParallelism } from "node:os";
import { SparringError } from "../../errors.ts";
import { scratchBytes } from "../limits.ts";
import { SlotPool } from "../pool.ts";
import { refusedSource } from "../refused-source.ts";
import { type PartOrder, runInParts } from "../run-in-parts.ts";
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
import { InterpreterThread } from "./interpreter-thread.ts";
import type { RunRequest } from "./program-run.ts";
import { ThreadSlot } from "./thread-slot.ts";

export interface WasmSandboxOptions {
  /** Programs at the same time; the number of processors unless said. */
  readonly workers?: number;
}

interface Booted {
  readonly kit: InterpreterKit;
  readonly image: InterpreterImage;
  /** The thread that booted, until a sandbox takes it. */
  spare?: InterpreterThread;
}

/** Done by the first sandbox of this process, used by all. */
let booted: Promise<Booted> | undefined;

export async function createWasmSandbox(options: WasmSandboxOptions = {}): Promise<Sandbox> {
  booted ??= boot().catch((error) => {
    booted = undefined;
    throw error;
  });
  return new WasmSandbox(await booted, options.workers ?? availableParallelism());
}

async function boot(): Promise<Booted> {
  const kit = await loadInterpreterKit();
  const spare = await InterpreterThread.start(kit, undefined);
  return { kit, image: spare.image, spare };
}

const isolation = "full";

class WasmSandbox implements Sandbox {
  readonly #python: string;
  readonly #slots: readonly ThreadSlot[];
  readonly #pool: SlotPool<ThreadSlot>;

  constructor(from: Booted, workers: number) {
    this.#python = from.image.python;
    const start = () => InterpreterThread.start(from.kit, from.image);
    this.#slots = Array.from({ length: workers }, () => {
      const { spare } = from;
      delete from.spare;
      return new ThreadSlot(start, spare);
    });
    this.#pool = new SlotPool(this.#slots);
  }

  describe(): SandboxDescription {
    const workers = this.#slots.length;
    return { kind: "wasm", isolation, integrity: "values", python: this.#python, workers, layers };
  }

  async run(job: ProgramJob, options: RunOptions = {}): Promise<SandboxReport> {
    const refused = refusedSource(job, isolation);
    if (refused) return refused;
    const lease = await this.#pool.acquire(options);
    try {
      const report = await runInParts(job, (order) => lease.slot.run(requestFor(job, order), options.signal));
      return { ...report, underLoad: lease.underLoad, isolation };
    } finally {
      await lease.slot.retireIfTired();
      lease.release();
    }
  }

  async close(): Promise<void> {
    const idle = this.#pool.close();
    const reason = new SparringError({ code: "sandbox-closed", message: "the sandbox has been closed" });
    await Promise.all(this.#slots.map((slot) => slot.close(reason)));
    await idle;
  }
}

function requestFor(job: ProgramJob, order: PartOrder): RunRequest {
  const { body, input, cases, caseWallSeconds, programCpuSeconds, programWallSeconds } = order;
  const times = { caseWallSeconds, programCpuSeconds, programWallSeconds };
  return { job: body, input, cases, limits: { ...job.limits, ...times, scratchBytes } };
}

const layer = (name: string, detail: string): Layer => ({ name, active: true, detail });
const layers: readonly Layer[] = [
  layer("WebAssembly", "the interpreter can touch nothing but its own memory and the calls it is given"),
  layer("sealed imports", "files in memory, clocks and random bytes; everything else is refused and counted"),
  layer("no JavaScript", "Pyodide's own JavaScript is never loaded, so there is none to reach"),
  layer("reset", "memory, stack and files are put back to a fixed image after every program"),
  layer("limits", "CPU time, wall time, memory, output and files are bounded; a hanging thread is ended"),
];
