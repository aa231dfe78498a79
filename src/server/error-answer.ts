/** Every error as `{"error": {"code", "message", "hint"}}`, never with a stack trace. */
import type { Context } from "hono";
import { messageOf, SparringError } from "../errors.ts";
import { RequestRefused } from "./request-refused.ts";

export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly hint?: string };
}

export function answerError(
  context: Context,
  error: unknown,
  logFailure: (error: unknown) => void,
): Response {
  if (error instanceof RequestRefused) return context.json(errorBody(error), error.status, error.headers);
  const body = errorBody(error);
  // The caller has left; nobody reads this.
  if (context.req.raw.signal.aborted) return context.json(body, 400);
  logFailure(error);
  return context.json(body, error instanceof SparringError ? 503 : 500);
}

/** What the log says of an error: the whole story for a defect of ours, a line for anything else. */
export function failureText(error: unknown): string {
  if (error instanceof SparringError || !(error instanceof Error)) return messageOf(error);
  return error.stack ?? error.message;
}

export function errorBody(error: unknown): ErrorBody {
  if (error instanceof RequestRefused || error instanceof SparringError) {
    const { code, message, hint } = error;
    return { error: hint === undefined ? { code, message } : { code, message, hint } };
  }
  return { error: { code: "internal", message: "the server failed; its log says why" } };
}
