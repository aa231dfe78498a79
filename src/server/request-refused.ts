/** A request that gets an HTTP error: thrown where the reason is known, answered in one place (error-answer.ts). */
import type { ContentfulStatusCode } from "hono/utils/http-status";

export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
  readonly status: ContentfulStatusCode;
  readonly code: string;
  readonly hint: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(options: {
    status: ContentfulStatusCode;
    code: string;
    message: string;
    hint?: string;
    headers?: Readonly<Record<string, string>>;
  }) {
    super(options.message);
    this.status = options.status;
    this.code = options.code;
    this.hint = options.hint;
    this.headers = options.headers ?? {};
  }
}
