import type { Prompt } from "../engine/completion.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import type { RolePrompt } from "../prompts/dialect.ts";

/** Messages are rendered by the model's own chat format; plain text is encoded as it is. */
export function enginePrompt(policy: FrozenPolicy, prompt: RolePrompt): Prompt {
  return prompt.kind === "messages"
    ? prompt
    : { kind: "tokens", tokenIds: policy.tokenizer.encode(prompt.text) };
}

export function promptTokens(policy: FrozenPolicy, prompt: RolePrompt): number {
  const ready = enginePrompt(policy, prompt);
  return (ready.kind === "tokens" ? ready.tokenIds : policy.renderPrompt(ready.messages)).length;
}

/** Whether the model could answer at all. */
export function hasRoom(policy: FrozenPolicy, prompt: RolePrompt): boolean {
  const { contextLength } = policy.describe();
  return contextLength === undefined || promptTokens(policy, prompt) < contextLength;
}
