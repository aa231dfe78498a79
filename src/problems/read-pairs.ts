/**
 * Pairs from files: ATGEN's records (pair-record.ts), and HumanEvalPack, whose problems come with a wrong solution each.
 * JSON, JSONL, both also gzipped, or parquet. One bad record does not lose the others: it is refused by its place,
 * field and reason.
 */
import { SparringError } from "../errors.ts";
import type { AttackPair } from "./attack-pair.ts";
import { humanEvalFormat } from "./humaneval.ts";
import { type Row, readRows } from "./json-rows.ts";
import { pairFields, type ReadPair, readPairRecord } from "./pair-record.ts";
import { plainRecord } from "./plain-problem.ts";
import type { Problem, TestCase } from "./problem.ts";
import { problemError } from "./problem-schema.ts";
import { readFileRows } from "./read-rows.ts";
import { assertText } from "./test-text.ts";

export interface ReadPairOptions {
  /** Reads no more records than this. */
  readonly limit?: number;
  /** A record whose tests have a larger input is refused; 64 KiB unless said. */
  readonly maximumInputBytes?: number;
}

export const defaultMaximumInputBytes = 65_536;

export interface PairRecord {
  /** Which record of the file, from 1. */
  readonly row: number;
  readonly pair: AttackPair;
  readonly format: string;
  /** Fields of the record that a pair has no place for. */
  readonly unusedFields: readonly string[];
}

export interface PairFile {
  readonly records: readonly PairRecord[];
  /** Records that are no pairs, with the reason. */
  readonly refused: readonly { readonly row: number; readonly error: SparringError }[];
}

/** Every record of a file must be a pair; see `readPairSet` for files that hold others too. */
export async function readPairs(file: string, options: ReadPairOptions = {}): Promise<AttackPair[]> {
  return strictly(await readPairSet(file, options));
}

/** The same as `readPairs` for text that is already here; `file` is only used in messages. */
export function parsePairs(text: string, file: string, options: ReadPairOptions = {}): AttackPair[] {
  return strictly(readPairRows(readRows(text, file), file, options));
}

/** All that can be read of a file. */
export async function readPairSet(file: string, options: ReadPairOptions = {}): Promise<PairFile> {
  return readPairRows(await readFileRows(file, options.limit), file, options);
}

/** Whether these are rows of pairs, told by the first. HumanEvalPack is a set of problems as well, and read as such. */
export function arePairs([first]: readonly Row[]): boolean {
  return first !== undefined && formatOf(first.value)?.name === "pair";
}

function strictly({ records, refused }: PairFile): AttackPair[] {
  const [first] = refused;
  if (!first) return records.map(({ pair }) => pair);
  const { code, message, hint } = first.error;
  throw new SparringError({
    code,
    message: refused.length === 1 ? message : `${message} (and ${refused.length - 1} more records)`,
    ...(hint !== undefined && { hint }),
  });
}

interface PairFormat {
  readonly name: string;
  readonly fields: readonly string[];
  recognizes(record: Record<string, unknown>): boolean;
  read(record: Record<string, unknown>, where: string): ReadPair;
}

const pairFormats: readonly PairFormat[] = [
  {
    name: "pair",
    fields: pairFields,
    // One of the two is enough: no other set has them, and the missing one can then be named.
    recognizes: (record) => "buggy_code" in record || "gold_code" in record,
    read: readPairRecord,
  },
  {
    name: "HumanEvalPack",
    fields: [...humanEvalFormat.fields, "buggy_solution"],
    recognizes: (record) => humanEvalFormat.recognizes(record) && typeof record.buggy_solution === "string",
    read: (record, where) => ({
      problem: humanEvalFormat.toProblem(record, where),
      buggy: `${record.prompt}${record.buggy_solution}`,
      pairId: undefined,
    }),
  },
];

function formatOf(value: unknown): PairFormat | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return pairFormats.find((format) => format.recognizes(value as Record<string, unknown>));
}

/** The same for rows that were read before. */
export function readPairRows(rows: readonly Row[], file: string, options: ReadPairOptions = {}): PairFile {
  if (rows.length === 0) throw problemError(file, { reason: "holds no pair", hint: "Add at least one." });
  const reader = new PairReader(options.maximumInputBytes ?? defaultMaximumInputBytes);
  const records: PairRecord[] = [];
  const refused: { row: number; error: SparringError }[] = [];
  for (const row of rows) {
    try {
      records.push(reader.read(row));
    } catch (error) {
      if (!(error instanceof SparringError)) throw error;
      refused.push({ row: row.number, error });
    }
  }
  return { records, refused };
}

/** Reads row after row: ids must differ, and pairs of one problem must agree on it. */
class PairReader {
  readonly #maximumInputBytes: number;
  readonly #places = new Map<string, string>();
  readonly #problems = new Map<string, { problem: Problem; text: string; where: string; pairs: number }>();

  constructor(maximumInputBytes: number) {
    this.#maximumInputBytes = maximumInputBytes;
  }

  read({ value, where, number }: Row): PairRecord {
    const format = formatOf(value);
    if (!format) {
      throw problemError(where, {
        reason: `the record is no pair of a problem and a wrong program${missingFields(value)}`,
        hint: "A pair has at least the fields question, gold_code and buggy_code; `spar data bugs` makes pairs of problems.",
      });
    }
    const record = value as Record<string, unknown>;
    const { problem: own, buggy, pairId } = format.read(record, where);
    refuseLongInputs(own, { where, most: this.#maximumInputBytes });
    const { problem, pairs } = this.#problem(own, where);
    const pair = { id: this.#id(pairId, { problem, pairs, where }), problem, buggy };
    const unusedFields = Object.keys(record).filter((field) => !format.fields.includes(field));
    return { row: number, pair, format: format.name, unusedFields };
  }

  /** One object for all pairs of a problem: its tests are the larger part of a record. */
  #problem(problem: Problem, where: string): { problem: Problem; pairs: number } {
    const text = JSON.stringify(plainRecord(problem));
    const known = this.#problems.get(problem.id);
    if (!known) {
      this.#problems.set(problem.id, { problem, text, where, pairs: 1 });
      return { problem, pairs: 1 };
    }
    if (known.text !== text) {
      throw problemError(where, {
        reason: `the problem '${problem.id}' is another one than before (${known.where})`,
        hint: "Pairs with the same 'problem_id' have the same question, gold_code and tests; give other problems ids of their own.",
      });
    }
    known.pairs += 1;
    return known;
  }

  #id(
    given: string | undefined,
    { problem, pairs, where }: { problem: Problem; pairs: number; where: string },
  ) {
    const id = given ?? `${problem.id}#${pairs}`;
    const before = this.#places.get(id);
    if (before !== undefined) {
      throw problemError(where, {
        reason: `the id '${id}' was used before (${before})`,
        hint: "Give every pair a 'pair_id' of its own, or leave the field out.",
      });
    }
    this.#places.set(id, where);
    return id;
  }
}

/** Of the fields without which nothing is a pair. */
function missingFields(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return ": it is no object";
  const missing = ["question", "gold_code", "buggy_code"].filter((field) => !(field in value));
  return `: it has no ${missing.map((field) => `'${field}'`).join(", no ")}`;
}

function refuseLongInputs(problem: Problem, { where, most }: { where: string; most: number }): void {
  for (const [index, test] of problem.goldTests.entries()) {
    const bytes = inputBytes(test);
    if (bytes <= most) continue;
    throw problemError(where, {
      reason: `the input of gold test ${index + 1} has ${bytes} bytes, the limit is ${most}`,
      hint: `Leave that test out of the record. Pairs from \`spar data bugs\` have no such tests if its --max-input is at most ${most}.`,
    });
  }
}

/** The size of what a program is given: its input, or its arguments as Python writes them. */
export function inputBytes(test: TestCase): number {
  const text = test.style === "stdio" ? test.input : assertText({ ...test, expected: { type: "none" } }, "");
  return Buffer.byteLength(text);
}
