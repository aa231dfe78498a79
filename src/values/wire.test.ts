import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../package-root.ts";
import { arbitraryValue, withSortedSets } from "./arbitrary-value.test.support.ts";
import { maximumDepth, type PythonValue } from "./python-value.ts";
import { askPython, hasPython } from "./run-python.test.support.ts";
import { decodeWire, encodeWire } from "./wire.ts";

const wireModule = `
import json, sys
sys.path.insert(0, ${JSON.stringify(path.join(packageRoot, "python/sandbox"))})
import wire
`;

/** A chain of `depth` containers, one inside the other. */
function nest(depth: number): PythonValue {
  let value: PythonValue = { type: "none" };
  for (let level = 0; level < depth; level += 1) {
    value =
      level % 2 === 0
        ? { type: "list", items: [value] }
        : { type: "dict", entries: [[{ type: "none" }, value]] };
  }
  return value;
}

describe("the wire", () => {
  it("brings every value back through JSON text", () => {
    fc.assert(
      fc.property(arbitraryValue, (value) => {
        expect(decodeWire(JSON.parse(JSON.stringify(encodeWire(value))))).toEqual(value);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it("keeps opaque values and their reasons", () => {
    for (const reason of ["object", "cyclic", "too-deep"] as const) {
      const value: PythonValue = { type: "opaque", typeName: "Point", reason };
      expect(decodeWire(encodeWire(value))).toEqual(value);
    }
  });

  it.each<[string, string]>([
    ["fraction as int", "0.5"],
    ["unsafe integer as number", "9007199254740993"],
    ["unknown tag", '{"q":1}'],
    ["two tags", '{"i":"1","f":1}'],
    ["no tag", "{}"],
    ["prototype tag", '{"__proto__":[1]}'],
    ["integer with letters", '{"i":"12a"}'],
    ["empty integer", '{"i":""}'],
    ["integer 0x without digits", '{"i":"0x"}'],
    ["integer with two signs", '{"i":"--1"}'],
    ["integer as number", '{"i":1}'],
    ["decimal integer too long to convert quickly", `{"i":"${"9".repeat(4_001)}"}`],
    ["float by unknown name", '{"f":"huge"}'],
    ["float beyond range", '{"f":1e999}'],
    ["complex of one part", '{"c":[1]}'],
    ["bytes with odd digits", '{"b":"abc"}'],
    ["bytes in upper case", '{"b":"AB"}'],
    ["tuple of nothing", '{"t":null}'],
    ["dict of triples", '{"d":[[1,2,3]]}'],
    ["dict as object", '{"d":{}}'],
    ["opaque without reason", '{"o":["X"]}'],
    ["opaque with unknown reason", '{"o":["X","because"]}'],
    ["opaque with a long name", `{"o":["${"x".repeat(201)}","object"]}`],
    ["wrong value deep inside", '[1,{"t":[{"d":[[1,{"i":"x"}]]}]}]'],
  ])("refuses %s", (_, text) => {
    expect(decodeWire(JSON.parse(text))).toBeUndefined();
  });

  it("never throws, whatever JSON it is given", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
        decodeWire(json);
      }),
      { seed: 2 },
    );
    const wireLike = fc.letrec<{ wire: unknown }>((tie) => ({
      wire: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 0 }),
        fc.array(tie("wire"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(..."ifcbtszdo"), tie("wire"), { minKeys: 1, maxKeys: 1 }),
      ),
    })).wire;
    fc.assert(
      fc.property(wireLike, (wire) => {
        const value = decodeWire(wire);
        if (value) expect(decodeWire(JSON.parse(JSON.stringify(encodeWire(value))))).toEqual(value);
      }),
      { seed: 3, numRuns: 1_000 },
    );
  });

  it("takes values as deep as the sandbox sends them and no deeper", () => {
    expect(decodeWire(encodeWire(nest(maximumDepth)))).toEqual(nest(maximumDepth));
    expect(decodeWire(encodeWire(nest(maximumDepth + 2)))).toBeUndefined();
    let bomb: unknown = [];
    for (let level = 0; level < 100_000; level += 1) bomb = [bomb];
    expect(decodeWire(bomb)).toBeUndefined();
  });

  it("takes megabytes of digits without recursion or backtracking", () => {
    const hex = "ab".repeat(8_000_000);
    expect(decodeWire({ b: hex })).toEqual({ type: "bytes", hex });
    expect(decodeWire({ b: `${hex}zz` })).toBeUndefined();
    expect(decodeWire({ i: `-0x${hex}` })).toEqual({ type: "int", value: -BigInt(`0x${hex}`) });
  });
});

describe.skipIf(!hasPython)("the wire's twin in Python", () => {
  it("decodes and encodes every value to the same wire", () => {
    const wires = fc.sample(arbitraryValue, { numRuns: 3_000, seed: 4 }).map(encodeWire);
    const script = `${wireModule}
print(json.dumps([wire.Encoder(10**9).encode(wire.decode(w)) for w in json.load(sys.stdin)]))`;
    const answers = askPython(script, wires) as unknown[];
    expect(answers.map(withSortedSets)).toEqual(wires.map(withSortedSets));
  });

  it("sends subclasses as what they hold and everything else as opaque", () => {
    const script = `${wireModule}
import collections, dataclasses, enum, fractions, decimal
Point = collections.namedtuple("Point", "x y")
class Liar(list):
    def __iter__(self): return iter(["lie"])
    def __eq__(self, other): return True
    __hash__ = None
class Color(enum.IntEnum):
    RED = 3
@dataclasses.dataclass
class Data:
    x: int = 1
cyclic = [1]; cyclic.append(cyclic)
deep = None
for _ in range(101): deep = [deep]
values = [Point(1, 2), collections.Counter("aab"), collections.OrderedDict(a=1), collections.defaultdict(int, b=2),
    Liar([1]), Color.RED, bytearray(b"x"), Data(), fractions.Fraction(1, 2), decimal.Decimal(1), range(3),
    cyclic, deep, lambda: 0, object(), type("str", (str,), {})("s"), type("float", (float,), {})(0.5), -0.0, 2**53, -(2**20000)]
print(json.dumps([wire.Encoder(10**9).encode(v) for v in values]))`;
    const wires = askPython(script, null) as unknown[];
    const values = wires.map((wire) => decodeWire(wire));
    const int = (value: number | bigint): PythonValue => ({ type: "int", value: BigInt(value) });
    const str = (value: string): PythonValue => ({ type: "str", value });
    const opaque = (typeName: string): PythonValue => ({ type: "opaque", typeName, reason: "object" });
    expect(values.toSpliced(12, 1)).toEqual([
      { type: "tuple", items: [int(1), int(2)] },
      {
        type: "dict",
        entries: [
          [str("a"), int(2)],
          [str("b"), int(1)],
        ],
      },
      { type: "dict", entries: [[str("a"), int(1)]] },
      { type: "dict", entries: [[str("b"), int(2)]] },
      { type: "list", items: [int(1)] },
      int(3),
      { type: "bytes", hex: "78" },
      opaque("Data"),
      opaque("Fraction"),
      opaque("Decimal"),
      opaque("range"),
      { type: "list", items: [int(1), { type: "opaque", typeName: "list", reason: "cyclic" }] },
      opaque("function"),
      opaque("object"),
      str("s"),
      { type: "float", value: 0.5 },
      { type: "float", value: -0 },
      int(2n ** 53n),
      int(-(2n ** 20_000n)),
    ]);
    expect(JSON.stringify(wires[12])).toContain('{"o":["list","too-deep"]}');
    expect(values[12]).toBeDefined();
  });
});
