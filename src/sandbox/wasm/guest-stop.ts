/**
 * Thrown from an import to end the running program at once. It unwinds every frame of the interpreter: CPython has no
 * handler for foreign exceptions, so no `except` or `finally` of the program sees it. The interpreter is restored from
 * its image afterwards.
 */
export class GuestStop extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super("the program was stopped");
    this.reason = reason;
  }
}

export type StopReason =
  | { readonly kind: "limit"; readonly limit: "cpu" | "wall" | "program" | "output" | "value" | "refused" }
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "aborted" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "done" };
