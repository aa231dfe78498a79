import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryValue } from "./arbitrary-value.test.support.ts";
import { type Comparison, exactComparison, sameValue, valueKey } from "./compare.ts";
import { literalText } from "./literal-text.ts";
import type { PythonValue } from "./python-value.ts";
import { askPython, hasPython } from "./run-python.test.support.ts";

const asIntegers: Comparison = { booleans: "as-integers", floatTolerance: 0 };
const tolerant: Comparison = { booleans: "distinct", floatTolerance: 1e-6 };

const int = (value: number | bigint): PythonValue => ({ type: "int", value: BigInt(value) });
const float = (value: number): PythonValue => ({ type: "float", value });
const bool = (value: boolean): PythonValue => ({ type: "bool", value });
const str = (value: string): PythonValue => ({ type: "str", value });
const complex = (real: number, imaginary: number): PythonValue => ({ type: "complex", real, imaginary });
const list = (...items: PythonValue[]): PythonValue => ({ type: "list", items });
const tuple = (...items: PythonValue[]): PythonValue => ({ type: "tuple", items });
const set = (...items: PythonValue[]): PythonValue => ({ type: "set", items });
const dict = (...entries: [PythonValue, PythonValue][]): PythonValue => ({ type: "dict", entries });
const opaque: PythonValue = { type: "opaque", typeName: "X", reason: "object" };
const nan = float(Number.NaN);
const infinity = float(Number.POSITIVE_INFINITY);

describe("sameValue, exactly", () => {
  it.each<[string, PythonValue, PythonValue]>([
    ["1 and 1.0", int(1), float(1)],
    ["0.0 and -0.0", float(0), float(-0)],
    ["2**53 and 2.0**53", int(2n ** 53n), float(2 ** 53)],
    ["1 and 1+0j", int(1), { type: "complex", real: 1, imaginary: 0 }],
    ["nan and nan", nan, nan],
    ["[nan] and [nan]", list(nan), list(nan)],
    ["sets in any order", set(int(1), str("a")), set(str("a"), float(1))],
    ["set and frozenset", set(int(1)), { type: "frozenset", items: [int(1)] }],
    [
      "dicts in any order",
      dict([int(1), str("a")], [int(2), nan]),
      dict([int(2), nan], [float(1), str("a")]),
    ],
    ["sets with two nan", set(nan, nan), set(nan, nan)],
  ])("holds for %s", (_, left, right) => {
    expect(sameValue(left, right)).toBe(true);
    expect(sameValue(right, left)).toBe(true);
  });

  it.each<[string, PythonValue, PythonValue]>([
    ["2**53 + 1 and 2.0**53", int(2n ** 53n + 1n), float(2 ** 53)],
    ["True and 1", bool(true), int(1)],
    ["False and 0.0", bool(false), float(0)],
    ["True and 'True'", bool(true), str("True")],
    ["{True} and {1}", set(bool(true)), set(int(1))],
    ["{True: 1} and {1: 1}", dict([bool(true), int(1)]), dict([int(1), int(1)])],
    ["[1] and (1,)", list(int(1)), tuple(int(1))],
    ["text and bytes", str("a"), { type: "bytes", hex: "61" }],
    ["None and 0", { type: "none" }, int(0)],
    ["lists of different length", list(int(1)), list(int(1), int(1))],
    ["one nan and two", set(nan), set(nan, nan)],
    ["dict with more keys", dict([int(1), int(1)]), dict([int(1), int(1)], [int(2), int(2)])],
    ["an opaque value and itself", opaque, opaque],
    ["opaque inside a set", set(opaque), set(opaque)],
    ["opaque as a key", dict([opaque, int(1)]), dict([opaque, int(1)])],
    ["opaque as a value", dict([int(1), opaque]), dict([int(1), opaque])],
    ["0.1 + 0.2 and 0.3", float(0.1 + 0.2), float(0.3)],
    // A hostile program can send a set whose members are not distinct.
    ["a set that repeats a member", set(int(1), int(1)), set(int(1), int(2))],
    ["a set that repeats the other member", set(int(1), int(1), int(2)), set(int(1), int(2), int(2))],
  ])("does not hold for %s", (_, left, right) => {
    expect(sameValue(left, right)).toBe(false);
    expect(sameValue(right, left)).toBe(false);
  });

  it("lets bools be integers where the problem says so, also in keys and members", () => {
    expect(sameValue(bool(true), int(1), asIntegers)).toBe(true);
    expect(sameValue(set(bool(true)), set(float(1)), asIntegers)).toBe(true);
    expect(sameValue(dict([bool(false), int(1)]), dict([int(0), bool(true)]), asIntegers)).toBe(true);
  });
});

describe("sameValue with a tolerance", () => {
  it.each<[string, PythonValue, PythonValue, boolean]>([
    ["neighbours", float(1), float(1 + 1e-9), true],
    ["strangers", float(1), float(1.1), false],
    ["int and near float", int(3), float(3.0000001), true],
    ["two different ints", int(1_000_000_000), int(1_000_000_001), false],
    ["an int and another whole float", int(1_000_000_007), float(1_000_000_008), false],
    ["two whole floats", float(1_000_000_007), float(1_000_000_008), true],
    ["whole parts of a complex", complex(1_000_000_007, 1), complex(1_000_000_008, 1), true],
    ["floats so large that all are whole", float(1e20), float(1e20 * (1 + 1e-9)), true],
    ["a large int and a whole float", int(10n ** 20n + 1n), float(1e20), false],
    ["a large int and an equal float", int(10n ** 20n), float(1e20), true],
    ["an int and a float near in proportion only", int(1_234_567), float(1_234_567.5), false],
    ["a whole float and one near in proportion", float(1_234_567), float(1_234_567.5), true],
    ["nested", list(tuple(float(0.1 + 0.2))), list(tuple(float(0.3))), true],
    ["dict values", dict([int(1), float(0.1 + 0.2)]), dict([int(1), float(0.3)]), true],
    ["dict keys", dict([float(0.1 + 0.2), int(1)]), dict([float(0.3), int(1)]), false],
    ["set members", set(float(0.1 + 0.2)), set(float(0.3)), false],
    ["nan and nan", nan, nan, true],
    ["nan and 0", nan, float(0), false],
    ["infinities", infinity, infinity, true],
    ["infinity and a large number", infinity, float(1e308), false],
    ["infinity and an integer beyond doubles", infinity, int(10n ** 400n), false],
    ["opposite infinities", infinity, float(Number.NEGATIVE_INFINITY), false],
    ["bool and float", bool(true), float(1), false],
  ])("%s", (_, left, right, same) => {
    expect(sameValue(left, right, tolerant)).toBe(same);
    expect(sameValue(right, left, tolerant)).toBe(same);
  });
});

describe("a tolerance", () => {
  const number = fc.oneof(
    fc.double().map(float),
    fc.bigInt({ min: -(10n ** 400n), max: 10n ** 400n }).map(int),
    fc.integer().map(int),
    fc.integer().map(float),
    fc.tuple(fc.double(), fc.double()).map(([real, imaginary]) => complex(real, imaginary)),
  );
  it("is symmetric and never makes one number equal to two that are far apart", () => {
    fc.assert(
      fc.property(number, number, (left, right) => {
        expect(sameValue(left, right, tolerant)).toBe(sameValue(right, left, tolerant));
        expect(sameValue(left, float(0.5), tolerant) && sameValue(left, float(1.5), tolerant)).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });
  it("never takes one whole number for another", () => {
    const whole = fc.tuple(fc.maxSafeInteger(), fc.integer({ min: -2, max: 2 }));
    fc.assert(
      fc.property(whole, ([value, step]) => {
        expect(sameValue(int(value), float(value + step), tolerant)).toBe(
          step === 0 || value === value + step,
        );
      }),
    );
  });
});

/** Few different values, so that equal pairs are common. */
const smallScalar = fc.constantFrom<PythonValue>(
  int(0),
  int(1),
  int(2n ** 53n),
  int(2n ** 53n + 1n),
  float(0),
  float(-0),
  float(1),
  float(2 ** 53),
  float(0.5),
  bool(true),
  bool(false),
  { type: "complex", real: 1, imaginary: 0 },
  { type: "complex", real: 0, imaginary: 1 },
  { type: "none" },
  str(""),
  str("a"),
  { type: "bytes", hex: "" },
  { type: "bytes", hex: "61" },
);
const smallValue = fc.oneof(
  smallScalar,
  fc
    .tuple(fc.constantFrom("list" as const, "tuple" as const), fc.array(smallScalar, { maxLength: 2 }))
    .map(([type, items]): PythonValue => ({ type, items })),
  fc
    .tuple(fc.constantFrom("set" as const, "frozenset" as const), fc.array(smallScalar, { maxLength: 2 }))
    .map(([type, items]): PythonValue => ({ type, items: distinct(items) })),
  fc
    .tuple(fc.array(smallScalar, { maxLength: 2 }), smallScalar)
    .map(
      ([keys, item]): PythonValue =>
        dict(...distinct(keys).map((key): [PythonValue, PythonValue] => [key, item])),
    ),
);

function distinct(items: readonly PythonValue[]): PythonValue[] {
  return [...new Map(items.map((item) => [valueKey(item, asIntegers), item])).values()];
}

describe.skipIf(!hasPython)("against Python", () => {
  it("agrees with == where bools are integers", () => {
    const pairs = fc.sample(fc.tuple(smallValue, smallValue), { numRuns: 20_000, seed: 7 });
    const script =
      "import json, sys\nprint(json.dumps([eval(a) == eval(b) for a, b in json.load(sys.stdin)]))";
    const answers = askPython(
      script,
      pairs.map((pair) => pair.map(literalText)),
    ) as boolean[];
    const ours = pairs.map(([left, right]) => sameValue(left, right, asIntegers));
    expect(answers.filter(Boolean).length).toBeGreaterThan(500);
    for (const [index, answer] of answers.entries()) {
      if (ours[index] !== answer) expect.fail(`${pairs[index]!.map(literalText).join(" == ")} is ${answer}`);
    }
  });

  it("agrees with math.isclose on floats", () => {
    const near = fc
      .tuple(fc.double({ noNaN: true }), fc.double({ min: -3e-6, max: 3e-6, noNaN: true }))
      .map(([x, delta]): [number, number] => [x, Math.abs(x) < 1 ? x + delta : x * (1 + delta)]);
    const pairs = fc.sample(near, { numRuns: 5_000, seed: 8 }).map((pair) => pair.map(float));
    const script =
      "import json, math, sys\nprint(json.dumps([math.isclose(eval(a), eval(b), rel_tol=1e-6, abs_tol=1e-6) for a, b in json.load(sys.stdin)]))";
    const answers = askPython(
      script,
      pairs.map((pair) => pair.map(literalText)),
    ) as boolean[];
    expect(pairs.map(([left, right]) => sameValue(left!, right!, tolerant))).toEqual(answers);
    expect(new Set(answers).size).toBe(2);
  });
});

describe("valueKey", () => {
  it("is shared exactly by the values that are the same", () => {
    fc.assert(
      fc.property(
        smallValue,
        smallValue,
        fc.constantFrom(exactComparison, asIntegers),
        (left, right, rule) => {
          expect(valueKey(left, rule) === valueKey(right, rule)).toBe(sameValue(left, right, rule));
        },
      ),
      { seed: 9, numRuns: 5_000 },
    );
    fc.assert(
      fc.property(arbitraryValue, arbitraryValue, (left, right) => {
        expect(valueKey(left) === valueKey(right)).toBe(sameValue(left, right));
        expect(sameValue(left, left)).toBe(true);
      }),
      { seed: 10, numRuns: 500 },
    );
  });

  it("does not run together what lies side by side", () => {
    expect(valueKey(list(str("a"), str("b")))).not.toBe(valueKey(list(str("a;s1:b"))));
    expect(valueKey(list(list(int(1)), int(2)))).not.toBe(valueKey(list(list(int(1), int(2)))));
    expect(valueKey(dict([str("a=s1:b"), int(1)]))).not.toBe(valueKey(dict([str("a"), str("b")])));
  });

  it("does not exist for opaque values", () => {
    expect(valueKey(list(opaque))).toBeUndefined();
    expect(valueKey(set(opaque))).toBeUndefined();
    expect(valueKey(dict([int(1), opaque]))).toBeUndefined();
    expect(valueKey(dict([opaque, int(1)]))).toBeUndefined();
  });
});
