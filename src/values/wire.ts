/**
 * The JSON form in which values travel between this process and the sandbox. python/sandbox/wire.py is its twin.
 *
 *   null, true, "text"            None, bool, str
 *   7            {"i": "9…9"}     int; outside ±(2^53 − 1) as digits, from 12,000 bits on in hexadecimal with 0x
 *   {"f": 0.5}   {"f": "nan"}     float; "nan", "inf" and "-inf" by name
 *   {"c": [re, im]}               complex, two floats in the form that "f" takes
 *   {"b": "00ff"}                 bytes
 *   [a, b]  {"t": [a, b]}         list, tuple
 *   {"s": [a]}  {"z": [a]}        set, frozenset
 *   {"d": [[key, value]]}         dict, in insertion order
 *   {"o": [typeName, reason]}     opaque
 *
 * The sender may be hostile, so decoding checks everything and answers `undefined` for anything else.
 */
import { maximumDepth, type OpaqueReason, type PythonValue } from "./python-value.ts";

export type Wire = null | boolean | number | string | readonly Wire[] | { readonly [tag: string]: Wire };

const opaqueReasons: ReadonlySet<string> = new Set<OpaqueReason>(["object", "cyclic", "too-deep"]);

export function encodeWire(value: PythonValue): Wire {
  switch (value.type) {
    case "none":
      return null;
    case "bool":
    case "str":
      return value.value;
    case "int":
      return Number.isSafeInteger(Number(value.value))
        ? Number(value.value)
        : { i: integerText(value.value) };
    case "float":
      return { f: encodeFloat(value.value) };
    case "complex":
      return { c: [encodeFloat(value.real), encodeFloat(value.imaginary)] };
    case "bytes":
      return { b: value.hex };
    case "list":
      return value.items.map(encodeWire);
    case "tuple":
      return { t: value.items.map(encodeWire) };
    case "set":
      return { s: value.items.map(encodeWire) };
    case "frozenset":
      return { z: value.items.map(encodeWire) };
    case "dict":
      return { d: value.entries.map(([key, item]) => [encodeWire(key), encodeWire(item)]) };
    case "opaque":
      return { o: [value.typeName, value.reason] };
  }
}

/** How much may still be decoded. Two bytes of wire can become a hundred in memory, so parts count, not bytes. */
export interface DecodingBudget {
  left: number;
}

/** What every value costs, however small. The same number stands in python/sandbox/wire.py. */
const smallestCost = 8;

/** Undefined as well when the budget ran out: it is then below zero. */
export function decodeWire(
  wire: unknown,
  budget: DecodingBudget = { left: Number.POSITIVE_INFINITY },
  depth = 0,
): PythonValue | undefined {
  budget.left -= smallestCost;
  if (depth > maximumDepth || budget.left < 0) return undefined;
  if (wire === null) return { type: "none" };
  if (typeof wire === "boolean") return { type: "bool", value: wire };
  if (typeof wire === "string") {
    budget.left -= wire.length;
    return budget.left < 0 ? undefined : { type: "str", value: wire };
  }
  if (typeof wire === "number") {
    return Number.isSafeInteger(wire) ? { type: "int", value: BigInt(wire) } : undefined;
  }
  if (Array.isArray(wire)) {
    const items = decodeItems(wire, budget, depth);
    return items && { type: "list", items };
  }
  if (typeof wire !== "object") return undefined;
  const tags = Object.keys(wire);
  if (tags.length !== 1) return undefined;
  const body = (wire as Record<string, unknown>)[tags[0]!];
  if (typeof body === "string") budget.left -= body.length;
  return budget.left < 0 ? undefined : decodeTagged(tags[0]!, body, budget, depth);
}

function decodeTagged(
  tag: string,
  body: unknown,
  budget: DecodingBudget,
  depth: number,
): PythonValue | undefined {
  switch (tag) {
    case "i":
      return typeof body === "string" ? decodeInteger(body) : undefined;
    case "f": {
      const value = decodeFloat(body);
      return value === undefined ? undefined : { type: "float", value };
    }
    case "c": {
      if (!Array.isArray(body) || body.length !== 2) return undefined;
      const [real, imaginary] = [decodeFloat(body[0]), decodeFloat(body[1])];
      return real === undefined || imaginary === undefined ? undefined : { type: "complex", real, imaginary };
    }
    case "b":
      return typeof body === "string" && body.length % 2 === 0 && isHexadecimal(body)
        ? { type: "bytes", hex: body }
        : undefined;
    case "t":
      return decodeContainer("tuple", body, budget, depth);
    case "s":
      return decodeContainer("set", body, budget, depth);
    case "z":
      return decodeContainer("frozenset", body, budget, depth);
    case "d":
      return decodeDict(body, budget, depth);
    case "o":
      return decodeOpaque(body);
    default:
      return undefined;
  }
}

function decodeContainer(
  type: "tuple" | "set" | "frozenset",
  body: unknown,
  budget: DecodingBudget,
  depth: number,
): PythonValue | undefined {
  const items = Array.isArray(body) ? decodeItems(body, budget, depth) : undefined;
  return items && { type, items };
}

function decodeItems(
  body: readonly unknown[],
  budget: DecodingBudget,
  depth: number,
): PythonValue[] | undefined {
  const items: PythonValue[] = [];
  for (const part of body) {
    const item = decodeWire(part, budget, depth + 1);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

function decodeDict(body: unknown, budget: DecodingBudget, depth: number): PythonValue | undefined {
  if (!Array.isArray(body)) return undefined;
  const entries: [PythonValue, PythonValue][] = [];
  for (const pair of body) {
    const items = Array.isArray(pair) && pair.length === 2 ? decodeItems(pair, budget, depth) : undefined;
    if (!items) return undefined;
    entries.push([items[0]!, items[1]!]);
  }
  return { type: "dict", entries };
}

function decodeOpaque(body: unknown): PythonValue | undefined {
  if (!Array.isArray(body) || body.length !== 2) return undefined;
  const [typeName, reason] = body;
  if (typeof typeName !== "string" || typeName.length > 200 || !opaqueReasons.has(reason)) return undefined;
  return { type: "opaque", typeName, reason };
}

/** Decimal text is slow to make and refused by Python above 4,300 digits; hexadecimal is neither. */
function integerText(value: bigint): string {
  const negative = value < 0n;
  const magnitude = negative ? -value : value;
  const hex = magnitude.toString(16);
  const text = hex.length > 3_000 ? `0x${hex}` : magnitude.toString();
  return negative ? `-${text}` : text;
}

function decodeInteger(text: string): PythonValue | undefined {
  const negative = text.startsWith("-");
  const digits = negative ? text.slice(1) : text;
  const valid = digits.startsWith("0x")
    ? digits.length > 2 && isHexadecimal(digits.slice(2))
    : /^[0-9]{1,4000}$/.test(digits);
  if (!valid) return undefined;
  const magnitude = BigInt(digits);
  return { type: "int", value: negative ? -magnitude : magnitude };
}

/** Asks for the one wrong character: a pattern over the whole text would need backtracking space for megabytes. */
function isHexadecimal(text: string): boolean {
  return !/[^0-9a-f]/.test(text);
}

function encodeFloat(value: number): Wire {
  if (Number.isNaN(value)) return "nan";
  if (value === Number.POSITIVE_INFINITY) return "inf";
  if (value === Number.NEGATIVE_INFINITY) return "-inf";
  // JSON.stringify drops the sign of negative zero.
  return Object.is(value, -0) ? "-0" : value;
}

function decodeFloat(wire: unknown): number | undefined {
  if (typeof wire === "number") return Number.isFinite(wire) ? wire : undefined;
  switch (wire) {
    case "nan":
      return Number.NaN;
    case "inf":
      return Number.POSITIVE_INFINITY;
    case "-inf":
      return Number.NEGATIVE_INFINITY;
    case "-0":
      return -0;
    default:
      return undefined;
  }
}
