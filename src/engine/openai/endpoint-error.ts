/** What people read when a server gave no answer: which model, where, why, and what to do about it. */
import { SparringError } from "../../errors.ts";
import type { CallFault } from "./call-fault.ts";
import type { SettingNames } from "./setting-names.ts";

export interface AskedModel {
  readonly model: string;
  readonly address: string;
  /** The environment variable that the key comes from, and whether there was one. */
  readonly apiKeyVariable: string;
  readonly apiKey: "sent" | "absent";
  readonly names: SettingNames;
}

/**
 * What a failure says about other questions: `prompt` means that only this one is turned down, and that the model has
 * answered others in the same way of asking.
 */
export type FaultScope = "prompt" | "all";

/**
 * By code:
 *
 *   engine-endpoint          no answer, which may pass: down, overloaded, too slow
 *   engine-endpoint-refused  no answer to anything: wrong key, model, address or settings
 *   engine-prompt-refused    no answer to this prompt, such as one that is too long or filtered; others are answered
 */
export function endpointError(fault: CallFault, asked: AskedModel, scope: FaultScope): SparringError {
  const { model, address } = asked;
  if (scope === "prompt") {
    return new SparringError({
      code: "engine-prompt-refused",
      message: `the model '${model}' at ${address} does not answer this prompt: ${fault.message}`,
      hint: fault.kind === "refused" ? refusalHint(fault, asked) : failureHint(fault, asked),
      cause: fault,
    });
  }
  if (fault.kind === "refused") {
    return new SparringError({
      code: "engine-endpoint-refused",
      message: `the model '${model}' at ${address} cannot be asked: ${fault.message}`,
      hint: refusalHint(fault, asked),
      cause: fault,
    });
  }
  return new SparringError({
    code: "engine-endpoint",
    message: `the model '${model}' at ${address} gave no usable answer, also when asked again: ${fault.message}`,
    hint: failureHint(fault, asked),
    cause: fault,
  });
}

function refusalHint(
  { status }: CallFault,
  { apiKeyVariable, apiKey, address, model, names }: AskedModel,
): string {
  if (status === 401 || status === 403) {
    return apiKey === "sent"
      ? `The key was taken from the environment variable ${apiKeyVariable}: is it the right one for this server and model?`
      : `No key was sent: the environment variable ${apiKeyVariable} is not set. Set it, or name another one with ${names.apiKeyVariable}.`;
  }
  if (status === 404) {
    return `Is '${model}' the name that the server uses, and is the address complete (most end in /v1)? ${address}/models lists what it has.`;
  }
  if (status === 429) return "The account behind the key has nothing left to spend.";
  if (status === 400 || status === 413 || status === 422) {
    return `Often the prompt and ${names.maxTokens} together are longer than the model's context, or the model takes no such ${names.temperature} or ${names.topP}.`;
  }
  return `Is the address right (${names.baseUrl})? Most end in /v1.`;
}

function failureHint({ kind, status }: CallFault, { address, apiKeyVariable, names }: AskedModel): string {
  if (kind === "unreachable") return `Is a server running at ${address}? ${names.baseUrl} names another one.`;
  if (status === 429) {
    return `Fewer requests at the same time may help: ${names.concurrency}. The limit belongs to the key in ${apiKeyVariable}.`;
  }
  if (kind === "withheld") return "A filter of the server, or a model that calls tools, gives no text.";
  if (kind === "malformed")
    return "Does this address speak the OpenAI protocol? Most such addresses end in /v1.";
  return `The server may be overloaded: try ${names.concurrency} with a smaller number, or look into its log.`;
}
