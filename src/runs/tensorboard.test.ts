import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { crc32c, TensorBoardWriter } from "./tensorboard.ts";

describe("crc32c", () => {
  it("agrees with the check value of the standard", () => {
    expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283);
  });
});

describe("TensorBoardWriter", () => {
  it("writes framed records: the version, then one event per step, non-finite numbers left out", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "sparring-tensorboard-"));
    const writer = new TensorBoardWriter(folder, 1_700_000_000);
    writer.scalars(300, 1_700_000_001, { "code/reward/mean": 0.5, broken: Number.NaN });
    writer.close();
    const data = readFileSync(path.join(folder, readdirSync(folder)[0]!));
    const events: Buffer[] = [];
    for (let offset = 0; offset < data.length; ) {
      const length = Number(data.readBigUInt64LE(offset));
      events.push(data.subarray(offset + 12, offset + 12 + length));
      offset += 12 + length + 4;
    }
    expect(events).toHaveLength(2);
    expect(events[0]!.toString("latin1")).toContain("brain.Event:2");
    // Field 2 (step) as a varint: 300 = 0xac 0x02; then the summary with tag and 0.5 as a little-endian float.
    expect(events[1]!.subarray(9, 12)).toEqual(Buffer.from([0x10, 0xac, 0x02]));
    expect(events[1]!.toString("latin1")).toContain("code/reward/mean");
    expect(events[1]!.subarray(-5)).toEqual(Buffer.from([0x15, 0, 0, 0, 0x3f]));
    expect(events[1]!.toString("latin1")).not.toContain("broken");
    rmSync(folder, { recursive: true });
  });
});
