/**
 * Takes the reasoning out of a reply: `<think>…</think>`, also where the prompt already opened it and only the end
 * stands in the reply, and where it was cut off before its end. A tag inside a fenced block is code, not a tag.
 */
import { findFences } from "./fences.ts";

const opening = "<think>";
const closing = "</think>";

/** More blocks than a model ever writes; a hostile reply with thousands is left as it is. */
const mostBlocks = 20;

export function removeThinking(reply: string): string {
  let text = reply;
  for (let block = 0; block < mostBlocks; block += 1) {
    const start = text.indexOf(opening);
    const end = text.indexOf(closing);
    if (end >= 0 && (start < 0 || end < start)) {
      if (isCode(text, end)) return text;
      text = text.slice(end + closing.length);
    } else if (start >= 0) {
      if (isCode(text, start)) return text;
      const rest = end < 0 ? "" : text.slice(end + closing.length);
      text = text.slice(0, start) + rest;
    } else return text;
  }
  return text;
}

function isCode(text: string, position: number): boolean {
  const lineStart = text.lastIndexOf("\n", position) + 1;
  const nextLine = text.indexOf("\n", position);
  const line = text.slice(lineStart, nextLine < 0 ? text.length : nextLine).trim();
  // Alone on its line it is no Python, whatever fence was left open before it.
  if (line === opening || line === closing) return false;
  return findFences(text).some((block) => block.closed && block.from < position && position < block.to);
}
