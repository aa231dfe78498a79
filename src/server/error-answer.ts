/** Every error as `{"error": {"code", "message", "hint"}}`, never with a stack trace. */
import type { Context } from "hono";
import { SparringError } from "../errors.ts";
import { RequestRefused } from "./request-refused.ts";

export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
}

/** `log` hears of what should not have happened. */
export function answerError(context: Context, error: unknown, log: (line: string) => void): Response {
  if (error instanceof RequestRefused) return context.json(errorBody(error), error.status, error.headers);
  const body = errorBody(error);
  // The caller has left; nobody reads this.
  if (context.req.raw.signal.aborted) return context.json(body, 400);
  if (!(error instanceof SparringError)) log(error instanceof Error ? (error.stack ?? "") : String(error));
  return context.json(body, error instanceof SparringError ? 503 : 500);
}

export function errorBody(error: unknown): ErrorBody {
  if (error instanceof RequestRefused || error instanceof SparringError) {
    const { code, message, hint } = error;
    return { error: hint === undefined ? { code, message } : { code, message, hint } };
  }
  return { error: { code: "internal", message: "the server failed; its log says why" } };
}
