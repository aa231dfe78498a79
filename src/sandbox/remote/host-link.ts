import type { IsolationLevel, Layer, ProgramJob, RunOptions, SandboxReport } from "../sandbox.ts";

/** A host that has answered once: what it is, and how to run a program there. */
export interface HostLink {
  readonly protocol: "sparring" | "sandbox-fusion";
  readonly isolation: IsolationLevel;
  readonly python: string;
  /** How many programs it can run at the same time; undefined where the host does not say. */
  readonly workers: number | undefined;
  readonly layers: readonly Layer[];
  /** Rejects with a HostFault for the host's failures, or with the signal's reason. */
  run(job: ProgramJob, options: RunOptions): Promise<SandboxReport>;
}

/** How long to wait for a host. */
export interface Patience {
  /** For the first answer of a host: who are you? */
  readonly connectSeconds: number;
  /** Silence after which a host is given up. Our own server speaks up every few seconds, also while a job waits. */
  readonly silenceSeconds: number;
  /** How long a job may wait in a host's queue. */
  readonly queueSeconds: number;
}
