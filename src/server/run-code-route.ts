/** `POST /run_code`: one Python program with one input, as SandboxFusion's clients ask for it. */
import type { Context } from "hono";
import { maximumSourceBytes } from "../sandbox/limits.ts";
import { readRequest } from "./read-request.ts";
import { RequestRefused } from "./request-refused.ts";
import { prepareProgram } from "./run-code-files.ts";
import { answerOf, knownLanguages, limitsOf, runCodeSchema, sandboxError } from "./run-code-protocol.ts";
import type { ServerParts } from "./server-parts.ts";

export async function runCodeRoute(context: Context, parts: ServerParts): Promise<Response> {
  const request = await readRequest(context, { schema: runCodeSchema, mostBytes: parts.mostBodyBytes });
  if (request.language !== "python") return otherLanguage(context, request.language);
  if (Buffer.byteLength(request.code) > maximumSourceBytes) {
    throw new RequestRefused({
      status: 413,
      code: "code-too-large",
      message: `the program has more than ${maximumSourceBytes} bytes`,
    });
  }
  const limits = limitsOf(request);
  const program = await prepareProgram(request);
  const ticket = parts.desk.admit(1);
  const caller = parts.callerOf(context);
  try {
    const report = await ticket.run(() =>
      parts.sandbox.run(
        { source: program.source, work: { style: "stdio", inputs: [program.input] }, limits },
        { signal: caller.signal },
      ),
    );
    parts.metrics.finished({
      ...report,
      endpoint: "run_code",
      kinds: report.observations.map(({ kind }) => kind),
    });
    return context.json(program.finish(answerOf(report, limits)));
  } finally {
    caller.release();
  }
}

/** A language that SandboxFusion knows is its kind of error; any other text is a malformed request. */
function otherLanguage(context: Context, language: string): Response {
  if (knownLanguages.has(language)) {
    return context.json(
      sandboxError(`language "${language}" is not supported here: this server runs python`),
    );
  }
  throw new RequestRefused({
    status: 422,
    code: "unknown-language",
    message: `"${language}" is not a language; this server runs python`,
  });
}
