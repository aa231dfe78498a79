import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryValue } from "../values/arbitrary-value.test.support.ts";
import { sameValue } from "../values/compare.ts";
import { decodeCase, encodeCase, questionKey } from "./case-codec.ts";
import type { FunctionCase, TestCase } from "./problem.ts";

const arbitraryKeywords = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom("__proto__", "constructor", "x"), fc.string()), arbitraryValue), {
    maxLength: 3,
  })
  .map((entries) => Object.fromEntries(entries));

const arbitraryCase: fc.Arbitrary<TestCase> = fc.oneof(
  fc
    .record({ input: fc.string(), expected: fc.string() })
    .map((pair) => ({ style: "stdio", ...pair }) as const),
  fc
    .record({
      args: fc.array(arbitraryValue, { maxLength: 3 }),
      keywords: arbitraryKeywords,
      expected: arbitraryValue,
    })
    .map(
      ({ args, keywords, expected }) => ({ style: "function", call: { args, keywords }, expected }) as const,
    ),
);

const throughJson = (testCase: TestCase) => decodeCase(JSON.parse(JSON.stringify(encodeCase(testCase))));

describe("test cases as JSON", () => {
  it("come back as what they were", () => {
    fc.assert(
      fc.property(arbitraryCase, (testCase) => {
        expect(throughJson(testCase)).toEqual(testCase);
      }),
    );
  });

  it("keep a keyword argument called __proto__", () => {
    const keywords = Object.fromEntries([["__proto__", { type: "int", value: 7n } as const]]);
    const testCase: FunctionCase = {
      style: "function",
      call: { args: [], keywords },
      expected: { type: "none" },
    };
    const decoded = throughJson(testCase) as FunctionCase;
    expect(Object.entries(decoded.call.keywords)).toEqual([["__proto__", { type: "int", value: 7n }]]);
  });

  it("ask the same question after the way through JSON, whatever the order of keywords", () => {
    fc.assert(
      fc.property(arbitraryCase, (testCase) => {
        expect(questionKey(throughJson(testCase)!)).toBe(questionKey(testCase));
      }),
    );
    const call = (names: string[]): FunctionCase => ({
      style: "function",
      call: { args: [], keywords: Object.fromEntries(names.map((name) => [name, { type: "none" }])) },
      expected: { type: "none" },
    });
    expect(questionKey(call(["a", "b"]))).toBe(questionKey(call(["b", "a"])));
  });

  it("tell questions apart that Python tells apart", () => {
    const key = (args: FunctionCase["call"]["args"]) =>
      questionKey({ style: "function", call: { args, keywords: {} }, expected: { type: "none" } });
    fc.assert(
      fc.property(arbitraryValue, arbitraryValue, (left, right) => {
        if (key([left]) === key([right])) expect(sameValue(left, right)).toBe(true);
      }),
    );
    expect(key([{ type: "int", value: 1n }])).not.toBe(key([{ type: "bool", value: true }]));
    expect(key([{ type: "list", items: [] }])).not.toBe(key([{ type: "tuple", items: [] }]));
  });

  it("are not read from anything else", () => {
    for (const other of [null, 3, "x", {}, { input: "1" }, { args: 3 }, { args: [{ q: 1 }], expected: 1 }]) {
      expect(decodeCase(other)).toBeUndefined();
    }
    expect(decodeCase({ args: [], keywords: 3, expected: 1 })).toBeUndefined();
    expect(decodeCase({ args: [], keywords: { a: { q: 1 } }, expected: 1 })).toBeUndefined();
    expect(decodeCase({ args: [] })).toBeUndefined();
  });
});
