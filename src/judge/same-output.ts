/**
 * When is printed text the same answer? Line by line, in order. Only white space at the end of a line and empty
 * lines at the end of the text are forgiven, and Windows line ends. Nothing is sorted and no set of lines is compared.
 *
 * With a float tolerance, words that are numbers on both sides may differ by it (relative and absolute). It is for
 * decimals, and sets of problems give it to those with whole answers too, so:
 *
 * - Two integers are the same only as text; whole values in other forms (3, 3.00, 3e0) only if they are equal, digit
 *   by digit: 1000000007 is not 1000000008.0. Only large decimals, 1e+20 and 1.0000000000000001e+20, are whole
 *   because every double of that size is, and may differ.
 * - An integer and a true decimal (1 and 0.9999999999) may differ by the absolute tolerance only. The relative one
 *   would take 1234567.5 for 1234567, which is what `/` prints where `//` is right.
 * - What no double can hold (1e999), inf and nan are words: the same only as text.
 */
import { type Comparison, isNear } from "../values/compare.ts";
import { printedNumber } from "./printed-number.ts";

/** From here on a double has no digits after the point, so being whole says nothing about what was computed. */
const allDoublesWhole = 2 ** 52;

export function sameOutput(expected: string, actual: string, comparison: Comparison): boolean {
  const [expectedLines, actualLines] = [linesOf(expected), linesOf(actual)];
  if (expectedLines.length !== actualLines.length) return false;
  return expectedLines.every((line, index) => sameLine(line, actualLines[index]!, comparison.floatTolerance));
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
  while (lines.at(-1) === "") lines.pop();
  return lines;
}

function sameLine(expected: string, actual: string, tolerance: number): boolean {
  if (expected === actual) return true;
  if (tolerance === 0) return false;
  const [expectedWords, actualWords] = [expected.split(/\s+/), actual.split(/\s+/)];
  return (
    expectedWords.length === actualWords.length &&
    expectedWords.every((word, index) => sameWord(word, actualWords[index]!, tolerance))
  );
}

function sameWord(expected: string, actual: string, tolerance: number): boolean {
  if (expected === actual) return true;
  const [left, right] = [printedNumber(expected), printedNumber(actual)];
  if (!left || !right) return false;
  if (left.isInteger && right.isInteger) return false;
  const hasInteger = left.isInteger || right.isInteger;
  const isLarge = Math.max(Math.abs(left.value), Math.abs(right.value)) >= allDoublesWhole;
  const isRounded = isLarge && !hasInteger;
  if (left.isWhole && right.isWhole && !isRounded) return left.exact === right.exact;
  if (hasInteger && isLarge) return false;
  return isNear(left.value, right.value, { tolerance, growsWithSize: !hasInteger });
}
