/**
 * The one error a user may see. It is thrown where the cause is known and printed at the boundary
 * (command line, HTTP) as message and hint, without a stack trace.
 *
 * @example
 * throw new SparringError({ code: "problem-invalid", message: "row 3: 'question' is missing", hint: "Add the field." });
 */
export class SparringError extends Error {
  override readonly name = "SparringError";
  readonly code: string;
  readonly hint: string | undefined;

  constructor(options: { code: string; message: string; hint?: string; cause?: unknown }) {
    super(options.message, { cause: options.cause });
    this.code = options.code;
    this.hint = options.hint;
  }
}

/** The text of anything that can be thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
