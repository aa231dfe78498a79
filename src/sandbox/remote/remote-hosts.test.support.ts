/** Hosts and clients for tests of the remote sandbox; everything is closed after each test. */
import type http from "node:http";
import { afterEach } from "vitest";
import {
  type LoopbackServer,
  type Stranger,
  serveOnLoopback,
  startStranger,
} from "../../server/loopback-server.test.support.ts";
import { defaultLimits } from "../limits.ts";
import type { ProgramJob, Sandbox, SandboxReport } from "../sandbox.ts";
import { scriptedSandbox } from "../scripted-sandbox.test.support.ts";
import { createRemoteSandbox, type RemoteSandboxOptions } from "./remote-sandbox.ts";

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of closing.splice(0).reverse()) await thing.close();
});

function keep<Thing extends { close(): Promise<void> }>(thing: Thing): Thing {
  closing.push(thing);
  return thing;
}

export const serve = async (...options: Parameters<typeof serveOnLoopback>): Promise<LoopbackServer> =>
  keep(await serveOnLoopback(...options));
export const stranger = async (answer: http.RequestListener): Promise<Stranger> =>
  keep(await startStranger(answer));
export const nobody = "http://127.0.0.1:1";

export const value = (answer: number) =>
  ({ kind: "returned", value: { type: "int", value: BigInt(answer) } }) as const;
export const answering = (answer: number, report: Partial<SandboxReport> = {}) =>
  scriptedSandbox(
    (job) => (job.work.style === "function" ? job.work.calls.map(() => value(answer)) : []),
    report,
  );

export const job: ProgramJob = {
  source: "def f(): ...",
  work: {
    style: "function",
    entryPoint: "f",
    calls: [
      { args: [], keywords: {} },
      { args: [{ type: "int", value: 1n }], keywords: {} },
    ],
  },
  limits: defaultLimits,
};

/** Waits are noted, not waited for. */
export async function connect(urls: readonly string[], options: Partial<RemoteSandboxOptions> = {}) {
  const waits: number[] = [];
  let now = 0;
  const sandbox: Sandbox = await createRemoteSandbox({
    hosts: urls.map((url) => ({ url })),
    now: () => now,
    sleep: async (seconds) => {
      waits.push(seconds);
      now += seconds;
    },
    ...options,
  });
  return { sandbox: keep(sandbox), waits };
}

export const health = {
  service: "sparring-sandbox",
  status: "ok",
  sandbox: { isolation: "full", python: "3.11.2", workers: 2, layers: [] },
};

/** A host that says the right things about itself, and then something else. */
export function pretending(answerRun: http.RequestListener): http.RequestListener {
  return (request, response) => {
    if (request.url !== "/health") answerRun(request, response);
    else response.setHeader("content-type", "application/json").end(JSON.stringify(health));
  };
}

export const goodReport = {
  loaded: true,
  observations: [
    { kind: "returned", value: 7 },
    { kind: "returned", value: 7 },
  ],
  denied: 0,
  cpuSeconds: 0,
  wallSeconds: 0,
  underLoad: false,
  isolation: "full",
};
export const line = (body: unknown) => `${JSON.stringify(body)}\n`;
