import type { Prompt } from "../engine/completion.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import type { RolePrompt } from "../prompts/dialect.ts";

/** Messages are rendered by the model's own chat format; plain text is encoded as it is. */
export function enginePrompt(policy: FrozenPolicy, prompt: RolePrompt): Prompt {
  return prompt.kind === "messages"
    ? prompt
    : { kind: "tokens", tokenIds: policy.tokenizer.encode(prompt.text) };
}
