/**
 * Keeps the bodies of all requests together within bounds. The queue counts jobs, but a few hundred requests of the
 * largest size would fill the memory before the first of them became a job.
 */
import type { HttpBindings } from "@hono/node-server";
import type { MiddlewareHandler } from "hono";
import { RequestRefused } from "./request-refused.ts";

export function bodyRoom(options: {
  readonly mostBodyBytes: number;
  readonly mostBytes: number;
}): MiddlewareHandler<{ Bindings: HttpBindings }> {
  let held = 0;
  return async (context, next) => {
    if (context.req.method !== "POST") return next();
    const announced = Number(context.req.header("content-length") ?? options.mostBodyBytes);
    const bytes = Math.min(announced || 0, options.mostBodyBytes);
    if (held + bytes > options.mostBytes) {
      throw new RequestRefused({
        status: 429,
        code: "bodies-full",
        message: "the requests under way hold as much as this server takes at a time",
        hint: "Send less at the same time, or try again after the time in Retry-After.",
        headers: { "retry-after": "1", connection: "close" },
      });
    }
    held += bytes;
    context.env.outgoing.once("close", () => {
      held -= bytes;
    });
    return next();
  };
}
