import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareAttacks } from "./compare-attacks.ts";
import type { Third } from "./difficulty-thirds.ts";
import type { RecordedPair } from "./record-format.ts";

type Class = RecordedPair["replies"][number]["class"];
const outcomeOf = (reached: Class) => {
  if (reached === "attack") return { outcome: { kind: "raised" as const } };
  return reached === "harmless" ? { outcome: { kind: "passed" as const } } : {};
};
const pair = (id: string, ...classes: Class[]): RecordedPair => ({
  kind: "pair",
  id,
  problem: "p",
  key: id,
  digest: "d",
  prompt: "p",
  replies: classes.map((reached) => ({ text: "", stopReason: "end", class: reached, ...outcomeOf(reached) })),
});

describe("compareAttacks", () => {
  it("counts the pairs on which only one succeeds", () => {
    const first = ["attack", "attack", "attack", "harmless", "format-wrong"] as const;
    const second = ["attack", "harmless", "answer-wrong", "attack", "format-wrong"] as const;
    const { pairs, figures } = compareAttacks([
      first.map((each, index) => pair(`${index}`, each)),
      second.map((each, index) => pair(`${index}`, each)),
    ]);
    expect(pairs).toBe(5);
    expect(figures).toMatchObject([
      { figure: "ioAccuracy", onlyFirst: 1, onlySecond: 0, first: { count: 4 }, second: { count: 3 } },
      {
        figure: "attackRate",
        onlyFirst: 2,
        onlySecond: 1,
        first: { count: 3 },
        second: { count: 2 },
        exact: 1,
      },
      { figure: "inputAttackRate", onlyFirst: 2, onlySecond: 1 },
    ]);
  });

  it("compares only what both have", () => {
    const comparison = compareAttacks([
      [pair("a", "attack"), pair("b", "attack"), pair("c", "masked")],
      [pair("b", "harmless"), pair("c", "attack"), pair("d", "attack"), pair("e", "attack")],
    ]);
    expect(comparison).toMatchObject({ pairs: 1, onlyInFirst: 1, onlyInSecond: 3 });
  });

  it("gives a pair to the model with the larger share where there are several replies", () => {
    const { figures } = compareAttacks([
      [
        pair("a", "attack", "attack", "harmless"),
        pair("b", "attack", "masked"),
        pair("c", "attack", "harmless"),
      ],
      [
        pair("a", "attack", "harmless", "harmless"),
        pair("b", "attack", "attack"),
        pair("c", "harmless", "attack"),
      ],
    ]);
    expect(figures[1]).toMatchObject({ figure: "attackRate", onlyFirst: 1, onlySecond: 0 });
  });

  it("looks at each third as well", () => {
    const split = new Map<string, Third>([
      ["a", "easy"],
      ["b", "hard"],
    ]);
    const { figures } = compareAttacks(
      [
        [pair("a", "attack"), pair("b", "harmless"), pair("c", "attack")],
        [pair("a", "harmless"), pair("b", "attack"), pair("c", "attack")],
      ],
      split,
    );
    expect(figures.filter(({ figure }) => figure === "attackRate")).toMatchObject([
      { group: "overall", onlyFirst: 1, onlySecond: 1 },
      { group: "easy", onlyFirst: 1, onlySecond: 0 },
      { group: "hard", onlyFirst: 0, onlySecond: 1 },
    ]);
  });

  it("refuses pairs that are not the same", () => {
    expect(() => compareAttacks([[pair("a", "attack")], [{ ...pair("a", "attack"), digest: "e" }]])).toThrow(
      "the pair 'a' is not the same in both records",
    );
  });

  it("says the same whichever comes first", () => {
    const classes = fc.constantFrom<Class>("attack", "harmless", "answer-wrong", "format-wrong", "masked");
    const both = fc.array(fc.tuple(fc.array(classes, { minLength: 1 }), fc.array(classes, { minLength: 1 })));
    fc.assert(
      fc.property(both, (replies) => {
        const first = replies.map(([one], index) => pair(`${index}`, ...one));
        const second = replies.map(([, other], index) => pair(`${index}`, ...other));
        const there = compareAttacks([first, second]);
        const back = compareAttacks([second, first]);
        expect(there.pairs).toBe(back.pairs);
        for (const [index, figure] of there.figures.entries()) {
          const mirrored = back.figures[index]!;
          expect([figure.onlyFirst, figure.onlySecond]).toEqual([mirrored.onlySecond, mirrored.onlyFirst]);
          expect([figure.exact, figure.midP]).toEqual([mirrored.exact, mirrored.midP]);
          expect(figure.onlyFirst + figure.onlySecond).toBeLessThanOrEqual(there.pairs);
        }
      }),
    );
  });
});
