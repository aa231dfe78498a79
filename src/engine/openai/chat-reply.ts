/**
 * What a server answered, read with suspicion. A refusal in words is an answer of the model, and so is one that was
 * cut off while the model was still thinking; a missing text for any other reason is a lost sample.
 */
import type { StopReason } from "../completion.ts";
import { CallFault } from "./call-fault.ts";

export type Choice =
  | { readonly kind: "text"; readonly text: string; readonly stopReason: StopReason }
  | { readonly kind: "lost"; readonly reason: string };

export interface ChatReply {
  readonly choices: readonly Choice[];
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export function readReply(body: string, stopStrings: readonly string[]): ChatReply {
  let reply: unknown;
  try {
    reply = JSON.parse(body);
  } catch {
    throw new CallFault("malformed", `its answer is not JSON: ${JSON.stringify(body.slice(0, 80))}`);
  }
  const choices = fieldOf(reply, "choices");
  if (!Array.isArray(choices) || choices.length === 0) {
    const said = complaintIn(reply);
    throw new CallFault("malformed", `its answer has no choices${said && `: ${said}`}`);
  }
  const usage = fieldOf(reply, "usage");
  return {
    choices: choices.map((choice) => readChoice(choice, stopStrings)),
    promptTokens: countOf(fieldOf(usage, "prompt_tokens")),
    completionTokens: countOf(fieldOf(usage, "completion_tokens")),
  };
}

function readChoice(choice: unknown, stopStrings: readonly string[]): Choice {
  const message = fieldOf(choice, "message");
  const finish = fieldOf(choice, "finish_reason");
  const content = textOf(fieldOf(message, "content")) ?? textOf(fieldOf(message, "refusal"));
  if (finish === "content_filter") return { kind: "lost", reason: "the server's filter removed the text" };
  if (content === undefined && finish !== "length") {
    const reason = typeof finish === "string" ? ` (finish_reason '${finish.slice(0, 40)}')` : "";
    return { kind: "lost", reason: `a choice without text${reason}` };
  }
  const text = content ?? "";
  const cut = firstStop(text, stopStrings);
  if (cut !== undefined) return { kind: "text", text: text.slice(0, cut), stopReason: "stop" };
  if (finish === "length") return { kind: "text", text, stopReason: "length" };
  // Some servers say which string they stopped at; from the others it looks like an end.
  const stoppedAt = fieldOf(choice, "stop_reason");
  const stopped = typeof stoppedAt === "string" && stopStrings.includes(stoppedAt);
  return { kind: "text", text, stopReason: stopped ? "stop" : "end" };
}

/** A text, or the text parts of a list of parts. */
function textOf(content: unknown): string | undefined {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const parts = content.map((part) => fieldOf(part, "text")).filter((text) => typeof text === "string");
  return parts.length > 0 ? parts.join("") : undefined;
}

function firstStop(text: string, stopStrings: readonly string[]): number | undefined {
  const found = stopStrings.map((stop) => text.indexOf(stop)).filter((index) => index >= 0);
  return found.length > 0 ? Math.min(...found) : undefined;
}

/** The words of an error in any of the usual shapes; empty where there are none. */
export function complaintIn(reply: unknown): string {
  const error = fieldOf(reply, "error") ?? fieldOf(reply, "detail") ?? fieldOf(reply, "message");
  if (typeof error === "string") return error;
  const message = fieldOf(error, "message");
  if (typeof message === "string") {
    const parameter = fieldOf(error, "param");
    return typeof parameter === "string" && !message.includes(parameter)
      ? `${message} (parameter '${parameter}')`
      : message;
  }
  return error === undefined || error === null ? "" : JSON.stringify(error);
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function countOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
