/**
 * The native sandbox: Linux and any Python 3.9 or newer. Warm workers fork one locked-down child per program.
 *
 * A program whose case ends the child (a hang, a crash, an exit) is continued with the cases after it in a fresh
 * child. A worker that is lost is replaced and the part is run again; if that fails too, the cases that are left are
 * `infrastructure`.
 */
import { availableParallelism, loadavg } from "node:os";
import { SparringError } from "../../errors.ts";
import { encodeJob } from "../encode-job.ts";
import { scratchBytes } from "../limits.ts";
import { SlotPool } from "../pool.ts";
import { refusedSource } from "../refused-source.ts";
import {
  caseCount,
  type IsolationLevel,
  isolationLevels,
  type Observation,
  type ProgramJob,
  type RunOptions,
  type Sandbox,
  type SandboxDescription,
  type SandboxReport,
} from "../sandbox.ts";
import { findPython } from "./find-python.ts";
import { interpretFunctionPart, interpretStdioPart } from "./interpret.ts";
import type { Ending, WorkerRecord } from "./records.ts";
import { type WorkerGreeting, WorkerLost, WorkerProcess, type WorkerSettings } from "./worker-process.ts";

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
  const demand = options.demand ?? "limits";
  if (isolationLevels.indexOf(greeting.level) < isolationLevels.indexOf(demand)) {
    await sandbox.close();
    const missing = greeting.layers
      .filter((layer) => !layer.active)
      .map((layer) => `${layer.name} (${layer.detail})`);
    throw new SparringError({
      code: "isolation-too-low",
      message: `isolation "${demand}" is demanded, this machine allows "${greeting.level}"; missing: ${missing.join(", ")}`,
      hint: "Use the wasm sandbox, or allow user namespaces and seccomp for this process.",
    });
  }
  return sandbox;
}

interface Slot {
  worker: WorkerProcess;
}

interface Part {
  readonly record: WorkerRecord;
  readonly ending: Ending;
}

class NativeSandbox implements Sandbox {
  readonly #settings: WorkerSettings;
  readonly #greeting: WorkerGreeting;
  readonly #slots: readonly Slot[];
  readonly #pool: SlotPool<Slot>;

  constructor(settings: WorkerSettings, greeting: WorkerGreeting, slots: readonly Slot[]) {
    this.#settings = settings;
    this.#greeting = greeting;
    this.#slots = slots;
    this.#pool = new SlotPool(slots);
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
    const stop = () => lease.slot.worker.kill();
    options.signal?.addEventListener("abort", stop, { once: true });
    try {
      const run = new ProgramRun(job, (body, cases, programCpuSeconds) =>
        this.#runPart(lease.slot, job, { body, cases, programCpuSeconds }, options.signal),
      );
      const loaded = await run.finish();
      return { ...run.report, loaded, underLoad: lease.underLoad, isolation: this.#greeting.level };
    } finally {
      options.signal?.removeEventListener("abort", stop);
      await this.#recycle(lease.slot);
      lease.release();
    }
  }

  async close(): Promise<void> {
    const idle = this.#pool.close();
    for (const { worker } of this.#slots) if (this.#pool.running > 0) worker.kill();
    await idle;
    await Promise.all(this.#slots.map(({ worker }) => worker.close()));
  }

  async #runPart(
    slot: Slot,
    job: ProgramJob,
    part: { body: string; cases: number; programCpuSeconds: number },
    signal: AbortSignal | undefined,
  ): Promise<Part | WorkerLost> {
    let lost = new WorkerLost("not started");
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      signal?.throwIfAborted();
      try {
        if (!slot.worker.alive) slot.worker = (await WorkerProcess.start(this.#settings)).worker;
        const record = await slot.worker.request({
          body: Buffer.from(part.body),
          cases: part.cases,
          limits: job.limits,
          // A backstop for sleepers; the busier the machine, the longer an honest program may have to wait.
          caseWallSeconds: job.limits.caseWallSeconds * Math.max(1, loadavg()[0]! / availableParallelism()),
          programCpuSeconds: part.programCpuSeconds,
        });
        return { record, ending: record.description as Ending };
      } catch (error) {
        signal?.throwIfAborted();
        lost = error instanceof WorkerLost ? error : new WorkerLost((error as Error).message);
      }
    }
    return lost;
  }

  async #recycle(slot: Slot): Promise<void> {
    if (slot.worker.served < servedBeforeRecycling || !slot.worker.alive) return;
    const tired = slot.worker;
    slot.worker = (await WorkerProcess.start(this.#settings)).worker;
    await tired.close();
  }
}

type RunPart = (body: string, cases: number, programCpuSeconds: number) => Promise<Part | WorkerLost>;

/** Takes one program through as many children as its cases need. */
class ProgramRun {
  readonly #job: ProgramJob;
  readonly #runPart: RunPart;
  readonly #observations: Observation[] = [];
  #cpuSeconds = 0;
  #wallSeconds = 0;
  #denied = 0;

  constructor(job: ProgramJob, runPart: RunPart) {
    this.#job = job;
    this.#runPart = runPart;
  }

  get report(): Pick<SandboxReport, "observations" | "denied" | "cpuSeconds" | "wallSeconds"> {
    return {
      observations: this.#observations,
      denied: this.#denied,
      cpuSeconds: this.#cpuSeconds,
      wallSeconds: this.#wallSeconds,
    };
  }

  /** Whether the program loaded. */
  async finish(): Promise<boolean> {
    const total = caseCount(this.#job.work);
    do {
      const first = this.#observations.length;
      const left = this.#job.limits.programCpuSeconds - this.#cpuSeconds;
      if (left <= 0) {
        this.#fill(total, { kind: "timed-out", limit: "program" });
        break;
      }
      const isFunction = this.#job.work.style === "function";
      const cases = isFunction ? total - first : 0;
      const part = await this.#runPart(encodeJob(this.#job, first), cases, left);
      if (part instanceof WorkerLost) {
        this.#fill(total, { kind: "infrastructure", message: `the sandbox worker ${part.message}` });
        break;
      }
      this.#count(part.ending);
      const { record, ending } = part;
      if (isFunction) {
        const { loaded, observations } = interpretFunctionPart(record.channel, ending, cases);
        this.#observations.push(...observations);
        if (!loaded) return first > 0;
      } else {
        this.#observations.push(interpretStdioPart(record.channel, ending, record.stdout, record.stderr));
      }
    } while (this.#observations.length < total);
    return true;
  }

  #fill(total: number, observation: Observation): void {
    while (this.#observations.length < total) this.#observations.push(observation);
  }

  #count(ending: Ending): void {
    this.#cpuSeconds += ending.cpu;
    this.#wallSeconds += ending.wall;
    this.#denied += ending.denied;
  }
}
