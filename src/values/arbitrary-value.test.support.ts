/** Random Python values for property tests, with the awkward ones (nan, -0.0, huge integers, surrogates) made likely. */
import fc from "fast-check";
import { valueKey } from "./compare.ts";
import type { PythonValue } from "./python-value.ts";

/** Python's own rule for members of sets and dicts: True is 1. */
const asPython = { booleans: "as-integers", floatTolerance: 0 } as const;

const integer = fc
  .oneof(
    { weight: 4, arbitrary: fc.integer({ min: -20, max: 300 }).map(BigInt) },
    { weight: 2, arbitrary: fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(2n ** 53n, 2n ** 53n - 1n, -(2n ** 53n), 10n ** 3_600n, -(3n ** 9_000n)),
    },
  )
  .map((value): PythonValue => ({ type: "int", value }));

const double = fc.oneof(
  fc.double(),
  fc.constantFrom(0, -0, Number.NaN, 1e16, 1e15, 123456789012345680, 1e-4, 1e-5, 5e-324, -1.5, 1e22),
  fc.integer({ min: -9, max: 9 }),
);

/** Text as Python can hold it and JavaScript can tell apart: no two lone surrogates that would make a pair. */
const arbitraryText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.constantFrom(
    "it's",
    '"',
    "\"'",
    "\\",
    "\\n",
    "a\nb\r\t\0",
    "\ud800",
    "x\udfffy",
    "\u202e",
    "\u00a0",
    "é",
    "𝒳",
  ),
);

const scalar: fc.Arbitrary<PythonValue> = fc.oneof(
  fc.constant<PythonValue>({ type: "none" }),
  fc.boolean().map((value): PythonValue => ({ type: "bool", value })),
  integer,
  double.map((value): PythonValue => ({ type: "float", value })),
  fc.tuple(double, double).map(([real, imaginary]): PythonValue => ({ type: "complex", real, imaginary })),
  arbitraryText.map((value): PythonValue => ({ type: "str", value })),
  fc
    .uint8Array({ maxLength: 6 })
    .map((bytes): PythonValue => ({ type: "bytes", hex: Buffer.from(bytes).toString("hex") })),
);

const nested = fc.letrec<{ value: PythonValue; hashable: PythonValue }>((tie) => ({
  hashable: fc.oneof(
    { maxDepth: 3, depthIdentifier: "value" },
    { weight: 5, arbitrary: scalar },
    {
      weight: 1,
      arbitrary: fc
        .array(tie("hashable"), { maxLength: 3, depthIdentifier: "value" })
        .map((items): PythonValue => ({ type: "tuple", items })),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(tie("hashable"), { maxLength: 3, depthIdentifier: "value" })
        .map((items): PythonValue => ({ type: "frozenset", items: distinct(items, (item) => item) })),
    },
  ),
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: "value" },
    { weight: 4, arbitrary: tie("hashable") },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom("list" as const, "tuple" as const),
          fc.array(tie("value"), { maxLength: 4, depthIdentifier: "value" }),
        )
        .map(([type, items]): PythonValue => ({ type, items })),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(tie("hashable"), { maxLength: 4, depthIdentifier: "value" })
        .map((items): PythonValue => ({ type: "set", items: distinct(items, (item) => item) })),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.tuple(tie("hashable"), tie("value")), { maxLength: 4, depthIdentifier: "value" })
        .map((entries): PythonValue => ({ type: "dict", entries: distinct(entries, ([key]) => key) })),
    },
  ),
}));

function distinct<Member>(members: readonly Member[], keyOf: (member: Member) => PythonValue): Member[] {
  return [...new Map(members.map((member) => [valueKey(keyOf(member), asPython), member])).values()];
}

/** Any value that a literal can spell. */
export const arbitraryValue: fc.Arbitrary<PythonValue> = nested.value;

/** A wire value with set members in a fixed order: Python's sets come back in an order of their own. */
export function withSortedSets(wire: unknown): unknown {
  if (Array.isArray(wire)) return wire.map(withSortedSets);
  if (typeof wire !== "object" || wire === null) return wire;
  const [tag, body] = Object.entries(wire)[0]!;
  const inner = withSortedSets(body);
  if (tag !== "s" && tag !== "z") return { [tag]: inner };
  return { [tag]: (inner as unknown[]).map((item) => JSON.stringify(item)).sort() };
}
