/**
 * One POST to a server that may be down, slow or hostile. It always settles: silence, trickles and floods are cut off.
 * Redirects are not followed, so that a key never travels to a place nobody named. Not `fetch`, because that one gives
 * up after five minutes whatever the caller allows, and a busy server at home answers later than that.
 */
import http from "node:http";
import https from "node:https";
import { CallFault } from "./call-fault.ts";

/** Until the connection stands. A plain server that is greeted with https says nothing at all. */
const connectSeconds = 15;

export interface HttpPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly agent: http.Agent;
  readonly timeoutSeconds: number;
  readonly mostBytes: number;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Rejects with a CallFault, or with the signal's reason. */
export function postHttp({ url, headers, body, agent, ...post }: HttpPost): Promise<HttpAnswer> {
  const { signal, timeoutSeconds, mostBytes } = post;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const bytes = Buffer.from(body);
    const secure = url.startsWith("https:");
    const transport = secure ? https : http;
    const outgoing = transport.request(url, {
      method: "POST",
      agent,
      headers: { ...headers, "content-length": bytes.length },
    });
    let connecting: NodeJS.Timeout | undefined;
    const end = (settle: () => void) => {
      clearTimeout(patience);
      clearTimeout(connecting);
      signal.removeEventListener("abort", abort);
      settle();
    };
    const fail = (reason: unknown) => {
      end(() => reject(reason));
      outgoing.destroy();
    };
    const abort = () => fail(signal.reason);
    const patience = setTimeout(
      () => fail(new CallFault("transient", `no answer within ${timeoutSeconds} s`)),
      timeoutSeconds * 1000,
    );
    signal.addEventListener("abort", abort, { once: true });
    let connected = false;
    outgoing.once("socket", (socket) => {
      connected = !socket.connecting;
      if (connected || outgoing.destroyed) return;
      const silence = `no connection within ${connectSeconds} s`;
      connecting = setTimeout(() => fail(new CallFault("unreachable", silence)), connectSeconds * 1000);
      socket.once(secure ? "secureConnect" : "connect", () => {
        connected = true;
        clearTimeout(connecting);
      });
    });
    outgoing.on("error", (error) =>
      fail(new CallFault(connected ? "transient" : "unreachable", reasonOf(error))),
    );
    outgoing.once("response", (incoming) => {
      const pieces: Buffer[] = [];
      let received = 0;
      incoming.on("data", (piece: Buffer) => {
        received += piece.length;
        if (received > mostBytes) {
          fail(new CallFault("refused", `its answer is larger than ${mostBytes} bytes`));
        } else pieces.push(piece);
      });
      incoming.once("error", (error) => fail(new CallFault("transient", reasonOf(error))));
      incoming.once("close", () => {
        if (!incoming.complete) fail(new CallFault("transient", "the connection broke off"));
      });
      incoming.once("end", () => {
        const answer = { status: incoming.statusCode ?? 0, headers: incoming.headers };
        end(() => resolve({ ...answer, body: Buffer.concat(pieces).toString("utf8") }));
      });
    });
    outgoing.end(bytes);
  });
}

/** A name with several addresses fails with an error for each of them and no message of its own. */
function reasonOf(error: NodeJS.ErrnoException): string {
  return error.message || error.code || "the connection failed";
}
