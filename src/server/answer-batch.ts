/**
 * Many jobs in one request, one line of JSON for each as it finishes. A job that cannot be run gets a line with an
 * `error`; the others go on. At most a few jobs of one request are handed to the sandbox at a time, so that a large
 * batch does not keep everybody else waiting.
 */
import type { Context } from "hono";
import { errorBody } from "./error-answer.ts";
import { inFinishOrder } from "./finish-order.ts";
import { lineStream } from "./line-stream.ts";
import type { ServerParts } from "./server-parts.ts";

export interface Batch<Job extends { readonly id?: string | number | undefined }> {
  readonly jobs: readonly Job[];
  readonly heartbeatSeconds?: number;
  readonly run: (job: Job, signal: AbortSignal) => Promise<object>;
}

export function answerBatch<Job extends { readonly id?: string | number | undefined }>(
  context: Context,
  parts: ServerParts,
  batch: Batch<Job>,
): Response {
  const ticket = parts.desk.admit(batch.jobs.length);
  const caller = parts.callerOf(context);
  const lines = inFinishOrder(batch.jobs, {
    // One more than can run, so that no worker waits for the line before to be sent.
    atOnce: parts.sandbox.describe().workers + 1,
    run: (job, index) =>
      ticket.run(async () => {
        const id = job.id ?? index;
        try {
          return { id, ...(await batch.run(job, caller.signal)) };
        } catch (error) {
          if (!caller.signal.aborted) parts.logFailure(error);
          return { id, ...errorBody(error) };
        }
      }),
  });
  const ended = () => {
    caller.release();
    ticket.abandon();
  };
  caller.signal.addEventListener("abort", ticket.abandon, { once: true });
  const { heartbeatSeconds } = batch;
  const stream = lineStream({
    lines,
    ended,
    ...(heartbeatSeconds === undefined ? {} : { heartbeatSeconds }),
  });
  return context.body(stream, 200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
}
