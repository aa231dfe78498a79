/**
 * When are two Python values the same answer? Python's `==`, with these decisions:
 *
 * - Numbers compare by exact mathematical value: 1 == 1.0, 0.1 != Fraction-like neighbours, 2**53 + 1 != 2.0**53.
 * - A bool equals only a bool, unless the problem says `booleans: "as-integers"` (Python's own rule).
 * - nan equals nan: as an answer it is a value like any other, and a reference must be able to agree with itself.
 * - list != tuple, str != bytes; set == frozenset and dicts ignore order, as in Python.
 * - `floatTolerance` (relative and absolute, as math.isclose; each part of a complex for itself) applies only where
 *   the problem gives it, and only where at least one side is a float or complex. Members of sets and dict keys are
 *   always compared exactly. So are an int and a whole float, 1000000007 and 1000000008.0. An int and a float that
 *   is not whole may differ by the absolute tolerance only: 1234567 is not 1234567.5.
 * - A set or dict that holds two equal members (Python allows it for nan) equals one with as many of them.
 * - An opaque value equals nothing, not even itself.
 */
import type { PythonValue } from "./python-value.ts";

export interface Comparison {
  readonly booleans: "distinct" | "as-integers";
  readonly floatTolerance: number;
}

export const exactComparison: Comparison = { booleans: "distinct", floatTolerance: 0 };

export function sameValue(
  left: PythonValue,
  right: PythonValue,
  comparison: Comparison = exactComparison,
): boolean {
  switch (left.type) {
    case "none":
      return right.type === "none";
    case "str":
      return right.type === "str" && left.value === right.value;
    case "bytes":
      return right.type === "bytes" && left.hex === right.hex;
    case "list":
    case "tuple":
      return right.type === left.type && sameItems(left.items, right.items, comparison);
    case "set":
    case "frozenset":
      return (
        (right.type === "set" || right.type === "frozenset") &&
        sameMembers(left.items, right.items, comparison)
      );
    case "dict":
      return right.type === "dict" && sameEntries(left.entries, right.entries, comparison);
    case "opaque":
      return false;
    default:
      return sameNumber(left, right, comparison);
  }
}

function sameItems(
  left: readonly PythonValue[],
  right: readonly PythonValue[],
  comparison: Comparison,
): boolean {
  return (
    left.length === right.length && left.every((item, index) => sameValue(item, right[index]!, comparison))
  );
}

function sameMembers(
  left: readonly PythonValue[],
  right: readonly PythonValue[],
  comparison: Comparison,
): boolean {
  if (left.length !== right.length) return false;
  const leftKeys = memberKeys(left, comparison);
  const rightKeys = memberKeys(right, comparison);
  if (!leftKeys || !rightKeys) return false;
  const wanted = new Set(rightKeys);
  return leftKeys.every((key) => wanted.has(key));
}

function sameEntries(
  left: readonly (readonly [PythonValue, PythonValue])[],
  right: readonly (readonly [PythonValue, PythonValue])[],
  comparison: Comparison,
): boolean {
  if (left.length !== right.length) return false;
  const leftKeys = memberKeys(left.map(keyOf), comparison);
  const rightKeys = memberKeys(right.map(keyOf), comparison);
  if (!leftKeys || !rightKeys) return false;
  const rightByKey = new Map(rightKeys.map((key, index) => [key, right[index]![1]]));
  return left.every(([, item], index) => {
    const other = rightByKey.get(leftKeys[index]!);
    return other !== undefined && sameValue(item, other, comparison);
  });
}

function keyOf(entry: readonly [PythonValue, PythonValue]): PythonValue {
  return entry[0];
}

/** The members' keys in order, all different: a member seen before gets its ordinal appended. */
function memberKeys(items: readonly PythonValue[], comparison: Comparison): string[] | undefined {
  const seen = new Map<string, number>();
  const keys: string[] = [];
  for (const item of items) {
    const key = valueKey(item, comparison);
    if (key === undefined) return undefined;
    const times = seen.get(key) ?? 0;
    seen.set(key, times + 1);
    keys.push(times === 0 ? key : `${key}#${times}`);
  }
  return keys;
}

/**
 * A text that two values share exactly when they are the same under exact comparison; undefined for opaque values.
 * It is how duplicates are found and how members of sets meet.
 */
export function valueKey(value: PythonValue, comparison: Comparison = exactComparison): string | undefined {
  switch (value.type) {
    case "none":
      return "n";
    case "bool":
      return comparison.booleans === "as-integers" ? numberKey(value.value ? 1 : 0) : value.value ? "T" : "F";
    case "int":
      return integerKey(value.value);
    case "float":
      return numberKey(value.value);
    case "complex":
      return value.imaginary === 0
        ? numberKey(value.real)
        : `c${numberKey(value.real)},${numberKey(value.imaginary)}`;
    case "str":
      return `s${value.value.length}:${value.value}`;
    case "bytes":
      return `b${value.hex.length}:${value.hex}`;
    case "list":
      return joinKeys("l", value.items, comparison);
    case "tuple":
      return joinKeys("t", value.items, comparison);
    case "set":
    case "frozenset": {
      const keys = memberKeys(value.items, comparison);
      return keys && `S${keys.length}(${keys.sort().join(";")})`;
    }
    case "dict": {
      const keys = memberKeys(value.entries.map(keyOf), comparison);
      if (!keys) return undefined;
      const pairs: string[] = [];
      for (const [index, [, item]] of value.entries.entries()) {
        const itemText = valueKey(item, comparison);
        if (itemText === undefined) return undefined;
        pairs.push(`${keys[index]}=${itemText}`);
      }
      pairs.sort();
      return `d${pairs.length}(${pairs.join(";")})`;
    }
    case "opaque":
      return undefined;
  }
}

function joinKeys(tag: string, items: readonly PythonValue[], comparison: Comparison): string | undefined {
  const keys: string[] = [];
  for (const item of items) {
    const key = valueKey(item, comparison);
    if (key === undefined) return undefined;
    keys.push(key);
  }
  return `${tag}${keys.length}(${keys.join(";")})`;
}

function numberKey(value: number): string {
  return Number.isInteger(value) ? integerKey(BigInt(value)) : `f${value}`;
}

/** Hexadecimal, because a base that is no power of two takes more than linear time on a huge integer. */
function integerKey(value: bigint): string {
  return `i${value.toString(16)}`;
}

function sameNumber(left: PythonValue, right: PythonValue, comparison: Comparison): boolean {
  if ((left.type === "bool") !== (right.type === "bool") && comparison.booleans === "distinct") return false;
  const [a, b] = [complexOf(left), complexOf(right)];
  if (!a || !b) return false;
  const tolerant = comparison.floatTolerance > 0 && (isInexact(left) || isInexact(right));
  const close = tolerant
    ? (x: bigint | number, y: bigint | number) => isClose(x, y, comparison.floatTolerance)
    : sameReal;
  return close(a.real, b.real) && close(a.imaginary, b.imaginary);
}

function isInexact(value: PythonValue): boolean {
  return value.type === "float" || value.type === "complex";
}

function complexOf(value: PythonValue): { real: bigint | number; imaginary: number } | undefined {
  switch (value.type) {
    case "bool":
      return { real: value.value ? 1n : 0n, imaginary: 0 };
    case "int":
    case "float":
      return { real: value.value, imaginary: 0 };
    case "complex":
      return value;
    default:
      return undefined;
  }
}

/** JavaScript compares a bigint with a double by exact mathematical value, like Python. */
function sameReal(left: bigint | number, right: bigint | number): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: the loose operator is the exact mixed comparison.
  return left == right || (Number.isNaN(left) && Number.isNaN(right));
}

function isClose(left: bigint | number, right: bigint | number, tolerance: number): boolean {
  if (sameReal(left, right)) return true;
  const [a, b] = [Number(left), Number(right)];
  const hasInteger = typeof left === "bigint" || typeof right === "bigint";
  if (hasInteger && Number.isInteger(a) && Number.isInteger(b)) return false;
  return isNear(a, b, { tolerance, growsWithSize: !hasInteger });
}

/** Whether two doubles differ by the tolerance at most; it is a share of the larger one where it grows with size. */
export function isNear(
  left: number,
  right: number,
  { tolerance, growsWithSize }: { readonly tolerance: number; readonly growsWithSize: boolean },
): boolean {
  // A number too large for a double becomes infinite and would be near to everything.
  if (!Number.isFinite(left) || !Number.isFinite(right)) return false;
  const size = growsWithSize ? Math.max(Math.abs(left), Math.abs(right)) : 0;
  return Math.abs(left - right) <= Math.max(tolerance * size, tolerance);
}
