import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { locateJsonError } from "./locate-json-error.ts";

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe("locateJsonError", () => {
  it.each([
    ['{\n"a": 1,\n}', 3],
    ['{\n"a": 1\n"b": 2}', 3],
    ["[\n1,\n2", 3],
    ['{"a": 01}', 1],
    ['{"a":\n"unclosed}', 2],
    ["[1]\n[2]", 2],
    ["{'a': 1}", 1],
    ["", 1],
    ["[1, nul]", 1],
    ['["tab\there"]', 1],
  ])("finds the line in %j", (text, line) => {
    expect(locateJsonError(text)).toBe(line);
  });

  it("agrees with JSON.parse on what is JSON", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      '"a"',
      '"\\n"',
      '"\\x"',
      "1",
      "-",
      "0.5e3",
      "true",
      "nul",
      " ",
      "\n",
      '"',
    );
    const texts = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((parts) => parts.join("")),
      fc.json(),
      fc.tuple(fc.json(), fc.nat(), piece).map(([text, at, extra]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + extra + text.slice(place);
      }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(locateJsonError(text) === undefined).toBe(isJson(text));
      }),
      { seed: 81, numRuns: 3_000 },
    );
  });
});
