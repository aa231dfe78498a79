import { InvalidArgumentError } from "commander";

/** For options that take a whole number from 0 on, such as a seed. */
export function numberFromZero(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new InvalidArgumentError("It must be a whole number from 0 on.");
  return value;
}
