/** Listens with an app and stops again. Errors of listening are the user's to fix, so they say how. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { SparringError } from "../errors.ts";
import type { SandboxApp } from "./sandbox-app.ts";

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  /** Takes no new connections, waits for the open answers, closes idle connections. */
  close(): Promise<void>;
  /** Cuts every connection. */
  cut(): void;
}

/** A client that keeps a connection open may find it closed just when it uses it; ours should rarely be first. */
const keepAliveMilliseconds = 65_000;
const sweepMilliseconds = 20;
/** A reader who takes nothing for so long has left without saying so. */
const silenceMilliseconds = 30 * 60_000;

export async function startServer(options: {
  app: SandboxApp["app"];
  host: string;
  port: number;
}): Promise<RunningServer> {
  const server = createAdaptorServer({ fetch: options.app.fetch }) as Server;
  server.keepAliveTimeout = keepAliveMilliseconds;
  server.setTimeout(silenceMilliseconds);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(listenError(error, options)));
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const shown = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `http://${shown}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        // A connection whose last answer goes out after this would be kept for its whole keep-alive time.
        const sweep = setInterval(() => server.closeIdleConnections(), sweepMilliseconds);
        server.close(() => {
          clearInterval(sweep);
          resolve();
        });
        server.closeIdleConnections();
      }),
    cut: () => server.closeAllConnections(),
  };
}

function listenError(
  error: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
): SparringError {
  const where = `${host}:${port}`;
  const explained: Record<string, { code: string; message: string; hint: string }> = {
    EADDRINUSE: {
      code: "port-in-use",
      message: `something else is already listening on ${where}`,
      hint: "Choose another port with --port; 0 takes any free one.",
    },
    EACCES: {
      code: "port-forbidden",
      message: `this user may not listen on ${where}`,
      hint: "Ports below 1024 are for the administrator; choose a higher one.",
    },
    EADDRNOTAVAIL: {
      code: "host-unknown",
      message: `${host} is not an address of this machine`,
      hint: "Use 127.0.0.1 for this machine only, or 0.0.0.0 for all its addresses.",
    },
    ENOTFOUND: {
      code: "host-unknown",
      message: `the host name ${host} is not known`,
      hint: "Use an address of this machine, such as 127.0.0.1.",
    },
  };
  const found = explained[error.code ?? ""] ?? {
    code: "listen-failed",
    message: `could not listen on ${where}: ${error.message}`,
    hint: "Check --host and --port.",
  };
  return new SparringError({ ...found, cause: error });
}
