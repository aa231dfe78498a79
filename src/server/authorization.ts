/**
 * Who may use the server. With a token: whoever sends it, as `Authorization: Bearer TOKEN` or as the password of a
 * Basic login, which is what HTTP clients make of `http://any:TOKEN@host`, the only way for tools that cannot set
 * headers. Without one the server listens on loopback only, and the Host header must say so too: otherwise a web
 * page could reach it through a name of its own that points to 127.0.0.1.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import { SparringError } from "../errors.ts";
import { RequestRefused } from "./request-refused.ts";

export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (name === "localhost" || name.endsWith(".localhost") || name === "::1") return true;
  return isIP(name) === 4 && name.startsWith("127.");
}

/** The token to use, undefined for none; throws where there must be one. */
export function requireToken(host: string, token: string | undefined): string | undefined {
  if (token !== undefined && token !== "" && !/^[\x21-\x7e]+$/.test(token)) {
    throw new SparringError({
      code: "token-invalid",
      message: "the token must be printable ASCII without spaces",
      hint: "Make one with: openssl rand -hex 24",
    });
  }
  if (token) return token;
  if (isLoopback(host)) return undefined;
  throw new SparringError({
    code: "token-required",
    message: `listening on ${host} lets other machines run programs here, so a token is required`,
    hint: "Set SPARRING_TOKEN (or --token), or listen on 127.0.0.1.",
  });
}

export interface Credentials {
  readonly authorization: string | undefined;
  readonly host: string | undefined;
}

export function isAuthorized(credentials: Credentials, token: string | undefined): boolean {
  if (token === undefined) return isLoopback(hostName(credentials.host ?? ""));
  const offered = offeredToken(credentials.authorization ?? "");
  return offered !== undefined && timingSafeEqual(digest(offered), digest(token));
}

export function unauthorized(token: string | undefined): RequestRefused {
  if (token === undefined) {
    return new RequestRefused({
      status: 403,
      code: "foreign-host",
      message: "without a token this server answers only requests for a loopback address",
      hint: "Use http://127.0.0.1:PORT, or start the server with a token.",
    });
  }
  return new RequestRefused({
    status: 401,
    code: "unauthorized",
    message: "the token is missing or wrong",
    hint: "Send the header Authorization: Bearer TOKEN.",
    headers: { "www-authenticate": "Bearer" },
  });
}

function hostName(header: string): string {
  return header.startsWith("[") ? header.slice(0, header.indexOf("]") + 1) : header.split(":")[0]!;
}

function offeredToken(header: string): string | undefined {
  const [scheme = "", value] = header.split(" ");
  if (value === undefined) return undefined;
  if (scheme.toLowerCase() === "bearer") return value;
  if (scheme.toLowerCase() !== "basic") return undefined;
  const login = Buffer.from(value, "base64").toString("utf8");
  return login.includes(":") ? login.slice(login.indexOf(":") + 1) : undefined;
}

/** Equal lengths for the comparison, whatever was sent. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
