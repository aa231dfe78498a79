import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryValue } from "../values/arbitrary-value.test.support.ts";
import { encodeWire } from "../values/wire.ts";
import { protocolViolation, readFrame } from "./frames.ts";

const read = (text: string, left = 1e9) => readFrame(text, { left });
const violation = { kind: "case", observation: { kind: "raised", error: protocolViolation } };
const flood = { kind: "case", observation: { kind: "output-flood", what: "value" } };

/** Texts that are nearly frames. */
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.json(),
  fc
    .record(
      {
        k: fc.oneof(
          fc.constantFrom("loaded", "failed", "returned", "raised", "exited", "memory", "flood", "full"),
          fc.anything(),
        ),
        v: fc.anything(),
        c: fc.anything(),
        t: fc.anything(),
        m: fc.anything(),
        l: fc.anything(),
      },
      { requiredKeys: ["k"] },
    )
    .map(
      (frame) => JSON.stringify(frame, (_, part) => (typeof part === "bigint" ? `${part}` : part)) ?? "null",
    ),
);

describe("readFrame", () => {
  it("never throws and never blames us, whatever it is given", () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: -5, max: 100 }), (text, left) => {
        const frame = readFrame(text, { left });
        if (frame.kind === "case") expect(frame.observation.kind).not.toBe("infrastructure");
        expect(["loaded", "failed", "exited", "full", "case"]).toContain(frame.kind);
      }),
      { numRuns: 2_000 },
    );
  });

  it("reads back every value", () => {
    fc.assert(
      fc.property(arbitraryValue, (value) => {
        const text = JSON.stringify({ k: "returned", v: encodeWire(value) });
        expect(read(text)).toEqual({ kind: "case", observation: { kind: "returned", value } });
      }),
    );
  });

  it("knows the frames of the harness", () => {
    const error = { type: "KeyError", message: "'x'", line: 3 };
    expect(read('{"k":"loaded"}')).toEqual({ kind: "loaded" });
    expect(read('{"k":"full"}')).toEqual({ kind: "full" });
    expect(read('{"k":"exited","c":3}')).toEqual({ kind: "exited", code: 3 });
    expect(read('{"k":"failed","t":"KeyError","m":"\'x\'","l":3}')).toEqual({ kind: "failed", error });
    expect(read('{"k":"raised","t":"KeyError","m":"\'x\'","l":3}')).toEqual({
      kind: "case",
      observation: { kind: "raised", error },
    });
    expect(read('{"k":"memory"}')).toEqual({ kind: "case", observation: { kind: "out-of-memory" } });
    expect(read('{"k":"flood"}')).toEqual(flood);
  });

  it.each([
    "",
    "{",
    "null",
    "[]",
    '"loaded"',
    '{"k":"infrastructure"}',
    '{"k":"exited","c":"0"}',
    '{"k":"returned"}',
  ])("takes %j as the program's own doing", (text) => {
    expect(read(text)).toEqual(violation);
  });

  it("cuts what an error says about itself to size", () => {
    const frame = read(JSON.stringify({ k: "raised", t: "T".repeat(1e6), m: "m".repeat(1e6), l: 1e300 }));
    expect(frame).toEqual({
      kind: "case",
      observation: { kind: "raised", error: { type: "T".repeat(100), message: "m".repeat(500) } },
    });
  });

  it("stops decoding when the program's answers have used up their room", () => {
    const text = JSON.stringify({ k: "returned", v: Array(100).fill(1) });
    const budget = { left: 1_000 };
    expect(readFrame(text, budget)).toMatchObject({ observation: { kind: "returned" } });
    expect(readFrame(text, budget)).toEqual(flood);
    expect(readFrame('{"k":"returned","v":1}', budget)).toEqual(flood);
    expect(readFrame("[".repeat(1e6), budget)).toEqual(flood);
    expect(readFrame('{"k":"memory"}', budget)).toMatchObject({ observation: { kind: "out-of-memory" } });
  });
});
