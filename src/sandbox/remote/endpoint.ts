/** Where a host is and how it is spoken to: address, token, connections, patience. */
import http from "node:http";
import https from "node:https";
import { SparringError } from "../../errors.ts";
import { HostFault } from "./host-fault.ts";
import { callHttp, type HttpAnswer } from "./http-call.ts";

export interface RemoteHost {
  /** `http://machine:8080`; a path in front of the endpoints is allowed, a trailing `/run_code` is taken off. */
  readonly url: string;
  readonly token?: string;
}

export interface Ask {
  readonly path: string;
  /** Posted as JSON; without it the path is fetched. */
  readonly body?: unknown;
  readonly silenceSeconds: number;
  readonly totalSeconds: number;
  readonly mostBytes: number;
  readonly signal?: AbortSignal | undefined;
}

const megabyte = 1024 * 1024;
/** Small questions: health, probes. */
export const smallAnswerBytes = megabyte;

export class Endpoint {
  readonly url: string;
  /** The address without a login in it, for messages. */
  readonly name: string;
  readonly #headers: Record<string, string>;
  readonly #agent: http.Agent;

  constructor(host: RemoteHost) {
    const address = readAddress(host.url);
    this.url = address;
    this.name = address.replace(/\/\/[^/@]*@/, "//");
    this.#headers = host.token === undefined ? {} : { authorization: `Bearer ${host.token}` };
    const secure = address.startsWith("https:");
    this.#agent = secure ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true });
  }

  /** The answer, if it is a 200; a HostFault that says how bad it is for anything else. */
  async ask(ask: Ask): Promise<HttpAnswer> {
    const answer = await callHttp({
      method: ask.body === undefined ? "GET" : "POST",
      url: this.url + ask.path,
      headers: { ...this.#headers, accept: "application/json", "content-type": "application/json" },
      ...(ask.body === undefined ? {} : { body: JSON.stringify(ask.body) }),
      agent: this.#agent,
      silenceSeconds: ask.silenceSeconds,
      totalSeconds: ask.totalSeconds,
      mostBytes: ask.mostBytes,
      signal: ask.signal,
    });
    if (answer.status !== 200) throw faultOf(answer);
    return answer;
  }

  close(): void {
    this.#agent.destroy();
  }
}

function readAddress(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw badAddress(text, cause);
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") throw badAddress(text);
  const path = url.pathname.replace(/\/(run_code)?\/*$/, "");
  const login = url.username || url.password ? `${url.username}:${url.password}@` : "";
  return `${url.protocol}//${login}${url.host}${path}`;
}

function badAddress(text: string, cause?: unknown): SparringError {
  return new SparringError({
    code: "remote-address",
    message: `"${text}" is not the address of a sandbox host`,
    hint: "Write it as http://machine:8080 or https://machine.",
    cause,
  });
}

function faultOf(answer: HttpAnswer): HostFault {
  const { status, headers } = answer;
  const said = `HTTP ${status}${messageIn(answer.body)}`;
  if (status === 429 || status === 503) {
    const seconds = Number(headers["retry-after"]);
    return new HostFault("busy", said, Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined);
  }
  if (status >= 500) return new HostFault("unreachable", said);
  if (status >= 400) return new HostFault("refused", said);
  return new HostFault("malformed", said);
}

function messageIn(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? `: ${error.message.slice(0, 300)}` : "";
  } catch {
    return "";
  }
}

/** The JSON of an answer; a HostFault if it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HostFault("malformed", "the answer is not JSON");
  }
}
