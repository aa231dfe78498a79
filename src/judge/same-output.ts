/**
 * When is printed text the same answer? Line by line, in order. Only white space at the end of a line and empty
 * lines at the end of the text are forgiven, and Windows line ends. Nothing is sorted and no set of lines is compared.
 * With a float tolerance, words that are numbers on both sides may differ by it, unless both are whole numbers: as
 * for values, 1000000007 is not 1000000008 however large the tolerance.
 */
import type { Comparison } from "../values/compare.ts";

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

// Every character can match in one way only: a program may print a megabyte of digits to make this take hours.
const numberPattern = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const wholePattern = /^[+-]?\d+$/;

function sameWord(expected: string, actual: string, tolerance: number): boolean {
  if (expected === actual) return true;
  if (!numberPattern.test(expected) || !numberPattern.test(actual)) return false;
  if (wholePattern.test(expected) && wholePattern.test(actual)) return false;
  const [left, right] = [Number(expected), Number(actual)];
  return Math.abs(left - right) <= Math.max(tolerance * Math.max(Math.abs(left), Math.abs(right)), tolerance);
}
