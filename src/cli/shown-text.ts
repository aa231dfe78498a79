/** Text from files on a terminal: nothing in it may act on the terminal. */
import { InvalidArgumentError } from "commander";

/** Control characters but tabs and line breaks are shown as what they are. */
export function visible(text: string): string {
  return text.replace(
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`,
  );
}

/** For options that say how many records. */
export function recordLimit(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError("It must be a whole number from 1 on.");
  }
  return value;
}
