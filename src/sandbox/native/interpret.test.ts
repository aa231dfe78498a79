import { describe, expect, it } from "vitest";
import { readPart } from "./interpret.ts";
import type { Ending } from "./records.ts";

const frame = Buffer.concat([Buffer.from([12, 0, 0, 0]), Buffer.from('{"k":"full"}')]);

function part(ending: Partial<Ending>, channel = frame) {
  const description: Ending = {
    killedFor: null,
    signal: null,
    code: 0,
    cpu: 1,
    wall: 2,
    denied: 3,
    ...ending,
  };
  return readPart({ description, channel, stdout: Buffer.from("out"), stderr: Buffer.from([0xff, 0x65]) }, 5);
}

describe("readPart", () => {
  it("carries over what the worker measured and what the program left", () => {
    expect(part({})).toEqual({
      frames: ['{"k":"full"}'],
      end: { kind: "exited", code: 0 },
      stdout: "out",
      stderr: "\ufffde",
      denied: 3,
      cpuSeconds: 1,
      wallSeconds: 2,
    });
  });

  it.each<[Partial<Ending>, object]>([
    [{ code: 7 }, { kind: "exited", code: 7 }],
    [{ code: null }, { kind: "exited", code: 0 }],
    [
      { killedFor: "cpu", signal: 9 },
      { kind: "timed-out", limit: "cpu" },
    ],
    [
      { killedFor: "wall", signal: 9 },
      { kind: "timed-out", limit: "wall" },
    ],
    [
      { killedFor: "program", signal: 9 },
      { kind: "timed-out", limit: "program" },
    ],
    [
      { killedFor: "output", signal: 9 },
      { kind: "flooded", what: "printed" },
    ],
    [
      { killedFor: "refused", signal: 9 },
      { kind: "died", how: "kept making refused system calls" },
    ],
    [
      { killedFor: "tampered", signal: 9 },
      { kind: "died", how: "rewrote answers that it had already given" },
    ],
    [
      { signal: 11, code: null },
      { kind: "died", how: "was ended by SIGSEGV" },
    ],
    [
      { signal: 31, code: null },
      { kind: "died", how: "was ended by SIGSYS" },
    ],
    [
      { signal: 63, code: null },
      { kind: "died", how: "was ended by signal 63" },
    ],
  ])("reads the end %j", (ending, end) => {
    expect(part(ending).end).toEqual(end);
  });

  it("hears nothing from a program that took its words back", () => {
    expect(part({ killedFor: "tampered" }).frames).toEqual([]);
  });

  it("takes no more frames than can mean something", () => {
    expect(part({}, Buffer.concat(Array(9).fill(frame))).frames).toHaveLength(5);
  });
});
