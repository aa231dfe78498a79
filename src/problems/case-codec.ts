/**
 * Test cases as JSON and as keys. A case is stored as structured values, never as source text: quotes, backslashes,
 * infinities and sets come back as what they were.
 */
import type { PythonValue } from "../values/python-value.ts";
import { decodeWire, encodeWire, type Wire } from "../values/wire.ts";
import type { TestCase } from "./problem.ts";

export type EncodedCase =
  | {
      readonly args: readonly Wire[];
      readonly keywords?: Readonly<Record<string, Wire>>;
      readonly expected: Wire;
    }
  | { readonly input: string; readonly output: string };

export function encodeCase(testCase: TestCase): EncodedCase {
  if (testCase.style === "stdio") return { input: testCase.input, output: testCase.expected };
  const { args, keywords } = testCase.call;
  const named = Object.entries(keywords).map(([name, value]) => [name, encodeWire(value)] as const);
  return {
    args: args.map(encodeWire),
    ...(named.length > 0 && { keywords: Object.fromEntries(named) }),
    expected: encodeWire(testCase.expected),
  };
}

/** Undefined for anything that `encodeCase` could not have written. */
export function decodeCase(encoded: unknown): TestCase | undefined {
  if (typeof encoded !== "object" || encoded === null) return undefined;
  const { input, output, args, keywords, expected } = encoded as Record<string, unknown>;
  if (typeof input === "string" && typeof output === "string")
    return { style: "stdio", input, expected: output };
  if (
    !Array.isArray(args) ||
    (keywords !== undefined && (typeof keywords !== "object" || keywords === null))
  ) {
    return undefined;
  }
  const named: [string, PythonValue][] = [];
  for (const [name, wire] of Object.entries((keywords as Record<string, unknown> | undefined) ?? {})) {
    const value = decodeWire(wire);
    if (!value) return undefined;
    named.push([name, value]);
  }
  const values = args.map((wire) => decodeWire(wire));
  const answer = decodeWire(expected);
  if (!answer || values.some((value) => value === undefined)) return undefined;
  // From entries, because assigning to `__proto__` would set no property of that name.
  const call = { args: values as PythonValue[], keywords: Object.fromEntries(named) };
  return { style: "function", call, expected: answer };
}

/** The same for two cases exactly when they ask the same question; the answer is the reference's in any case. */
export function questionKey(testCase: TestCase): string {
  if (testCase.style === "stdio") return testCase.input;
  const { args, keywords } = testCase.call;
  const named = Object.entries(keywords)
    .map(([name, value]) => [name, encodeWire(value)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify(named.length > 0 ? [args.map(encodeWire), named] : [args.map(encodeWire)]);
}
