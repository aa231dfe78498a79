import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FrameCounter, splitFrames } from "./channel-frames.ts";

function frame(text: string): Buffer {
  const body = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([length, body]);
}

const texts = fc.array(fc.string({ maxLength: 300 }), { maxLength: 8 });

describe("FrameCounter", () => {
  it("counts the same whatever pieces the bytes come in", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.integer({ min: 1, max: 50 })), (bodies, cuts) => {
        const bytes = Buffer.concat(bodies.map(frame));
        const counter = new FrameCounter(1_000_000);
        let offset = 0;
        for (const cut of [...cuts, bytes.length]) {
          expect(counter.add(bytes.subarray(offset, offset + cut))).toBe(true);
          offset += cut;
        }
        expect(counter.frames).toBe(bodies.length);
        expect(splitFrames(bytes, bodies.length + 1)).toEqual(bodies);
      }),
      { seed: 1 },
    );
  });

  it("refuses a frame that claims to be too large, before its bytes have come", () => {
    const counter = new FrameCounter(100);
    expect(counter.add(frame("x".repeat(100)))).toBe(true);
    expect(counter.add(Buffer.from([101, 0, 0]))).toBe(true);
    expect(counter.add(Buffer.from([0]))).toBe(false);
    expect(new FrameCounter(100).add(Buffer.from([255, 255, 255, 255]))).toBe(false);
  });
});

describe("splitFrames", () => {
  it("drops a torn frame and whatever comes after the last one wanted", () => {
    const bytes = Buffer.concat([frame("one"), frame("two"), frame("three").subarray(0, 6)]);
    expect(splitFrames(bytes, 9)).toEqual(["one", "two"]);
    expect(splitFrames(bytes, 1)).toEqual(["one"]);
    expect(splitFrames(Buffer.from([1, 2]), 9)).toEqual([]);
  });
});
