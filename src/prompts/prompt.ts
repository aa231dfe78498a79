/** What a role is told: the two messages that a chat template turns into tokens. */
export interface Prompt {
  readonly system: string;
  readonly user: string;
}

/** Sections of a message with blank lines between them. */
export function sections(...parts: readonly string[]): string {
  return parts.join("\n\n");
}
