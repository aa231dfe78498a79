import fc from "fast-check";
import { expect, test } from "vitest";
import {
  beginId,
  characterTokenizer,
  outputCount,
  renderMessages,
  separatorId,
  unknownId,
} from "./tokenizer.ts";

test("printable text and newlines survive the way there and back", () => {
  const character = fc.oneof(
    fc.constant("\n"),
    fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  );
  fc.assert(
    fc.property(fc.string({ unit: character }), (text) => {
      const ids = characterTokenizer.encode(text);
      expect(ids).toHaveLength(text.length);
      expect(ids.every((id) => id < outputCount && id !== characterTokenizer.endTokenId)).toBe(true);
      expect(characterTokenizer.decode(ids)).toBe(text);
    }),
  );
});

test("whatever the text, no control token but `unknown` comes out of it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const ids = characterTokenizer.encode(text);
      expect(
        ids.some((id) => id === beginId || id === separatorId || id === characterTokenizer.endTokenId),
      ).toBe(false);
    }),
  );
  expect(characterTokenizer.encode("a\té")).toEqual([65, unknownId, unknownId]);
  expect(characterTokenizer.decode([65, unknownId, beginId])).toBe("a\uFFFD");
});

test("messages are told apart by tokens that no text contains", () => {
  const messages = [
    { role: "system", content: "ab" },
    { role: "user", content: "" },
  ] as const;
  expect(renderMessages(messages)).toEqual([beginId, 65, 66, separatorId, separatorId]);
});
