/** Where a server is and how it is spoken to: address, key, connections, patience. */
import http from "node:http";
import https from "node:https";
import { SparringError } from "../../errors.ts";
import { CallFault } from "./call-fault.ts";
import { complaintIn, fieldOf } from "./chat-reply.ts";
import type { ChatBody } from "./chat-request.ts";
import { type HttpAnswer, postHttp } from "./http-post.ts";
import { retryAfterOf } from "./retry-delay.ts";

export interface EndpointOptions {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly concurrency: number;
  readonly timeoutSeconds: number;
  readonly mostBytes: number;
}

export class Endpoint {
  /** The address as people know it. */
  readonly name: string;
  readonly #url: string;
  readonly #options: EndpointOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent: http.Agent;

  constructor(options: EndpointOptions) {
    const { name, url } = readAddress(options.baseUrl);
    this.name = name;
    this.#url = url;
    this.#options = options;
    this.#headers = {
      accept: "application/json",
      "content-type": "application/json",
      ...(options.apiKey !== undefined && { authorization: `Bearer ${options.apiKey}` }),
    };
    const pool = { keepAlive: true, maxSockets: options.concurrency };
    this.#agent = url.startsWith("https:") ? new https.Agent(pool) : new http.Agent(pool);
  }

  /** The text of the answer, if it is a 200; a CallFault that says how bad it is for anything else. */
  async post(body: ChatBody, signal: AbortSignal): Promise<string> {
    const { timeoutSeconds, mostBytes } = this.#options;
    const answer = await postHttp({
      url: this.#url,
      headers: this.#headers,
      body: JSON.stringify(body),
      agent: this.#agent,
      timeoutSeconds,
      mostBytes,
      signal,
    });
    if (answer.status !== 200) throw this.#faultOf(answer);
    return answer.body;
  }

  /** What a server says goes to a terminal: short, harmless, and without our key. */
  quote(text: string): string {
    const { apiKey } = this.#options;
    const safe = apiKey === undefined ? text : text.replaceAll(apiKey, "(the key)");
    const line = safe.replace(/[\s\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, " ").trim();
    return line.length > 400 ? `${line.slice(0, 399)}…` : line;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** In the server's own words: `quote` them before anybody sees them. */
  #faultOf({ status, headers, body }: HttpAnswer): CallFault {
    const reply = jsonOrText(body);
    const words = (typeof reply === "string" ? reply : complaintIn(reply)).slice(0, 2000);
    const elsewhere = headers.location === undefined ? "" : ` (it points to ${headers.location})`;
    const said = `HTTP ${status}${words && `: ${words}`}${elsewhere}`;
    // An empty account does not fill up by waiting.
    const spent = fieldOf(fieldOf(reply, "error"), "code") === "insufficient_quota";
    const passing = (status === 408 || status === 409 || status === 429 || status >= 500) && !spent;
    return new CallFault(passing ? "transient" : "refused", said, {
      status,
      retryAfterSeconds: retryAfterOf(headers["retry-after"], Date.now()),
    });
  }
}

function jsonOrText(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function readAddress(text: string): { name: string; url: string } {
  const refuse = (message: string, cause?: unknown): SparringError =>
    new SparringError({
      code: "engine-address",
      message,
      hint: "Write it as https://machine/v1 or http://localhost:8000/v1.",
      cause,
    });
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw refuse(`'${text}' is not the address of a server`, cause);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refuse(`'${text}' is not the address of a server: it must begin with http:// or https://`);
  }
  if (url.username || url.password) {
    throw refuse(`The address of ${url.host} holds a login; a key belongs into an environment variable.`);
  }
  const base = `${url.origin}${url.pathname.replace(/(\/chat\/completions)?\/*$/, "")}`;
  return { name: base, url: `${base}/chat/completions${url.search}` };
}
