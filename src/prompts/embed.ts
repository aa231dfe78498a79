/** Untrusted text inside a prompt: in a fence that it cannot close, with control tokens made harmless. */
import { neutralizeControlTokens } from "./control-tokens.ts";

/**
 * @example
 * embed("def f(): pass", "python"); // "```python\ndef f(): pass\n```"
 */
export function embed(text: string, tag: "python" | "text"): string {
  const safe = neutralizeControlTokens(text).replace(/\r\n?/g, "\n").trimEnd();
  let longest = 2;
  for (const run of safe.matchAll(/`+/g)) longest = Math.max(longest, run[0].length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${tag}\n${safe}\n${fence}`;
}
