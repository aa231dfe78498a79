/**
 * The remote sandbox: programs run on other machines, on hosts that run `spar serve sandbox` or SandboxFusion. This is
 * the only layer that retries. A job goes from host to host until one gives a whole answer; when none does, its cases
 * are `infrastructure`. A host's failure is never a program's failure and never a throw.
 *
 * `alone` means: no other job of this sandbox runs anywhere, and our own hosts are asked to run nothing beside it.
 * Other clients of a SandboxFusion host cannot be held back.
 */
import { setMaxListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { SparringError } from "../../errors.ts";
import { SlotPool } from "../pool.ts";
import { refusedSource } from "../refused-source.ts";
import {
  caseCount,
  type IsolationLevel,
  type ProgramJob,
  type RunOptions,
  type Sandbox,
  type SandboxDescription,
  type SandboxReport,
} from "../sandbox.ts";
import { describeHosts, strongEnough, tooWeak } from "./describe-hosts.ts";
import { Endpoint, type RemoteHost } from "./endpoint.ts";
import { connectFusion } from "./fusion-host.ts";
import { chooseHost, type HostEntry, newHostEntry, noteFault, noteSuccess } from "./host-book.ts";
import { HostFault } from "./host-fault.ts";
import type { HostLink, Patience } from "./host-link.ts";
import { connectSparring } from "./sparring-host.ts";

export const remoteProtocols = ["auto", "sparring", "sandbox-fusion"] as const;
export type RemoteProtocol = (typeof remoteProtocols)[number];

export interface RemoteSandboxOptions {
  readonly hosts: readonly RemoteHost[];
  /** `auto` asks each host what it is. */
  readonly protocol?: RemoteProtocol;
  /** Programs at the same time on one host; what the host says unless given, 8 where it does not say. */
  readonly perHost?: number;
  /** Hosts below this level are not used; `limits` unless said, which takes any. */
  readonly demand?: IsolationLevel;
  /** Failed answers before a job is `infrastructure`; two for each host, at least five, unless said. */
  readonly attempts?: number;
  readonly patience?: Partial<Patience>;
  /** Seconds; for tests. */
  readonly now?: () => number;
  readonly sleep?: (seconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

const usualPatience: Patience = { connectSeconds: 30, silenceSeconds: 30, queueSeconds: 300 };
const usualPerHost = 8;

export async function createRemoteSandbox(options: RemoteSandboxOptions): Promise<Sandbox> {
  if (options.hosts.length === 0) {
    throw new SparringError({
      code: "remote-no-hosts",
      message: "the remote sandbox was given no hosts",
      hint: "Name at least one, such as http://machine:8080.",
    });
  }
  const sandbox = new RemoteSandbox(options);
  await sandbox.connect();
  return sandbox;
}

class RemoteSandbox implements Sandbox {
  readonly #options: RemoteSandboxOptions;
  readonly #patience: Patience;
  readonly #hosts: readonly HostEntry[];
  readonly #demand: IsolationLevel;
  readonly #now: () => number;
  readonly #sleep: (seconds: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly #closing = new AbortController();
  #pool = new SlotPool<undefined>([undefined]);
  #description: SandboxDescription | undefined;

  constructor(options: RemoteSandboxOptions) {
    setMaxListeners(0, this.#closing.signal); // every job listens
    this.#options = options;
    this.#patience = { ...usualPatience, ...options.patience };
    this.#hosts = options.hosts.map((host) => newHostEntry(new Endpoint(host)));
    this.#demand = options.demand ?? "limits";
    this.#now = options.now ?? (() => performance.now() / 1000);
    this.#sleep = options.sleep ?? ((seconds, signal) => wait(seconds * 1000, undefined, { signal }));
  }

  /** Asks every host; one that answers is enough. */
  async connect(): Promise<void> {
    await Promise.all(
      this.#hosts.map((host) => this.#linkOf(host).catch((error) => this.#noteFault(host, error))),
    );
    this.#description = describeHosts(this.#hosts);
    if (!this.#description) {
      await this.close();
      throw new SparringError({
        code: "remote-unreachable",
        message: `no sandbox host can be used: ${this.#faults()}`,
        hint: "Start one with `spar serve sandbox`, and check address, token and demanded isolation.",
      });
    }
    this.#pool = new SlotPool(Array.from({ length: this.#description.workers }, () => undefined));
  }

  describe(): SandboxDescription {
    return this.#description!;
  }

  async run(job: ProgramJob, options: RunOptions = {}): Promise<SandboxReport> {
    const { isolation } = this.describe();
    const refused = refusedSource(job, isolation);
    if (refused) return refused;
    if (job.work.style === "stdio" && job.work.inputs.length === 0) return emptyReport(isolation);
    const lease = await this.#pool.acquire(options);
    const signal = joinSignals(this.#closing.signal, options.signal);
    try {
      const report = await this.#tryHosts(job, { ...options, signal: signal.signal });
      return { ...report, underLoad: report.underLoad || lease.underLoad };
    } finally {
      signal.release();
      lease.release();
    }
  }

  async close(): Promise<void> {
    const idle = this.#pool.close();
    this.#closing.abort(
      new SparringError({ code: "sandbox-closed", message: "the sandbox has been closed" }),
    );
    await idle;
    for (const { endpoint } of this.#hosts) endpoint.close();
  }

  async #tryHosts(job: ProgramJob, options: RunOptions & { signal: AbortSignal }): Promise<SandboxReport> {
    const tried = new Set<HostEntry>();
    const attempts = this.#options.attempts ?? Math.max(5, 2 * this.#hosts.length);
    const patientUntil = this.#now() + this.#patience.queueSeconds;
    let failures = 0;
    while (failures < attempts) {
      const host = chooseHost(this.#hosts, { now: this.#now(), tried });
      const rest = host.restsUntil - this.#now();
      if (rest > 0) await this.#sleep(rest, options.signal);
      try {
        return await this.#runOn(host, job, options);
      } catch (error) {
        if (!(error instanceof HostFault)) throw error;
        this.#noteFault(host, error);
        tried.add(host);
        // Once around: whoever is left may have recovered.
        if (tried.size === this.#hosts.length) tried.clear();
        if (error.kind !== "busy" || this.#now() >= patientUntil) failures += 1;
      }
    }
    return { ...emptyReport(this.describe().isolation), ...this.#infrastructure(job) };
  }

  async #runOn(host: HostEntry, job: ProgramJob, options: RunOptions): Promise<SandboxReport> {
    host.inFlight += 1;
    try {
      const link = await this.#linkOf(host);
      const report = await link.run(job, options);
      if (!strongEnough(report.isolation, this.#demand)) throw tooWeak(report.isolation, this.#demand);
      noteSuccess(host);
      return report;
    } finally {
      host.inFlight -= 1;
    }
  }

  async #linkOf(host: HostEntry): Promise<HostLink> {
    if (host.link) return host.link;
    const link = await this.#connectTo(host.endpoint);
    if (!strongEnough(link.isolation, this.#demand)) throw tooWeak(link.isolation, this.#demand);
    host.capacity = this.#options.perHost ?? link.workers ?? usualPerHost;
    host.link = link;
    return link;
  }

  async #connectTo(endpoint: Endpoint): Promise<HostLink> {
    const { protocol = "auto" } = this.#options;
    if (protocol === "sandbox-fusion") return connectFusion(endpoint, this.#patience);
    try {
      return await connectSparring(endpoint, this.#patience);
    } catch (error) {
      // A host that is there but is not ours, or does not know the path, may be a SandboxFusion one.
      const foreign = error instanceof HostFault && (error.kind === "malformed" || error.kind === "refused");
      if (protocol === "sparring" || !foreign) throw error;
      return connectFusion(endpoint, this.#patience);
    }
  }

  #noteFault(host: HostEntry, error: unknown): void {
    if (!(error instanceof HostFault)) throw error;
    noteFault(host, { now: this.#now(), fault: error });
  }

  #infrastructure(job: ProgramJob): Pick<SandboxReport, "observations"> {
    const message = `no sandbox host gave an answer: ${this.#faults()}`;
    const observation = { kind: "infrastructure", message } as const;
    return { observations: Array.from({ length: caseCount(job.work) }, () => observation) };
  }

  #faults(): string {
    return this.#hosts.map(({ endpoint, lastFault }) => `${endpoint.name}: ${lastFault}`).join("; ");
  }
}

function emptyReport(isolation: IsolationLevel): SandboxReport {
  return {
    loaded: true,
    observations: [],
    denied: 0,
    cpuSeconds: 0,
    wallSeconds: 0,
    underLoad: false,
    isolation,
  };
}

/** Aborts when either does. `AbortSignal.any` would hold on to the long-lived one. */
function joinSignals(first: AbortSignal, second: AbortSignal | undefined) {
  const joined = new AbortController();
  const sources = second ? [first, second] : [first];
  const abort = (event: Event) => joined.abort((event.target as AbortSignal).reason);
  for (const source of sources) {
    if (source.aborted) joined.abort(source.reason);
    source.addEventListener("abort", abort);
  }
  const release = () => {
    for (const source of sources) source.removeEventListener("abort", abort);
  };
  return { signal: joined.signal, release };
}
