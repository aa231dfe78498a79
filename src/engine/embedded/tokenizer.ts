/**
 * One token for each character: printable ASCII and the newline, then the control tokens. The model can only
 * produce characters and `end`; `begin`, `separator` and `unknown` exist on the input side alone, so nothing that is
 * sampled can ever pretend to be the start of a message. Characters outside the alphabet (tabs, accents, emoji)
 * become `unknown`, which decodes to U+FFFD.
 */
import type { ChatMessage } from "../completion.ts";
import type { Tokenizer } from "../engine.ts";

const firstPrintable = 0x20;
const printableCount = 95;
const newlineId = printableCount;

export const endId = 96;
/** Ids below this can be sampled and trained as targets. */
export const outputCount = 97;
export const beginId = 97;
export const separatorId = 98;
export const unknownId = 99;
export const vocabularySize = 100;
/** Recorded with weights: a file made for another alphabet must not load. */
export const alphabetName = "ascii-97-100";

export const characterTokenizer: Tokenizer = {
  endTokenId: endId,
  vocabularySize,
  encode(text) {
    return Array.from(text, (character) => {
      if (character === "\n") return newlineId;
      const index = character.codePointAt(0)! - firstPrintable;
      return index >= 0 && index < printableCount ? index : unknownId;
    });
  },
  decode(tokenIds) {
    let text = "";
    for (const id of tokenIds) {
      if (id < printableCount) text += String.fromCharCode(id + firstPrintable);
      else if (id === newlineId) text += "\n";
      else if (id === unknownId) text += "\uFFFD";
    }
    return text;
  },
};

/** `begin`, then each message's characters and a `separator`. Roles are not told apart: the order is enough. */
export function renderMessages(messages: readonly ChatMessage[]): readonly number[] {
  return [
    beginId,
    ...messages.flatMap((message) => [...characterTokenizer.encode(message.content), separatorId]),
  ];
}
