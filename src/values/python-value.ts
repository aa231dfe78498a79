/**
 * A Python value as plain data. Values cross from the sandbox as data and are compared here, in the parent, so
 * that no object of an untrusted program ever takes part in its own comparison.
 *
 * Instances of subclasses of the built-in types arrive as the built-in data they hold (a `Counter` as a dict, a
 * named tuple as a tuple). Everything else (objects, dataclasses, functions, generators, cyclic or too deep
 * values) arrives as `opaque`: it has a name to show and equals nothing.
 */
export type PythonValue =
  | { readonly type: "none" }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "int"; readonly value: bigint }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "complex"; readonly real: number; readonly imaginary: number }
  | { readonly type: "str"; readonly value: string }
  /** Bytes as lower-case hexadecimal digits. */
  | { readonly type: "bytes"; readonly hex: string }
  | { readonly type: "list"; readonly items: readonly PythonValue[] }
  | { readonly type: "tuple"; readonly items: readonly PythonValue[] }
  | { readonly type: "set"; readonly items: readonly PythonValue[] }
  | { readonly type: "frozenset"; readonly items: readonly PythonValue[] }
  | { readonly type: "dict"; readonly entries: readonly (readonly [PythonValue, PythonValue])[] }
  | { readonly type: "opaque"; readonly typeName: string; readonly reason: OpaqueReason };

export type OpaqueReason = "object" | "cyclic" | "too-deep";

/** Deeper values are opaque. The same number stands in python/sandbox/wire.py. */
export const maximumDepth = 100;

/** One call of the entry point with literal arguments. */
export interface Call {
  readonly args: readonly PythonValue[];
  readonly keywords: Readonly<Record<string, PythonValue>>;
}

/** True when the value contains nothing that could not be written as a literal. */
export function isLiteral(value: PythonValue): boolean {
  switch (value.type) {
    case "opaque":
      return false;
    case "list":
    case "tuple":
    case "set":
    case "frozenset":
      return value.items.every(isLiteral);
    case "dict":
      return value.entries.every(([key, item]) => isLiteral(key) && isLiteral(item));
    default:
      return true;
  }
}

/** Whether there are more than `most` containers inside each other; looks no deeper than that. */
export function isDeeperThan(value: PythonValue, most: number): boolean {
  const parts = value.type === "dict" ? value.entries.flat() : "items" in value ? value.items : undefined;
  if (!parts) return false;
  return most === 0 || parts.some((part) => isDeeperThan(part, most - 1));
}
