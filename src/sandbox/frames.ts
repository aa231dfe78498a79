/**
 * What python/sandbox/harness.py says, read with suspicion: the program shares its process and can write any bytes
 * it likes there. Whatever is malformed is the program's own failure, never ours, so that no program can turn a
 * bad verdict into a retried or masked one.
 */
import { ownText } from "../values/own-text.ts";
import { type DecodingBudget, decodeWire } from "../values/wire.ts";
import type { Observation, ProgramError } from "./sandbox.ts";

export type Frame =
  | { readonly kind: "loaded" }
  | { readonly kind: "failed"; readonly error: ProgramError }
  | { readonly kind: "exited"; readonly code: number }
  /** No room for the answer of this case; it and the ones after it need another process. */
  | { readonly kind: "full" }
  | { readonly kind: "case"; readonly observation: Observation };

export const protocolViolation: ProgramError = {
  type: "ProtocolViolation",
  message: "the program wrote into the sandbox's own channel",
};

const violation: Frame = { kind: "case", observation: { kind: "raised", error: protocolViolation } };

const flood: Frame = { kind: "case", observation: { kind: "output-flood", what: "value" } };
// What harness.py says without a value is shorter.
const longestWithoutValue = 16 * 1024;

/** `budget` is what the values of the program may still take in all. */
export function readFrame(text: string, budget: DecodingBudget): Frame {
  if (budget.left < 0 && text.length > longestWithoutValue) return flood;
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return violation;
  }
  if (typeof frame !== "object" || frame === null) return violation;
  const { k, v, c } = frame as Record<string, unknown>;
  switch (k) {
    case "loaded":
      return { kind: "loaded" };
    case "full":
      return { kind: "full" };
    case "failed":
      return { kind: "failed", error: readError(frame as Record<string, unknown>) };
    case "exited":
      return typeof c === "number" && Number.isInteger(c) ? { kind: "exited", code: c & 0xff } : violation;
    case "returned": {
      const value = decodeWire(v, budget);
      if (value) return { kind: "case", observation: { kind: "returned", value } };
      return budget.left < 0 ? flood : violation;
    }
    case "raised":
      return {
        kind: "case",
        observation: { kind: "raised", error: readError(frame as Record<string, unknown>) },
      };
    case "memory":
      return { kind: "case", observation: { kind: "out-of-memory" } };
    case "flood":
      return flood;
    default:
      return violation;
  }
}

function readError(frame: Record<string, unknown>): ProgramError {
  const text = (value: unknown, most: number) => (typeof value === "string" ? ownText(value, most) : "");
  const error = { type: text(frame.t, 100) || "Exception", message: text(frame.m, 500) };
  return typeof frame.l === "number" && Number.isSafeInteger(frame.l) ? { ...error, line: frame.l } : error;
}
