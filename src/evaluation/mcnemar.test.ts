import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mcnemar } from "./mcnemar.ts";

const count = fc.integer({ min: 0, max: 400 });

/** The definition, with whole numbers as long as they need to be. */
function byDefinition(trials: number, successes: number): number {
  let [ways, sum] = [1n, 1n];
  for (let each = 1; each <= successes; each += 1) {
    ways = (ways * BigInt(trials - each + 1)) / BigInt(each);
    sum += ways;
  }
  return Number((sum * 10n ** 30n) / 2n ** BigInt(trials)) / 1e30;
}

describe("mcnemar", () => {
  it.each([
    // Bentur et al. 2009 and Cavo et al. 2012, as computed by Fagerland, Lydersen and Laake.
    { onlyFirst: 1, onlySecond: 7, exact: 0.0703, midP: 0.0391 },
    { onlyFirst: 6, onlySecond: 16, exact: 0.052479, midP: 0.03469 },
  ])("agrees with published values for $onlyFirst against $onlySecond", ({ exact, midP, ...counts }) => {
    const digits = `${exact}`.length - 2;
    expect(mcnemar(counts)).toBeCloseTo(exact, digits);
    expect(mcnemar(counts, "mid-p")).toBeCloseTo(midP, digits);
  });

  it("finds no difference where there is none", () => {
    expect(mcnemar({ onlyFirst: 0, onlySecond: 0 })).toBe(1);
    expect(mcnemar({ onlyFirst: 0, onlySecond: 0 }, "mid-p")).toBe(1);
    expect(mcnemar({ onlyFirst: 5, onlySecond: 5 })).toBe(1);
    expect(mcnemar({ onlyFirst: 5, onlySecond: 5 }, "mid-p")).toBeCloseTo(1 - 252 / 1024 / 2, 12);
  });

  it("is the doubled tail of the binomial", () => {
    fc.assert(
      fc.property(count, count, (onlyFirst, onlySecond) => {
        const tail = byDefinition(onlyFirst + onlySecond, Math.min(onlyFirst, onlySecond));
        expect(mcnemar({ onlyFirst, onlySecond })).toBeCloseTo(Math.min(1, 2 * tail), 10);
      }),
    );
  });

  it("does not care which model comes first, stays within bounds, and the exact one is the more careful", () => {
    fc.assert(
      fc.property(count, count, (onlyFirst, onlySecond) => {
        for (const variant of ["exact", "mid-p"] as const) {
          const value = mcnemar({ onlyFirst, onlySecond }, variant);
          expect(value).toBe(mcnemar({ onlyFirst: onlySecond, onlySecond: onlyFirst }, variant));
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
        const midP = mcnemar({ onlyFirst, onlySecond }, "mid-p");
        expect(midP).toBeLessThanOrEqual(mcnemar({ onlyFirst, onlySecond }));
      }),
    );
  });

  it("falls as the disagreements get more one-sided", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 2_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (n, share) => {
          const fewer = Math.floor((share * (n - 1)) / 2);
          const less = mcnemar({ onlyFirst: fewer, onlySecond: n - fewer });
          const more = mcnemar({ onlyFirst: fewer + 1, onlySecond: n - fewer - 1 });
          expect(less).toBeLessThanOrEqual(more);
        },
      ),
    );
  });

  it("does not underflow with many thousand disagreements", () => {
    const value = mcnemar({ onlyFirst: 4_900, onlySecond: 5_100 });
    // Normal approximation with continuity correction: z = 199 / √10000.
    expect(value).toBeCloseTo(0.0466, 3);
  });
});
