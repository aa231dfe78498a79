/** Real servers on free ports of this machine: ours over any sandbox, and strangers that answer what they like. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { createSandboxApp, type SandboxApp, type SandboxAppOptions } from "./sandbox-app.ts";
import { type RunningServer, startServer } from "./start-server.ts";

export interface LoopbackServer extends SandboxApp {
  readonly url: string;
  readonly server: RunningServer;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

export async function serveOnLoopback(
  sandbox: Sandbox,
  options: Omit<SandboxAppOptions, "sandbox"> & { readonly port?: number } = {},
): Promise<LoopbackServer> {
  const { port = 0, ...rest } = options;
  const app = createSandboxApp({ sandbox, ...rest });
  const server = await startServer({ app: app.app, host: "127.0.0.1", port });
  const { url } = server;
  return {
    ...app,
    url,
    server,
    post: (path, body, headers = {}) =>
      fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    get: (path, headers = {}) => fetch(url + path, { headers }),
    async close() {
      app.stop();
      server.cut();
      await server.close();
    },
  };
}

export interface Stranger {
  readonly url: string;
  /** Paths that were asked for. */
  readonly asked: string[];
  close(): Promise<void>;
}

export async function startStranger(answer: http.RequestListener): Promise<Stranger> {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The lines of an NDJSON answer. */
export async function linesOf(response: Response): Promise<unknown[]> {
  const text = await response.text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}
