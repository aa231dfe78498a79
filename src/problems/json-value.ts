/**
 * JSON as Python reads it. Whole numbers stay whole however long they are, `1.0` stays a float, and NaN and Infinity,
 * which Python's own writer produces, are known. JavaScript's reader would round or refuse them.
 */
import { maximumDepth, type PythonValue } from "../values/python-value.ts";

/** A number as it stands in the text. */
class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

// Every character can match in one way only. A number is checked when it is read.
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?Infinity|NaN|-?\d[\d.eE+-]*/gs;
const number = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|-?Infinity|NaN)$/;
const numberMark = "\0number";

/** What `pythonValueOf` makes values of. */
export function parseJson(text: string): ParsedJson {
  const marked = text.replace(token, (found) => {
    if (found.startsWith('"')) return found;
    return number.test(found) ? JSON.stringify({ [numberMark]: found }) : "invalid";
  });
  try {
    return { ok: true, value: JSON.parse(marked, unmarked) };
  } catch {
    return { ok: false };
  }
}

function unmarked(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const text = (value as Record<string, unknown>)[numberMark];
  return typeof text === "string" && number.test(text) ? new NumberText(text) : value;
}

/** The value of parsed JSON; undefined where JavaScript has lost digits of a number, or the value is too deep. */
export function pythonValueOf(json: unknown, depth = maximumDepth): PythonValue | undefined {
  if (json === null) return { type: "none" };
  if (json instanceof NumberText) return numberOf(json.text);
  switch (typeof json) {
    case "boolean":
      return { type: "bool", value: json };
    case "string":
      return { type: "str", value: json };
    case "number":
      if (!Number.isInteger(json)) return { type: "float", value: json };
      return Number.isSafeInteger(json) ? { type: "int", value: BigInt(json) } : undefined;
    case "object":
      return depth === 0 ? undefined : containerOf(json as object, depth - 1);
    default:
      return undefined;
  }
}

function numberOf(text: string): PythonValue {
  if (/^-?\d+$/.test(text)) return { type: "int", value: BigInt(text) };
  return { type: "float", value: Number(text) };
}

function containerOf(json: object, depth: number): PythonValue | undefined {
  if (Array.isArray(json)) {
    const items = json.map((item) => pythonValueOf(item, depth));
    return items.includes(undefined) ? undefined : { type: "list", items: items as PythonValue[] };
  }
  const entries: [PythonValue, PythonValue][] = [];
  for (const [key, item] of Object.entries(json)) {
    const value = pythonValueOf(item, depth);
    if (!value) return undefined;
    entries.push([{ type: "str", value: key }, value]);
  }
  return { type: "dict", entries };
}

/** JSON that even JavaScript's reader turns back into the same value; undefined where there is none. */
export function jsonOf(value: PythonValue): unknown {
  switch (value.type) {
    case "none":
      return null;
    case "bool":
    case "str":
      return value.value;
    case "int":
      return Number.isSafeInteger(Number(value.value)) ? Number(value.value) : undefined;
    case "float":
      return Number.isFinite(value.value) && !Number.isInteger(value.value) ? value.value : undefined;
    case "list":
      return allOf(value.items.map(jsonOf));
    case "dict":
      return objectOf(value.entries);
    default:
      return undefined;
  }
}

function allOf(items: readonly unknown[]): unknown {
  return items.includes(undefined) ? undefined : items;
}

function objectOf(entries: readonly (readonly [PythonValue, PythonValue])[]): unknown {
  const found = new Map<string, unknown>();
  for (const [key, item] of entries) {
    // JavaScript puts keys that look like whole numbers first.
    if (key.type !== "str" || /^\d+$/.test(key.value) || found.has(key.value)) return undefined;
    const json = jsonOf(item);
    if (json === undefined) return undefined;
    found.set(key.value, json);
  }
  return Object.fromEntries(found);
}
