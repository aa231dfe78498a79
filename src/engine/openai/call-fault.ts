/** Why a call to a server brought no answer. It decides what to try next; people see a SparringError. */
export type CallFaultKind =
  /** Nobody there: no name, no connection. */
  | "unreachable"
  /** Overloaded, slow, broken off: worth another try. */
  | "transient"
  /** Answered something that is not an answer: worth another try. */
  | "malformed"
  /** Answered without a text, for example because a filter removed it: worth another try. */
  | "withheld"
  /** Will not do it, now or later. */
  | "refused";

export class CallFault extends Error {
  override readonly name = "CallFault";
  readonly kind: CallFaultKind;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    kind: CallFaultKind,
    message: string,
    details: { readonly status?: number; readonly retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message);
    this.kind = kind;
    this.status = details.status;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
