import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultLimits } from "../limits.ts";
import { encodeRequest, RecordReader, splitFrames, type WorkerRecord } from "./records.ts";

function encodeRecord(description: unknown, parts: readonly Uint8Array[]): Buffer {
  const all = [Buffer.from(JSON.stringify(description)), ...parts];
  const header = Buffer.alloc(16);
  all.forEach((part, index) => {
    header.writeUInt32LE(part.length, 4 * index);
  });
  return Buffer.concat([header, ...all]);
}

const frame = (text: string) => {
  const body = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([length, body]);
};

const bytes = fc.uint8Array({ maxLength: 50 });

describe("RecordReader", () => {
  it("puts a record together however it is cut, and is ready for the next", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.object(), bytes, bytes, bytes), { minLength: 1, maxLength: 3 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 20 })),
        (records, cuts) => {
          const reader = new RecordReader();
          for (const [description, channel, stdout, stderr] of records) {
            const data = encodeRecord(description, [channel, stdout, stderr]);
            let found: WorkerRecord | undefined;
            for (let at = 0; at < data.length; ) {
              expect(found).toBeUndefined();
              const end = Math.min(at + cuts.next().value, data.length);
              found = reader.add(data.subarray(at, end));
              at = end;
            }
            expect(found?.description).toEqual(JSON.parse(JSON.stringify(description)));
            expect(
              [found?.channel, found?.stdout, found?.stderr].map((part) => part?.toString("hex")),
            ).toEqual([channel, stdout, stderr].map((part) => Buffer.from(part).toString("hex")));
          }
        },
      ),
    );
  });
});

describe("splitFrames", () => {
  it("gives back what was written, up to as many as are wanted", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.nat(10), (texts, most) => {
        expect(splitFrames(Buffer.concat(texts.map(frame)), most)).toEqual(texts.slice(0, most));
      }),
    );
  });

  it("drops a frame that was cut off", () => {
    const data = Buffer.concat([frame("whole"), frame("cut off")]);
    for (let end = frame("whole").length; end < data.length; end += 1) {
      expect(splitFrames(data.subarray(0, end), 9)).toEqual(["whole"]);
    }
  });

  it("takes any bytes at all", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(5), (data, most) => {
        expect(splitFrames(Buffer.from(data), most).length).toBeLessThanOrEqual(most);
      }),
    );
  });
});

describe("encodeRequest", () => {
  it("writes the header that worker.py reads, then body and input", () => {
    const limits = {
      ...defaultLimits,
      caseCpuSeconds: 1.5,
      memoryBytes: 1025,
      outputBytes: 2048,
      valueBytes: 4097,
    };
    const data = encodeRequest({
      body: Buffer.from("body"),
      input: Buffer.from("input"),
      limits,
      caseWallSeconds: 2.5,
      programCpuSeconds: 3.5,
      programWallSeconds: 4.5,
    });
    expect(data.readUInt32LE(0)).toBe(4);
    expect(data.readUInt32LE(4)).toBe(5);
    expect([8, 16, 24, 32].map((at) => data.readDoubleLE(at))).toEqual([1.5, 2.5, 3.5, 4.5]);
    // In KiB, rounded up: never less than was asked for.
    expect([40, 44, 48].map((at) => data.readUInt32LE(at))).toEqual([2, 2, 5]);
    expect(data.subarray(52).toString()).toBe("bodyinput");
  });
});
