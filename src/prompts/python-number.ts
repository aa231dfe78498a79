/** The text of a number in Python source to its value, by the rules of Python's lexical analysis. */
import type { PythonValue } from "../values/python-value.ts";

type PythonNumber = Extract<PythonValue, { type: "int" | "float" | "complex" }>;

// The parser has already found where the number ends; these decide whether Python would take it.
const decimalInteger = /^(?:0(?:_?0)*|[1-9](?:_?[0-9])*)$/;
const prefixedInteger = /^0(?:[xX](?:_?[0-9a-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)$/;
const decimal = /^(?:[0-9](?:_?[0-9])*)?(?:\.[0-9](?:_?[0-9])*)?(?:[eE][+-]?[0-9](?:_?[0-9])*)?$/;

/** Python converts no more decimal digits than this. */
const maximumDigits = 4_300;
const maximumLength = 100_000;

/** The number, or why it is none. */
export function readNumber(text: string): PythonNumber | string {
  if (text.length > maximumLength) return `a number of more than ${maximumLength} characters`;
  const plain = text.replaceAll("_", "");
  if (prefixedInteger.test(text)) return { type: "int", value: BigInt(plain) };
  if (decimalInteger.test(text)) {
    if (plain.length > maximumDigits) return `an integer of more than ${maximumDigits} digits`;
    return { type: "int", value: BigInt(plain) };
  }
  const imaginary = /[jJ]$/.test(text);
  if (!decimal.test(imaginary ? text.slice(0, -1) : text)) return `${text.slice(0, 40)} is not a number`;
  if (imaginary) return { type: "complex", real: 0, imaginary: Number(plain.slice(0, -1)) };
  // What is left has a point or an exponent, or is something like 0777, which Python refuses.
  return /[.eE]/.test(text)
    ? { type: "float", value: Number(plain) }
    : `${text.slice(0, 40)} is not a number`;
}
