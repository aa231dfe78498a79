import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exactComparison } from "../values/compare.ts";
import { sameOutput } from "./same-output.ts";

const exact = (expected: string, actual: string) => sameOutput(expected, actual, exactComparison);
const tolerant = (expected: string, actual: string) =>
  sameOutput(expected, actual, { ...exactComparison, floatTolerance: 1e-6 });

const text = fc.string({ unit: fc.constantFrom("a", "b", "1", ".", "e", "-", " ", "\n", "\t") });

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
});
