import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactComparison } from "../values/compare.ts";
import { sameOutput } from "./same-output.ts";

const exact = (expected: string, actual: string) => sameOutput(expected, actual, exactComparison);
const tolerant = (expected: string, actual: string) =>
  sameOutput(expected, actual, { ...exactComparison, floatTolerance: 1e-6 });

const text = fc.string({ unit: fc.constantFrom("a", "b", "1", ".", "e", "-", " ", "\n", "\t") });

const digits = fc.string({ unit: fc.constantFrom("0", "1", "5", "9"), minLength: 1, maxLength: 30 });
const numberWord = fc
  .tuple(
    fc.constantFrom("", "-", "+"),
    digits,
    fc.constantFrom("", "."),
    fc.option(digits, { nil: "" }),
    fc.constantFrom("", "e", "e-", "E+"),
    fc.oneof(fc.integer({ min: 0, max: 20 }).map(String), digits),
  )
  .map(
    ([sign, whole, point, after, mark, exponent]) =>
      `${sign}${whole}${point}${after}${mark}${mark && exponent}`,
  );

describe("sameOutput", () => {
  it("forgives white space at the end of lines, empty lines at the end and Windows line ends", () => {
    expect(exact("1\n2\n", "1 \t\r\n2\n\n\n")).toBe(true);
    expect(exact("", "\n \n")).toBe(true);
  });

  it("forgives nothing else", () => {
    expect(exact("1\n2", "2\n1")).toBe(false);
    expect(exact("1 2", "1  2")).toBe(false);
    expect(exact("1", " 1")).toBe(false);
    expect(exact("a", "A")).toBe(false);
    expect(exact("1\n\n2", "1\n2")).toBe(false);
    expect(exact("1\n1", "1")).toBe(false);
    expect(exact("1", "1.0")).toBe(false);
    expect(exact("yes", "yes\nno")).toBe(false);
  });

  it("takes numbers that are close only where the problem says so", () => {
    expect(exact("0.3", "0.30000000000000004")).toBe(false);
    expect(tolerant("0.3", "0.30000000000000004")).toBe(true);
    expect(tolerant("x 1e3 .5", "x 1000.0001 0.5")).toBe(true);
    expect(tolerant("1.0", "1.1")).toBe(false);
    expect(tolerant("1 2", "1")).toBe(false);
    expect(tolerant("1.0", "1.0x")).toBe(false);
    expect(tolerant("nan", "NaN")).toBe(false);
    expect(tolerant("inf", "1e999")).toBe(false);
    expect(tolerant("1e999", "2e999")).toBe(false);
  });

  it("never takes one whole number for another", () => {
    expect(tolerant("1000000007", "1000000008")).toBe(false);
    expect(tolerant("1000000007", "+1000000007")).toBe(false);
    expect(tolerant("1000000007", "1000000007.0")).toBe(true);
    expect(tolerant("0.3333333", "0.33333331")).toBe(true);
  });

  it.each([
    ["3", "3.0", true],
    ["3.00", "3e0", true],
    ["-0.0", "0", true],
    ["1200", "1.2e3", true],
    ["1000000007", "1000000008.0", false],
    ["1000000007.0", "1000000008.00", false],
    ["1000000007", "1.000000008e9", false],
    ["100000000000000000000000007", "100000000000000000000000008.0", false],
    ["100000000000000000000000007", "100000000000000000000000007.0", true],
    ["100000000000000000000000007", "1e26", false],
    ["-3", "3.0", false],
  ])("compares the whole values %s and %s exactly", (left, right, same) => {
    expect([tolerant(left, right), tolerant(right, left)]).toEqual([same, same]);
  });

  it.each([
    ["1", "0.9999999999", true],
    ["1.0", "0.9999999999", true],
    ["1234567", "1234567.5", false],
    ["1234567.0", "1234567.5", true],
    ["100000000000000000000000007", "100000000000000000000000007.5", false],
    ["1e+20", "1.0000000000000001e+20", true],
    ["5000000000000001.0", "5000000000000000.0", true],
    ["100000000000000000000000007.0", "100000000000000000000000008.0", true],
    ["5000000000000001", "5000000000000000.0", false],
    ["1e+16", "9999999999999998.0", true],
    ["1e+20", "1.1e+20", false],
  ])("gives %s and %s the tolerance that is due to their forms", (left, right, same) => {
    expect([tolerant(left, right), tolerant(right, left)]).toEqual([same, same]);
  });

  it("takes a number beyond doubles for nothing but itself", () => {
    const sevens = "7".repeat(400);
    for (const word of ["1e999", "-1e999", "1e99999999999999999999", sevens, `${sevens}.5`]) {
      expect(tolerant(word, word)).toBe(true);
      for (const other of [
        "0",
        "5",
        "0.5",
        "1e308",
        "2e999",
        "1.0e999",
        "inf",
        `${sevens}1`,
        `${sevens}.25`,
      ]) {
        expect([other, tolerant(other, word), tolerant(word, other)]).toEqual([other, false, false]);
      }
    }
    expect(tolerant(sevens, `${sevens}.0`)).toBe(true);
  });

  it("never takes one number for two that are far apart, and is symmetric on numbers", () => {
    fc.assert(
      fc.property(numberWord, numberWord, (left, right) => {
        expect(tolerant(left, right)).toBe(tolerant(right, left));
        expect(tolerant(left, "0.5") && tolerant(left, "1.5")).toBe(false);
        expect(tolerant(left, "7") && tolerant(left, "8.0")).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it("agrees with bigints on whole numbers in any written-out form", () => {
    const zeros = fc.integer({ min: 0, max: 3 }).map((count) => `.${"0".repeat(count)}`);
    const whole = fc.oneof(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.integer().map(BigInt));
    const step = fc.bigInt({ min: -1n, max: 1n });
    fc.assert(
      fc.property(whole, step, zeros, zeros, (value, difference, some, others) => {
        const other = value + difference;
        const same = difference === 0n;
        expect(tolerant(`${value}`, `${other}${some}`)).toBe(same);
        const isExact = value > -(2n ** 52n) && value < 2n ** 52n;
        if (isExact) expect(tolerant(`${value}${others}`, `${other}${some}`)).toBe(same);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is reflexive and symmetric", () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        for (const same of [exact, tolerant]) {
          expect(same(left, left)).toBe(true);
          expect(same(left, right)).toBe(same(right, left));
        }
      }),
    );
  });

  it("reads a megabyte of hostile digits in one pass", () => {
    // With a pattern that can match in two ways these take minutes, and the test its time-out.
    for (const hostile of ["1", "1.", ".1", "1e1", "-1.5e", "1 ", "1\t "]) {
      expect(tolerant("1.5", `${hostile.repeat(1_000_000 / hostile.length)}x`)).toBe(false);
      expect(tolerant("1.5", `${"1".repeat(1_000_000)}${hostile}x`)).toBe(false);
    }
  });

  it("compares megabytes of digits in one pass", () => {
    const zeros = "0".repeat(1_000_000);
    const nines = "9".repeat(1_000_000);
    expect(tolerant(`${nines}1`, `${nines}2.0`)).toBe(false);
    expect(tolerant(`${nines}${zeros}`, `${nines}${zeros}.${zeros}`)).toBe(true);
    expect(tolerant(`${zeros}1${zeros}`, `1${zeros}.0`)).toBe(true);
    expect(tolerant(`.${zeros}1e1000001`, "1")).toBe(true);
    expect(tolerant(`.${zeros}1e-${nines}`, "0")).toBe(true);
    expect(tolerant(`1e${nines}`, "1.5")).toBe(false);
    expect(tolerant(`1${zeros}.5`, `1${zeros}.25`)).toBe(false);
  });
});
