/** What the routes share. */
import type { Context } from "hono";
import type { Suite } from "../evaluation/suite-file.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { type JobDesk, shuttingDown } from "./job-desk.ts";
import type { Metrics } from "./metrics.ts";

export interface ServerParts {
  readonly sandbox: Sandbox;
  /** By the id of their problem. */
  readonly suites: ReadonlyMap<string, Suite>;
  readonly desk: JobDesk;
  readonly metrics: Metrics;
  readonly mostBodyBytes: number;
  readonly heartbeatSeconds: number;
  readonly token: string | undefined;
  /** Writes down what should not have happened. */
  logFailure(error: unknown): void;
  /** Whoever sent this request. */
  callerOf(context: Context): Caller;
}

/** Somebody who waits for an answer. */
export interface Caller {
  /** Aborted when they leave or the server must stop at once. */
  readonly signal: AbortSignal;
  /** They have left, or have their answer. A second call does nothing. */
  release(): void;
}

export function callerOf(context: Context, stopping: AbortSignal): Caller {
  const ended = new AbortController();
  const request = context.req.raw.signal;
  const leave = () => ended.abort(new Error("the caller has left"));
  const stop = () => ended.abort(shuttingDown());
  if (request.aborted) leave();
  if (stopping.aborted) stop();
  request.addEventListener("abort", leave);
  stopping.addEventListener("abort", stop);
  return {
    signal: ended.signal,
    release() {
      request.removeEventListener("abort", leave);
      stopping.removeEventListener("abort", stop);
      leave();
    },
  };
}
