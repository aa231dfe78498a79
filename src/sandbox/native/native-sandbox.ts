/**
 * The native sandbox: Linux and any Python 3.9 or newer. Warm workers fork one locked-down child per program.
 *
 * A program whose case ends the child (a hang, a crash, an exit) is continued with the cases after it in a fresh
 * child. A worker that is lost is replaced and the part is run again; if that fails too, the cases that are left are
 * `infrastructure`.
 */
import { setMaxListeners } from "node:events";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { messageOf, SparringError } from "../../errors.ts";
import { scratchBytes } from "../limits.ts";
import { SlotPool } from "../pool.ts";
import { refusedSource } from "../refused-source.ts";
import { type PartFailure, type PartOrder, type PartRecord, runInParts } from "../run-in-parts.ts";
import {
  type IsolationLevel,
  isolationLevels,
  type ProgramJob,
  type RunOptions,
  type Sandbox,
  type SandboxDescription,
  type SandboxReport,
} from "../sandbox.ts";
import { findPython } from "./find-python.ts";
import { readPart } from "./interpret.ts";
import { type WorkerGreeting, WorkerProcess, type WorkerSettings } from "./worker-process.ts";

export interface NativeSandboxOptions {
  /** Programs at the same time; the number of processors unless said. */
  readonly workers?: number;
  readonly python?: string;
  /** Refuse to start below this level. */
  readonly demand?: IsolationLevel;
  /** Do not try for more than this level; for tests of the lower ones. */
  readonly atMost?: IsolationLevel;
  /** Run the workers as this user id; only root can. */
  readonly user?: number;
}

const servedBeforeRecycling = 20_000;
const attempts = 2;
/** A worker that is this late with an answer is stuck itself: it ends every program in time. */
const graceSeconds = 60;

export async function createNativeSandbox(options: NativeSandboxOptions = {}): Promise<Sandbox> {
  if (process.platform !== "linux") {
    throw new SparringError({
      code: "native-needs-linux",
      message: `the native sandbox needs Linux; this is ${process.platform}`,
      hint: "Use the wasm sandbox: it works on every system.",
    });
  }
  const python = await findPython(options.python);
  const settings: WorkerSettings = {
    executable: python.executable,
    wanted: options.atMost ?? "full",
    scratchBytes,
    ...(options.user === undefined ? {} : { user: options.user }),
  };
  const count = options.workers ?? availableParallelism();
  const started = await Promise.all(Array.from({ length: count }, () => WorkerProcess.start(settings)));
  const greeting = started[0]!.greeting;
  const sandbox = new NativeSandbox(
    settings,
    greeting,
    started.map(({ worker }) => ({ worker })),
  );
  const shortfall = await shortfallOf(greeting, options);
  if (shortfall === undefined) return sandbox;
  await sandbox.close();
  const missing = greeting.layers.filter(({ active }) => !active);
  throw new SparringError({
    code: "isolation-too-low",
    message: `${shortfall}; missing: ${missing.map(({ name, detail }) => `${name} (${detail})`).join(", ")}`,
    hint: "Use the wasm sandbox, or allow user namespaces and seccomp for this process.",
  });
}

/** Why what the workers found is not enough, or undefined. */
async function shortfallOf(
  greeting: WorkerGreeting,
  { demand = "limits", user }: NativeSandboxOptions,
): Promise<string | undefined> {
  if (isolationLevels.indexOf(greeting.level) < isolationLevels.indexOf(demand)) {
    return `isolation "${demand}" is demanded, this machine allows "${greeting.level}"`;
  }
  if (greeting.level !== "limits") return undefined;
  // Nothing but its user keeps a program of the lowest level from reading the expected answers in our memory.
  const otherUser =
    greeting.layers.some(({ name, active }) => name === "user" && active) ||
    (user !== undefined && user !== process.getuid?.());
  return otherUser || (await debuggingIsRestricted())
    ? undefined
    : "with resource limits alone, a program of the same user could read the answers in this process's memory";
}

/** Whether this kernel lets a process look only into its own descendants. */
async function debuggingIsRestricted(): Promise<boolean> {
  try {
    return Number(await readFile("/proc/sys/kernel/yama/ptrace_scope", "utf8")) > 0;
  } catch {
    return false;
  }
}

interface Slot {
  worker: WorkerProcess;
}

class NativeSandbox implements Sandbox {
  readonly #settings: WorkerSettings;
  readonly #greeting: WorkerGreeting;
  readonly #slots: readonly Slot[];
  readonly #pool: SlotPool<Slot>;
  readonly #closing = new AbortController();

  constructor(settings: WorkerSettings, greeting: WorkerGreeting, slots: readonly Slot[]) {
    this.#settings = settings;
    this.#greeting = greeting;
    this.#slots = slots;
    this.#pool = new SlotPool(slots);
    setMaxListeners(0, this.#closing.signal);
  }

  describe(): SandboxDescription {
    return {
      kind: "native",
      isolation: this.#greeting.level,
      integrity: "values",
      python: this.#greeting.python,
      workers: this.#slots.length,
      layers: this.#greeting.layers,
    };
  }

  async run(job: ProgramJob, options: RunOptions = {}): Promise<SandboxReport> {
    const refused = refusedSource(job, this.#greeting.level);
    if (refused) return refused;
    const lease = await this.#pool.acquire(options);
    // Not joined by AbortSignal.any: every join of a signal that lives long leaves something behind.
    const signals = [this.#closing.signal, ...(options.signal ? [options.signal] : [])];
    const stop = () => lease.slot.worker.kill();
    for (const signal of signals) signal.addEventListener("abort", stop, { once: true });
    try {
      const parts = await runInParts(job, (order) => this.#runPart(lease.slot, job, order, signals));
      return { ...parts, underLoad: lease.underLoad, isolation: this.#greeting.level };
    } finally {
      for (const signal of signals) signal.removeEventListener("abort", stop);
      await this.#recycle(lease.slot);
      lease.release();
    }
  }

  async close(): Promise<void> {
    const idle = this.#pool.close();
    this.#closing.abort(
      new SparringError({ code: "sandbox-closed", message: "the sandbox has been closed" }),
    );
    await idle;
    await Promise.all(this.#slots.map(({ worker }) => worker.close()));
  }

  async #runPart(
    slot: Slot,
    job: ProgramJob,
    order: PartOrder,
    signals: readonly AbortSignal[],
  ): Promise<PartRecord | PartFailure> {
    let failure = "";
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      for (const signal of signals) signal.throwIfAborted();
      let stuck: NodeJS.Timeout | undefined;
      try {
        if (!slot.worker.alive) slot.worker = (await WorkerProcess.start(this.#settings)).worker;
        stuck = setTimeout(() => slot.worker.kill(), (order.programWallSeconds + graceSeconds) * 1000);
        const record = await slot.worker.request({
          body: Buffer.from(order.body),
          input: Buffer.from(order.input),
          limits: job.limits,
          caseWallSeconds: order.caseWallSeconds,
          programCpuSeconds: order.programCpuSeconds,
          programWallSeconds: order.programWallSeconds,
        });
        return readPart(record, order.cases + 1);
      } catch (error) {
        for (const signal of signals) signal.throwIfAborted();
        failure = `the sandbox worker ${messageOf(error)}`;
      } finally {
        clearTimeout(stuck);
      }
    }
    return { failure };
  }

  async #recycle(slot: Slot): Promise<void> {
    if (slot.worker.served < servedBeforeRecycling || !slot.worker.alive) return;
    const tired = slot.worker;
    try {
      slot.worker = (await WorkerProcess.start(this.#settings)).worker;
    } catch {
      return; // the tired one goes on; the program that has just been judged must not suffer for it
    }
    await tired.close();
  }
}
