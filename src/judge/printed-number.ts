/**
 * A number as a program printed it, digit by digit: doubles and even bigints would lose digits or time on the
 * megabyte of them that a program may print. Everything here takes one pass.
 */

export interface PrintedNumber {
  /** In form: digits alone, without point and exponent. */
  readonly isInteger: boolean;
  /** The nearest double; infinite where all digits are written out and are too many. */
  readonly value: number;
  /** In value, not in form: 3.00 and 3e0 are. */
  readonly isWhole: boolean;
  /** The same for the same value and for no other. */
  readonly exact: string;
}

// Every character can match in one way only: a program may print a megabyte of digits to make this take hours.
const numberPattern = /^([+-]?)(?:(\d+)(\.\d*)?|(\.\d+))(?:[eE]([+-]?\d+))?$/;

/** Undefined for a word that is no number. An exponent beyond all doubles, as in 1e999, makes it such a word. */
export function printedNumber(word: string): PrintedNumber | undefined {
  const match = numberPattern.exec(word);
  if (!match) return undefined;
  const [, sign, before = "", pointAndAfter, pointFirst, exponent] = match;
  const value = Number(word);
  if (exponent !== undefined && !Number.isFinite(value)) return undefined;
  const point = pointAndAfter ?? pointFirst;
  const isInteger = exponent === undefined && point === undefined;
  const after = point?.slice(1) ?? "";
  const digits = before + after;
  const [from, to] = [firstOther(digits), lastOther(digits) + 1];
  if (from >= to) return { isInteger, value, isWhole: true, exact: "0" };
  /** Powers of ten by which the digits between the outer zeros are to be multiplied. */
  const power = Number(exponent ?? 0) - after.length + digits.length - to;
  const exact = `${sign === "-" ? "-" : ""}${digits.slice(from, to)}e${power}`;
  return { isInteger, value, isWhole: power >= 0, exact };
}

// Not with a pattern: /0+$/ tries again from every zero.
function firstOther(digits: string): number {
  let index = 0;
  while (digits[index] === "0") index += 1;
  return index;
}

function lastOther(digits: string): number {
  let index = digits.length - 1;
  while (digits[index] === "0") index -= 1;
  return index;
}
