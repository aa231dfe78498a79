/** Values that a literal builds out of other values: sets, signs, and the calls that spell inf, nan and complex. */
import { valueKey } from "../values/compare.ts";
import type { PythonValue } from "../values/python-value.ts";

/** `True` and `1` are the same member and the same key in Python. */
const asPython = { booleans: "as-integers", floatTolerance: 0 } as const;

/** The text under which Python would file the value as a member or key; undefined when it cannot be one. */
export function hashKey(value: PythonValue): string | undefined {
  return isHashable(value) ? valueKey(value, asPython) : undefined;
}

function isHashable(value: PythonValue): boolean {
  switch (value.type) {
    case "list":
    case "set":
    case "dict":
    case "opaque":
      return false;
    case "tuple":
      return value.items.every(isHashable);
    default:
      return true;
  }
}

/** The set of these members, or why there is none. Of equal members the first stays, as in Python. */
export function setOf(type: "set" | "frozenset", items: readonly PythonValue[]): PythonValue | string {
  const members = new Map<string, PythonValue>();
  for (const item of items) {
    const key = hashKey(item);
    if (key === undefined) return `a ${item.type} as a member of a set`;
    if (!members.has(key)) members.set(key, item);
  }
  return { type, items: [...members.values()] };
}

/** `frozenset()` or `frozenset` of one literal collection. */
export function frozenSet(values: readonly PythonValue[]): PythonValue | string | undefined {
  const [value] = values;
  if (!value) return { type: "frozenset", items: [] };
  const isCollection =
    value.type === "list" || value.type === "tuple" || value.type === "set" || value.type === "frozenset";
  return values.length === 1 && isCollection ? setOf("frozenset", value.items) : undefined;
}

/** `float('inf')` and its like: the floats that have no literal, and no others. */
export function namedFloat(values: readonly PythonValue[]): PythonValue | undefined {
  const [value] = values;
  if (values.length !== 1 || value?.type !== "str" || value.value.length > 40) return undefined;
  const name = /^([+-]?)(inf|infinity|nan)$/i.exec(value.value.trim());
  if (!name) return undefined;
  const magnitude = name[2]!.toLowerCase() === "nan" ? Number.NaN : Number.POSITIVE_INFINITY;
  return { type: "float", value: name[1] === "-" ? -magnitude : magnitude };
}

/** `complex(real, imaginary)`: the only spelling of a complex number with a part that is -0.0, inf or nan. */
export function complexOf(values: readonly PythonValue[]): PythonValue | undefined {
  const [real, imaginary] = values.map(realPart);
  if (values.length !== 2 || real === undefined || imaginary === undefined) return undefined;
  return { type: "complex", real, imaginary };
}

/** An int or float as a double; undefined for anything else and for integers that no double reaches. */
export function realPart(value: PythonValue): number | undefined {
  if (value.type === "float") return value.value;
  if (value.type !== "int") return undefined;
  const double = Number(value.value);
  return Number.isFinite(double) ? double : undefined;
}

export function withSign(value: PythonValue, sign: "+" | "-"): PythonValue | undefined {
  switch (value.type) {
    case "int":
      return sign === "-" ? { type: "int", value: -value.value } : value;
    case "float":
      return sign === "-" ? { type: "float", value: -value.value } : value;
    case "complex":
      return sign === "-" ? { type: "complex", real: -value.real, imaginary: -value.imaginary } : value;
    default:
      return undefined;
  }
}
