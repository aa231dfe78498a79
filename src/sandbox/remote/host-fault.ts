/** A host's own failure, never a program's. It decides what to try next and ends as `infrastructure` at worst. */
export type HostFaultKind =
  /** No connection, a time-out, an internal error. */
  | "unreachable"
  /** Full or shutting down for the moment: worth waiting for. */
  | "busy"
  /** Answered something that is not an answer. */
  | "malformed"
  /** Will not do it: a wrong token, a job too large for it. */
  | "refused";

export class HostFault extends Error {
  override readonly name = "HostFault";
  readonly kind: HostFaultKind;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: HostFaultKind, message: string, retryAfterSeconds?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
