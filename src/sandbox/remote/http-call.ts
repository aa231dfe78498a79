/**
 * One HTTP request to a host that may be down, slow or hostile. It always settles: silence, trickles without end and
 * floods are cut off. Redirects are not followed, so that a token never travels to a place nobody named.
 */
import http from "node:http";
import https from "node:https";
import { HostFault } from "./host-fault.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly agent: http.Agent;
  /** How long the host may stay silent. */
  readonly silenceSeconds: number;
  /** How long all of it may take. */
  readonly totalSeconds: number;
  readonly mostBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Rejects with a HostFault, or with the signal's reason. */
export function callHttp(request: HttpRequest): Promise<HttpAnswer> {
  const { signal, body, url } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const transport = url.startsWith("https:") ? https : http;
    const bodyBytes = body === undefined ? undefined : Buffer.from(body);
    const outgoing = transport.request(url, {
      method: request.method,
      agent: request.agent,
      headers: bodyBytes ? { ...request.headers, "content-length": bodyBytes.length } : request.headers,
    });
    const end = (settle: () => void) => {
      clearTimeout(total);
      clearTimeout(silence);
      signal?.removeEventListener("abort", abort);
      settle();
    };
    const fail = (reason: unknown) => {
      end(() => reject(reason));
      outgoing.destroy();
    };
    const abort = () => fail(signal?.reason);
    const giveUp = (seconds: number, how: string) =>
      setTimeout(() => fail(new HostFault("unreachable", `${how} ${seconds} s`)), seconds * 1000);
    const total = giveUp(request.totalSeconds, "no answer within");
    // Not the socket's own timer: that one starts only once the connection stands.
    const silence = giveUp(request.silenceSeconds, "silent for");
    signal?.addEventListener("abort", abort, { once: true });
    outgoing.on("error", (error) => fail(new HostFault("unreachable", error.message)));
    outgoing.once("response", (incoming) => {
      silence.refresh();
      const pieces: Buffer[] = [];
      let bytes = 0;
      incoming.on("data", (piece: Buffer) => {
        bytes += piece.length;
        silence.refresh();
        if (bytes > request.mostBytes) fail(new HostFault("malformed", "the answer is too large"));
        else pieces.push(piece);
      });
      incoming.once("error", (error) => fail(new HostFault("unreachable", error.message)));
      incoming.once("close", () => {
        if (!incoming.complete) fail(new HostFault("unreachable", "the connection broke off"));
      });
      incoming.once("end", () => {
        const { statusCode = 0, headers } = incoming;
        const answer = { status: statusCode, headers, body: Buffer.concat(pieces).toString("utf8") };
        end(() => resolve(answer));
      });
    });
    outgoing.end(bodyBytes);
  });
}
