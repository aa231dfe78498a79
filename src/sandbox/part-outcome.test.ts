import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { protocolViolation } from "./frames.ts";
import { functionOutcome, type PartEnd, stdioOutcome } from "./part-outcome.ts";
import { int, returned } from "./program-jobs.test.support.ts";

const loaded = '{"k":"loaded"}';
const answer = (n: number) => `{"k":"returned","v":${n}}`;
const ended: PartEnd = { kind: "exited", code: 0 };
const violated = { kind: "raised", error: protocolViolation };
const outcome = (frames: readonly string[], end: PartEnd, cases: number) =>
  functionOutcome({ frames, end, cases, budget: { left: 1e9 } });

const ends: PartEnd[] = [
  ended,
  { kind: "died", how: "was ended by SIGSEGV" },
  { kind: "timed-out", limit: "cpu" },
  { kind: "flooded", what: "printed" },
  { kind: "out-of-memory" },
];

describe("functionOutcome", () => {
  it("has one observation for each answer, and one for what ended the interpreter", () => {
    expect(outcome([loaded, answer(1), answer(2)], ended, 2).observations).toEqual([
      returned(int(1)),
      returned(int(2)),
    ]);
    expect(outcome([loaded, answer(1)], { kind: "timed-out", limit: "cpu" }, 3)).toEqual({
      loaded: true,
      observations: [returned(int(1)), { kind: "timed-out", limit: "cpu" }],
    });
  });

  it("ignores what comes after the last case", () => {
    expect(outcome([loaded, answer(1), answer(2)], ended, 1).observations).toEqual([returned(int(1))]);
  });

  it("lets what kept a program from loading stand for all cases", () => {
    const error = { type: "Exited", message: "the program ended its process (code 0)" };
    expect(outcome([], ended, 2)).toEqual({
      loaded: false,
      observations: Array(2).fill({ kind: "did-not-load", error }),
    });
    expect(outcome(['{"k":"failed","t":"MemoryError"}'], ended, 1).observations).toEqual([
      { kind: "out-of-memory" },
    ]);
    expect(outcome([answer(1)], ended, 1).observations).toEqual([
      { kind: "did-not-load", error: protocolViolation },
    ]);
  });

  it("goes on elsewhere when there was no more room, and gives up when there was none at all", () => {
    const full = '{"k":"full"}';
    expect(outcome([loaded, answer(1), full], ended, 3).observations).toEqual([returned(int(1))]);
    expect(outcome([loaded, full], ended, 3).observations).toEqual([{ kind: "output-flood", what: "value" }]);
  });

  it("takes a frame that has no place as the program's own doing", () => {
    expect(outcome([loaded, loaded, '{"k":"exited","c":0}'], ended, 2).observations).toEqual([
      violated,
      violated,
    ]);
  });

  it("always gets on by at least one case, and never blames us", () => {
    const frames = fc.array(
      fc.oneof(fc.constantFrom(loaded, answer(1), '{"k":"full"}', '{"k":"exited","c":0}'), fc.string()),
    );
    fc.assert(
      fc.property(frames, fc.constantFrom(...ends), fc.integer({ min: 1, max: 5 }), (texts, end, cases) => {
        const { loaded: didLoad, observations } = outcome(texts, end, cases);
        expect(observations.length).toBeGreaterThan(0);
        expect(observations.length).toBeLessThanOrEqual(cases);
        if (!didLoad) expect(observations).toHaveLength(cases);
        expect(observations.map(({ kind }) => kind)).not.toContain("infrastructure");
      }),
    );
  });
});

describe("stdioOutcome", () => {
  const text = { stdout: "out", stderr: "err" };

  it("is what was printed, with the code it ended with", () => {
    expect(stdioOutcome(['{"k":"exited","c":2}'], ended, text)).toEqual({
      kind: "printed",
      ...text,
      exitCode: 2,
    });
    expect(stdioOutcome([], { kind: "exited", code: 3 }, text)).toEqual({
      kind: "printed",
      ...text,
      exitCode: 3,
    });
  });

  it("is how it ended otherwise", () => {
    expect(stdioOutcome([], { kind: "timed-out", limit: "wall" }, text)).toEqual({
      kind: "timed-out",
      limit: "wall",
      ...text,
    });
    expect(stdioOutcome([], { kind: "died", how: "crashed" }, text)).toMatchObject({
      kind: "raised",
      ...text,
    });
    expect(stdioOutcome([], { kind: "flooded", what: "printed" }, text)).toEqual({
      kind: "output-flood",
      what: "printed",
    });
    expect(stdioOutcome(['{"k":"raised","t":"E","m":"m"}'], ended, text)).toEqual({
      kind: "raised",
      error: { type: "E", message: "m" },
      ...text,
    });
    expect(stdioOutcome([answer(1)], ended, text)).not.toMatchObject({ kind: "printed" });
    expect(stdioOutcome([loaded], ended, text)).toMatchObject(violated);
  });
});
