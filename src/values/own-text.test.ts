import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ownText } from "./own-text.ts";

describe("ownText", () => {
  it("is the start of the text, code unit by code unit", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(40), (text, most) => {
        expect(ownText(text, most)).toBe(text.slice(0, most));
        expect(ownText(text)).toBe(text);
      }),
    );
  });

  it("does not keep the rest alive", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const texts = 128;
    const length = 512 * 1024;
    collect();
    const before = process.memoryUsage().heapUsed;
    const kept = Array.from({ length: texts }, (_, index) =>
      ownText(Buffer.alloc(length, index + 1).toString("utf8"), 200),
    );
    collect();
    const grown = process.memoryUsage().heapUsed - before;
    expect(kept).toHaveLength(texts);
    expect(grown).toBeLessThan((texts * length) / 4);
  });
});
