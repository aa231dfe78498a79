/** `POST /run`: the sandbox port over HTTP. What a program did goes back; what it should have done never comes here. */
import type { Context } from "hono";
import { encodeReport, runRequestSchema } from "../sandbox/remote/run-protocol.ts";
import { answerBatch } from "./answer-batch.ts";
import { readRequest } from "./read-request.ts";
import type { ServerParts } from "./server-parts.ts";

export async function runRoute(context: Context, parts: ServerParts): Promise<Response> {
  const { jobs } = await readRequest(context, { schema: runRequestSchema, mostBytes: parts.mostBodyBytes });
  return answerBatch(context, parts, {
    jobs,
    // For our own client, which skips blank lines.
    heartbeatSeconds: parts.heartbeatSeconds,
    run: async ({ source, work, limits, alone }, signal) => {
      const report = await parts.sandbox.run({ source, work, limits }, { signal, alone });
      parts.metrics.finished({
        ...report,
        endpoint: "run",
        kinds: report.observations.map(({ kind }) => kind),
      });
      return { report: encodeReport(report) };
    },
  });
}
