import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { difficultyThirds, type PairRate, thirds } from "./difficulty-thirds.ts";

const sizes = (ranked: ReturnType<typeof difficultyThirds>) =>
  thirds.map((third) => ranked.filter((pair) => pair.third === third).length);
const anyRates = fc
  .uniqueArray(fc.string(), { maxLength: 60 })
  .chain((ids) =>
    fc
      .array(fc.integer({ min: 0, max: 8 }), { minLength: ids.length, maxLength: ids.length })
      .map((successes): PairRate[] => ids.map((id, index) => ({ id, rate: successes[index]! / 8 }))),
  );

describe("difficultyThirds", () => {
  it("cuts 911 pairs into 303, 304 and 304", () => {
    const rates = Array.from({ length: 911 }, (_, index) => ({ id: `${index}`, rate: (index % 9) / 8 }));
    expect(sizes(difficultyThirds(rates))).toEqual([303, 304, 304]);
  });

  it("gives what is left over to the harder thirds", () => {
    const of = (count: number) =>
      sizes(difficultyThirds(Array.from({ length: count }, (_, index) => ({ id: `${index}`, rate: 0 }))));
    expect([0, 1, 2, 3, 4, 5].map(of)).toEqual([
      [0, 0, 0],
      [0, 0, 1],
      [0, 1, 1],
      [1, 1, 1],
      [1, 1, 2],
      [1, 2, 2],
    ]);
  });

  it("puts the pairs that are attacked most easily first, and equal ones by id", () => {
    const ranked = difficultyThirds([
      { id: "b", rate: 0.5 },
      { id: "c", rate: 1 },
      { id: "a", rate: 0.5 },
    ]);
    expect(ranked.map(({ id, third }) => `${id} ${third}`)).toEqual(["c easy", "a medium", "b hard"]);
  });

  it("keeps every pair once, never puts an easier pair into a harder third, and ignores the order given", () => {
    fc.assert(
      fc.property(anyRates, (rates) => {
        const ranked = difficultyThirds(rates);
        expect(ranked.map(({ id }) => id).sort()).toEqual(rates.map(({ id }) => id).sort());
        for (let place = 1; place < ranked.length; place += 1) {
          const [before, after] = [ranked[place - 1]!, ranked[place]!];
          expect(before.rate).toBeGreaterThanOrEqual(after.rate);
          expect(thirds.indexOf(before.third)).toBeLessThanOrEqual(thirds.indexOf(after.third));
        }
        expect(difficultyThirds([...rates].reverse())).toEqual(ranked);
        const [easy, medium, hard] = sizes(ranked) as [number, number, number];
        expect(hard - easy).toBeLessThanOrEqual(1);
        expect(easy <= medium && medium <= hard).toBe(true);
      }),
    );
  });
});
