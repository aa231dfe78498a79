import { existsSync, readFileSync } from "node:fs";
import { SparringError } from "../errors.ts";

/** A small JSON file of a run folder; undefined where there is none. `hint` says what to do about a damaged one. */
export function readRecord<Content>(file: string, hint: string): Content | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Content;
  } catch (error) {
    throw new SparringError({ code: "run-damaged", message: `${file} cannot be read`, hint, cause: error });
  }
}
