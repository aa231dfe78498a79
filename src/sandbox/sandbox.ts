/**
 * The port to whatever runs untrusted Python. A sandbox is given a program and what to do with it, and reports
 * what happened, case by case. It never sees an expected answer: comparing is the judge's work.
 *
 * Function programs: the source is loaded once in a child of its own, then the entry point is called for each
 * case in order. A case that hangs, exits or crashes costs only itself; the cases after it run in a fresh child.
 * Stdio programs: each input gets a fresh child that runs the source as `__main__`.
 */
import type { Call, PythonValue } from "../values/python-value.ts";
import type { Limits } from "./limits.ts";

export interface ProgramJob {
  readonly source: string;
  readonly work: FunctionWork | StdioWork;
  readonly limits: Limits;
}

export interface FunctionWork {
  readonly style: "function";
  /** A name of the program's top level, or `Solution().method` for class-style solutions. */
  readonly entryPoint: string;
  readonly calls: readonly Call[];
}

export interface StdioWork {
  readonly style: "stdio";
  readonly inputs: readonly string[];
}

/** What one case was seen to do. Only `infrastructure` is our own failure. */
export type Observation =
  | { readonly kind: "returned"; readonly value: PythonValue }
  | { readonly kind: "printed"; readonly stdout: string; readonly stderr: string; readonly exitCode: number }
  | {
      readonly kind: "raised";
      readonly error: ProgramError;
      readonly stdout?: string;
      readonly stderr?: string;
    }
  | {
      readonly kind: "timed-out";
      /** Which limit it hit: CPU time of the case, wall time of the case, or CPU time of the whole program. */
      readonly limit: "cpu" | "wall" | "program";
      readonly stdout?: string;
      readonly stderr?: string;
    }
  | { readonly kind: "out-of-memory" }
  | { readonly kind: "output-flood"; readonly what: "printed" | "value" }
  | { readonly kind: "did-not-load"; readonly error: ProgramError }
  | { readonly kind: "infrastructure"; readonly message: string };

export interface ProgramError {
  /** The exception's class name, or `Exited` / `Killed` / `ProtocolViolation` where the process itself ended. */
  readonly type: string;
  readonly message: string;
  /** Line of the program's source, where known. */
  readonly line?: number;
}

export interface SandboxReport {
  /** Whether the program's top level ran to its end. Stdio programs have no separate load: always true. */
  readonly loaded: boolean;
  /** One for each case, in order. */
  readonly observations: readonly Observation[];
  /** System calls and imports that were refused: a sign of reward hacking. */
  readonly denied: number;
  readonly cpuSeconds: number;
  /** Time in the queue is not part of it. */
  readonly wallSeconds: number;
  /** Whether other jobs of this sandbox ran at the same time. */
  readonly underLoad: boolean;
  readonly isolation: IsolationLevel;
}

/**
 * `full`: the program sees no network, no other process and no file but its scratch, enforced by the kernel or by
 * the WebAssembly boundary. `filtered`: system-call filter and file rules, but no namespaces. `limits`: resource
 * limits only; verdicts cannot be forged, but the program could reach the machine.
 */
export const isolationLevels = ["limits", "filtered", "full"] as const;
export type IsolationLevel = (typeof isolationLevels)[number];

export interface SandboxDescription {
  readonly kind: "native" | "wasm" | "remote";
  readonly isolation: IsolationLevel;
  /** Expected answers stay outside, values are compared in the parent. There is no other mode. */
  readonly integrity: "values";
  /** Version of the Python that runs the programs. */
  readonly python: string;
  /** How many programs run at the same time. */
  readonly workers: number;
  /** Each protection and whether it is in force, for people. */
  readonly layers: readonly Layer[];
}

export interface Layer {
  readonly name: string;
  readonly active: boolean;
  readonly detail: string;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Run while no other job of this sandbox runs: used to confirm time-outs. */
  readonly alone?: boolean;
}

export interface Sandbox {
  describe(): SandboxDescription;
  /** Never rejects because of what a program does; rejects when aborted, closed or given a malformed job. */
  run(job: ProgramJob, options?: RunOptions): Promise<SandboxReport>;
  close(): Promise<void>;
}

export function caseCount(work: ProgramJob["work"]): number {
  return work.style === "function" ? work.calls.length : work.inputs.length;
}
