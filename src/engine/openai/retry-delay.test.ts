import fc from "fast-check";
import { expect, test } from "vitest";
import { retryAfterOf, retryDelay } from "./retry-delay.ts";

test("waits double and stay within half a minute", () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((retry) =>
    retryDelay({ retry, retryAfterSeconds: undefined, random: 0.999999 }),
  );
  expect(waits.map(Math.round)).toEqual([0, 1, 2, 4, 8, 16, 30, 30]);
});

test("no wait is without end, and none is shorter than a reasonable server asks for", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2000 }),
      fc.option(fc.double({ min: 0, noNaN: true }), { nil: undefined }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (retry, retryAfterSeconds, random) => {
        const wait = retryDelay({ retry, retryAfterSeconds, random });
        expect(wait).toBeGreaterThan(0);
        expect(wait).toBeLessThanOrEqual(63);
        if (retryAfterSeconds !== undefined) {
          expect(wait).toBeGreaterThanOrEqual(Math.min(60, retryAfterSeconds));
        }
      },
    ),
  );
});

test("Retry-After is read in both of its forms", () => {
  const now = Date.parse("2024-05-01T10:00:00Z");
  expect(retryAfterOf("7", now)).toBe(7);
  expect(retryAfterOf(" 0.5 ", now)).toBe(0.5);
  expect(retryAfterOf("Wed, 01 May 2024 10:00:30 GMT", now)).toBe(30);
  expect(retryAfterOf("Wed, 01 May 2024 09:00:00 GMT", now)).toBe(0);
  for (const nonsense of [undefined, "", "soon", "-", "Infinity"])
    expect(retryAfterOf(nonsense, now)).toBeUndefined();
});
