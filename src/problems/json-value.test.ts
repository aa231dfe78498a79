import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryValue } from "../values/arbitrary-value.test.support.ts";
import { sameValue } from "../values/compare.ts";
import { literalText } from "../values/literal-text.ts";
import { askPython, hasPython } from "../values/run-python.test.support.ts";
import { jsonOf, parseJson, pythonValueOf } from "./json-value.ts";

const read = (text: string) => {
  const parsed = parseJson(text);
  const value = parsed.ok ? pythonValueOf(parsed.value) : undefined;
  return value && literalText(value);
};

describe("JSON text", () => {
  it.each([
    ["123456789012345678901234567890", "123456789012345678901234567890"],
    ["1.0", "1.0"],
    ["-0", "0"],
    ["1e2", "100.0"],
    ["NaN", "float('nan')"],
    ["-Infinity", "float('-inf')"],
    ['"1.0 \\" 12 \\\\"', "'1.0 \" 12 \\\\'"],
    ['{"a": [1, null, true], "1": {}}', "{'1': {}, 'a': [1, None, True]}"],
    ['{"__proto__": 1}', "{'__proto__': 1}"],
  ])("%s is %s", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each(["", "{", "1.", "01", "1 2", "[1,]", "'a'", "nan", '{"a": invalid}', "--1", "1e"])(
    "%j is none",
    (text) => {
      expect(parseJson(text).ok).toBe(false);
    },
  );

  it("is read as JavaScript reads it, but for numbers it would round", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const text = JSON.stringify(json);
        const rounded = pythonValueOf(JSON.parse(text));
        const parsed = parseJson(text);
        if (rounded)
          expect(sameValue(pythonValueOf((parsed as { value: unknown }).value)!, rounded)).toBe(true);
      }),
      { examples: [[[0, 1.5, "\0number"]], [{ "\0": 1 }]] },
    );
  });

  it.skipIf(!hasPython)("is read as Python reads it", () => {
    const texts = fc
      .sample(fc.json({ maxDepth: 3 }), 200)
      .filter((text) => !/[\ud800-\udfff]|\\ud/.test(text));
    const script =
      "import json, sys\njson.dump([repr(json.loads(text)) for text in json.load(sys.stdin)], sys.stdout)";
    const python = askPython(script, texts) as string[];
    const evaluate =
      "import json, sys\njson.dump([eval(a) == eval(b) for a, b in json.load(sys.stdin)], sys.stdout)";
    const pairs = texts.map((text, index) => [read(text), python[index]]);
    const same = askPython(evaluate, pairs) as boolean[];
    expect(pairs.filter((_, index) => !same[index])).toEqual([]);
  });

  it("that is deeper than a value may be has none", () => {
    expect(read(`${"[".repeat(90)}${"]".repeat(90)}`)).toBeDefined();
    expect(read(`${"[".repeat(150)}${"]".repeat(150)}`)).toBeUndefined();
  });
});

describe("a value as JSON", () => {
  it("reads back as the same value, or there is none", () => {
    fc.assert(
      fc.property(arbitraryValue, (value) => {
        const json = jsonOf(value);
        if (json === undefined) return;
        expect(pythonValueOf(JSON.parse(JSON.stringify(json)))).toEqual(value);
        expect(read(JSON.stringify(json))).toBe(literalText(value));
      }),
    );
  });

  it("exists for plain data", () => {
    const value = pythonValueOf({ a: [1, -2.5, "x", null, false] })!;
    expect(jsonOf(value)).toEqual({ a: [1, -2.5, "x", null, false] });
    expect(jsonOf({ type: "tuple", items: [] })).toBeUndefined();
    expect(jsonOf({ type: "float", value: 1 })).toBeUndefined();
    expect(pythonValueOf(2 ** 60)).toBeUndefined();
  });
});
