import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../package-root.ts";
import { arbitraryValue, withSortedSets } from "./arbitrary-value.test.support.ts";
import { literalText, shortLiteralText } from "./literal-text.ts";
import type { PythonValue } from "./python-value.ts";
import { askPython, hasPython } from "./run-python.test.support.ts";
import { encodeWire } from "./wire.ts";

const str = (value: string): PythonValue => ({ type: "str", value });
const int = (value: bigint): PythonValue => ({ type: "int", value });
const float = (value: number): PythonValue => ({ type: "float", value });

describe("literalText", () => {
  it.each<[PythonValue, string]>([
    [{ type: "none" }, "None"],
    [{ type: "bool", value: true }, "True"],
    [int(-7n), "-7"],
    [float(1), "1.0"],
    [float(-0), "-0.0"],
    [float(1e16), "1e+16"],
    [float(123456789012345680), "1.2345678901234568e+17"],
    [float(1e15), "1000000000000000.0"],
    [float(0.0001), "0.0001"],
    [float(0.00001), "1e-05"],
    [float(1.5e-7), "1.5e-07"],
    [float(Number.NaN), "float('nan')"],
    [float(Number.NEGATIVE_INFINITY), "float('-inf')"],
    [{ type: "complex", real: 0, imaginary: 2 }, "2.0j"],
    [{ type: "complex", real: 1, imaginary: -2 }, "(1.0-2.0j)"],
    [{ type: "complex", real: -0, imaginary: 1 }, "complex(-0.0, 1.0)"],
    [str("plain"), "'plain'"],
    [str("it's"), '"it\'s"'],
    [str(`both ' and "`), `'both \\' and "'`],
    [str("a\\b\n\0\u00a0é😀"), "'a\\\\b\\n\\x00\\xa0é😀'"],
    [str("\ud800"), "'\\ud800'"],
    [{ type: "bytes", hex: "00ff41275c" }, `b"\\x00\\xffA'\\\\"`],
    [{ type: "list", items: [] }, "[]"],
    [{ type: "tuple", items: [] }, "()"],
    [{ type: "tuple", items: [int(1n)] }, "(1,)"],
    [{ type: "tuple", items: [int(1n), int(2n)] }, "(1, 2)"],
    [{ type: "set", items: [] }, "set()"],
    [{ type: "set", items: [int(1n)] }, "{1}"],
    [{ type: "frozenset", items: [] }, "frozenset()"],
    [{ type: "frozenset", items: [int(1n)] }, "frozenset({1})"],
    [{ type: "dict", entries: [] }, "{}"],
    [{ type: "dict", entries: [[str("k"), { type: "list", items: [int(1n)] }]] }, "{'k': [1]}"],
    [{ type: "opaque", typeName: "Point<\n", reason: "object" }, "<Point?? object>"],
    [{ type: "opaque", typeName: "list", reason: "cyclic" }, "<cyclic list>"],
  ])("writes values as Python does (%#)", (value, text) => {
    expect(literalText(value)).toBe(text);
  });

  it("writes integers that Python refuses in decimal as hexadecimal", () => {
    expect(literalText(int(16n ** 4_000n))).toBe(`0x1${"0".repeat(4_000)}`);
    expect(literalText(int(-(16n ** 4_000n)))).toBe(`-0x1${"0".repeat(4_000)}`);
  });

  it.skipIf(!hasPython)("is read by Python as the same value, and floats look as Python writes them", () => {
    const values = fc.sample(arbitraryValue, { numRuns: 3_000, seed: 11 });
    const script = `
import json, sys
sys.path.insert(0, ${JSON.stringify(path.join(packageRoot, "python/sandbox"))})
import wire
print(json.dumps([
    [wire.Encoder(10**9).encode(v), repr(v) if type(v) is float and v - v == 0 else None]
    for v in map(eval, json.load(sys.stdin))
]))`;
    const answers = askPython(script, values.map(literalText)) as [unknown, string | null][];
    for (const [index, value] of values.entries()) {
      const [wire, repr] = answers[index]!;
      expect(withSortedSets(wire)).toEqual(withSortedSets(encodeWire(value)));
      if (repr !== null) expect(literalText(value)).toBe(repr);
    }
  });
});

describe("shortLiteralText", () => {
  it("leaves short values alone", () => {
    expect(shortLiteralText(str("abc"), 5)).toBe("'abc'");
  });

  it("cuts long ones to exactly the length asked for", () => {
    expect(shortLiteralText(str("abcdefgh"), 6)).toBe("'abcd…");
  });

  it("never exceeds the length and is a prefix of the full text", () => {
    fc.assert(
      fc.property(arbitraryValue, fc.integer({ min: 1, max: 60 }), (value, most) => {
        const short = shortLiteralText(value, most);
        const full = literalText(value);
        expect(short.length).toBeLessThanOrEqual(most);
        expect(short === full || (short.endsWith("…") && full.startsWith(short.slice(0, -1)))).toBe(true);
      }),
      { seed: 5 },
    );
  });

  it("looks only at the beginning of a huge value", () => {
    let touched = 0;
    const items = new Proxy(
      Array.from({ length: 100_000 }, () => int(1n)),
      {
        get(target, key, receiver) {
          touched += 1;
          return Reflect.get(target, key, receiver);
        },
      },
    );
    shortLiteralText({ type: "list", items }, 40);
    expect(touched).toBeLessThan(200);
  });
});
