/**
 * A real HTTP server that speaks the protocol as a test wants it to: each call is answered by a script, or by a tiny
 * "model" whose text is a function of prompt, seed and temperature.
 */
import { createHash } from "node:crypto";
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedCall {
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: whatever came over the wire
  readonly body: any;
}

/** `undefined` lets the model answer. */
export type Script = (
  call: ReceivedCall,
  response: http.ServerResponse,
  /** 0 for the first call. */
  number: number,
) => Promise<void> | void | "model";

export class ScriptedServer {
  readonly calls: ReceivedCall[] = [];
  script: Script = () => "model";
  /** Calls that are being answered right now, and the most there ever were. */
  inFlight = 0;
  mostInFlight = 0;
  readonly #server: http.Server;

  private constructor() {
    this.#server = http.createServer((request, response) => void this.#receive(request, response));
  }

  static async start(): Promise<ScriptedServer> {
    const server = new ScriptedServer();
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  reset(): void {
    this.calls.length = 0;
    this.script = () => "model";
    this.mostInFlight = 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #receive(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const call = {
      url: request.url ?? "",
      headers: request.headers,
      body: JSON.parse(Buffer.concat(pieces).toString("utf8")),
    };
    this.calls.push(call);
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    response.once("close", () => {
      this.inFlight -= 1;
    });
    const answer = await this.script(call, response, this.calls.length - 1);
    if (answer === "model") sendJson(response, 200, modelReply(call));
  }
}

export function sendJson(
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

export function sendError(response: http.ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message, type: "scripted" } });
}

/** One reply with these choices; `null` content as servers send it for filtered texts and tool calls. */
export function replyOf(...texts: readonly (string | null)[]): unknown {
  return {
    object: "chat.completion",
    choices: texts.map((content, index) => ({
      index,
      message: { role: "assistant", content },
      finish_reason: content === null ? "tool_calls" : "stop",
    })),
    usage: { prompt_tokens: 10, completion_tokens: 3 * texts.length },
  };
}

/** Honours n, seed, temperature 0, max_tokens (a token is a character) and stop, which it swallows. */
export function modelReply({ body }: ReceivedCall): unknown {
  const { messages, n = 1, seed = 0, temperature, max_tokens, max_completion_tokens, stop = [] } = body;
  const limit: number = max_tokens ?? max_completion_tokens;
  const choices = Array.from({ length: n }, (_, index) => {
    const luck = temperature === 0 ? "greedy" : `${seed}/${index}`;
    const whole = createHash("sha256")
      .update(JSON.stringify([messages, luck]))
      .digest("hex");
    // Every other text is longer than the limit.
    const full = whole.slice(0, whole.charCodeAt(0) % 2 === 0 ? limit + 1 : limit - 1);
    const stops = (stop as string[]).map((text) => full.indexOf(text)).filter((at) => at >= 0);
    const end = Math.min(full.length, ...stops);
    const cut = end > limit;
    return {
      index,
      message: { role: "assistant", content: full.slice(0, Math.min(end, limit)) },
      finish_reason: cut ? "length" : "stop",
    };
  });
  return { choices, usage: { prompt_tokens: 7, completion_tokens: 5 * n } };
}
