/**
 * The sandbox over HTTP: SandboxFusion's `/run_code` for tools that speak it, `/judge` for verdicts, `/reward` for scores, `/run` for our
 * own client, `/health` and `/metrics` for whoever runs it. docs/serve.md shows each with an example.
 */
import { setMaxListeners } from "node:events";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Suite } from "../evaluation/suite-file.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { isAuthorized, unauthorized } from "./authorization.ts";
import { bodyRoom } from "./body-room.ts";
import { answerError, failureText } from "./error-answer.ts";
import { JobDesk, shuttingDown } from "./job-desk.ts";
import { judgeRoute } from "./judge-route.ts";
import { Metrics } from "./metrics.ts";
import { RequestRefused } from "./request-refused.ts";
import { rewardRoute } from "./reward-route.ts";
import { runCodeRoute } from "./run-code-route.ts";
import { runRoute } from "./run-route.ts";
import { callerOf, type ServerParts } from "./server-parts.ts";

export interface SandboxAppOptions {
  readonly sandbox: Sandbox;
  /** What `/reward` knows problems by. */
  readonly suites?: ReadonlyMap<string, Suite>;
  /** Without one only requests for a loopback address are answered. */
  readonly token?: string | undefined;
  /** Jobs accepted at a time, running and waiting. */
  readonly queueLimit?: number;
  readonly mostBodyBytes?: number;
  /** Of all requests that are being answered, together. */
  readonly mostHeldBytes?: number;
  readonly heartbeatSeconds?: number;
  /** Hears of failures of the server itself. */
  readonly log?: (line: string) => void;
}

export interface SandboxApp {
  readonly app: Hono<{ Bindings: HttpBindings }>;
  /** Refuses new jobs and resolves when the accepted ones are done. */
  drain(): Promise<void>;
  /** Ends the accepted ones too. */
  stop(): void;
}

const megabyte = 1024 * 1024;
const usual = {
  queueLimit: 4096,
  mostBodyBytes: 32 * megabyte,
  mostHeldBytes: 512 * megabyte,
  heartbeatSeconds: 5,
};
const open = new Set(["/health", "/v1/ping"]);

export function createSandboxApp(options: SandboxAppOptions): SandboxApp {
  const { sandbox, token, log = () => {} } = options;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal); // every caller listens
  const metrics = new Metrics();
  const desk = new JobDesk({
    limit: options.queueLimit ?? usual.queueLimit,
    workers: sandbox.describe().workers,
    now: () => performance.now() / 1000,
    left: (seconds) => metrics.left(seconds),
  });
  const parts: ServerParts = {
    sandbox,
    suites: options.suites ?? new Map(),
    desk,
    metrics,
    token,
    mostBodyBytes: options.mostBodyBytes ?? usual.mostBodyBytes,
    heartbeatSeconds: options.heartbeatSeconds ?? usual.heartbeatSeconds,
    logFailure: (error) => log(failureText(error)),
    callerOf: (context) => callerOf(context, stopping.signal),
  };
  const app: SandboxApp["app"] = new Hono();
  const authorized = (request: Request) =>
    isAuthorized(
      {
        authorization: request.headers.get("authorization") ?? undefined,
        host: request.headers.get("host") ?? undefined,
      },
      token,
    );
  app.use(async (context, next) => {
    const mayPass = authorized(context.req.raw) || (token !== undefined && open.has(context.req.path));
    if (!mayPass) throw unauthorized(token);
    await next();
  });
  app.use(
    bodyRoom({
      mostBodyBytes: parts.mostBodyBytes,
      mostBytes: options.mostHeldBytes ?? usual.mostHeldBytes,
    }),
  );
  app.get("/v1/ping", (context) => context.json("pong"));
  app.get("/health", (context) => {
    if (desk.isClosed) throw shuttingDown();
    const brief = { status: "ok", service: "sparring-sandbox" };
    return context.json(
      authorized(context.req.raw)
        ? { ...brief, sandbox: sandbox.describe(), queue: desk.queue, suites: parts.suites.size }
        : brief,
    );
  });
  app.get("/metrics", (context) =>
    context.body(metrics.text(desk.queue), 200, { "content-type": "text/plain; version=0.0.4" }),
  );
  app.post("/run_code", (context) => runCodeRoute(context, parts));
  app.post("/judge", (context) => judgeRoute(context, parts));
  app.post("/reward", (context) => rewardRoute(context, parts));
  app.post("/run", (context) => runRoute(context, parts));
  app.notFound((context) => {
    throw new RequestRefused({
      status: 404,
      code: "not-found",
      message: `there is no ${context.req.method} ${context.req.path.slice(0, 200)} here`,
      hint: "POST /run_code, /judge, /reward or /run; GET /health or /metrics.",
    });
  });
  app.onError((error, context) => {
    if (error instanceof RequestRefused) metrics.refused(error.code);
    return answerError(context, error, parts.logFailure);
  });
  return { app, drain: () => desk.close(), stop: () => stopping.abort() };
}
