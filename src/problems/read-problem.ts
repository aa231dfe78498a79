/**
 * Problems and tests from files. A problem file holds records of one of the known formats, told apart by their fields,
 * as JSON, JSONL (both also gzipped), parquet or a folder; a tests file holds the same kind of list as `goldTests`.
 * Everything that is wrong with a file is one SparringError that says where, what and how to mend it.
 */
import { SparringError } from "../errors.ts";
import { appsFormat } from "./apps.ts";
import { codeA1TrainingFormat, codeA1ValidationFormat } from "./code-a1-data.ts";
import { codeforcesFormat } from "./codeforces.ts";
import type { DataFormat } from "./data-format.ts";
import { humanEvalFormat } from "./humaneval.ts";
import { type Row, readRows } from "./json-rows.ts";
import { kodCodeFormat } from "./kodcode.ts";
import { leetCodeFormat } from "./leetcode-dataset.ts";
import { mbppFormat } from "./mbpp.ts";
import { isPairRecord } from "./pair-record.ts";
import { checkEntryPoint, plainFormat, readTest } from "./plain-problem.ts";
import type { Problem, TestCase } from "./problem.ts";
import { checkPlainProblem, problemError } from "./problem-schema.ts";
import { readFileRows } from "./read-rows.ts";
import { readTextFile } from "./read-text-file.ts";

/** The first that recognizes a record takes it; the plain one last, because it is the least choosy. */
const formats: readonly DataFormat[] = [
  codeA1TrainingFormat,
  codeA1ValidationFormat,
  leetCodeFormat,
  humanEvalFormat,
  kodCodeFormat,
  mbppFormat,
  appsFormat,
  codeforcesFormat,
  plainFormat,
];

export interface ReadOptions {
  /** Reads no more records than this. */
  readonly limit?: number;
}

/** Every record of a file must be a problem; see `readProblemSet` for files that hold others too. */
export async function readProblems(file: string, options: ReadOptions = {}): Promise<Problem[]> {
  return strictly(readProblemRows(await readFileRows(file, options.limit), file));
}

/** The same as `readProblems` for text that is already here; `file` is only used in messages. */
export function parseProblems(text: string, file: string): Problem[] {
  return strictly(readProblemRows(readRows(text, file), file));
}

/** The only problem of a file, or the one with this id. */
export async function readOneProblem(file: string, id?: string): Promise<Problem> {
  const { records, refused } = await readProblemSet(file);
  if (refused[0] && (id === undefined || records.length === 0)) throw refused[0].error;
  const ids = records.slice(0, 3).map(({ problem }) => `'${problem.id}'`);
  if (id !== undefined) {
    const found = records.find(({ problem }) => problem.id === id);
    if (found) return found.problem;
    throw problemError(file, {
      reason: `no problem has the id '${id}'`,
      hint: `Ids there are ${ids.join(", ")} ….`,
    });
  }
  if (records.length === 1) return records[0]!.problem;
  throw problemError(file, {
    reason: `holds ${records.length} problems where one is needed`,
    hint: `Choose one by its id, for example ${ids[0]}.`,
  });
}

export interface ProblemRecord {
  /** Which record of the file, from 1. */
  readonly row: number;
  readonly problem: Problem;
  readonly format: string;
  /** Fields of the record that a problem has no place for. */
  readonly unusedFields: readonly string[];
}

export interface ProblemFile {
  readonly records: readonly ProblemRecord[];
  /** Records that are no problems, with the reason. */
  readonly refused: readonly { readonly row: number; readonly error: SparringError }[];
}

/** All that can be read of a file: one bad record does not lose the others. */
export async function readProblemSet(file: string, options: ReadOptions = {}): Promise<ProblemFile> {
  return readProblemRows(await readFileRows(file, options.limit), file);
}

/** The same for rows that were read before. */
export function readProblemRows(rows: readonly Row[], file: string): ProblemFile {
  if (rows.length === 0) {
    throw problemError(file, { reason: "holds no problem", hint: "Add at least one." });
  }
  const places = new Map<string, string>();
  const records: ProblemRecord[] = [];
  const refused: { row: number; error: SparringError }[] = [];
  for (const row of rows) {
    try {
      const record = readRecord(row);
      const { id } = record.problem;
      const before = places.get(id);
      if (before !== undefined) {
        throw problemError(row.where, {
          reason: `the id '${id}' was used before (${before})`,
          hint: "Give every problem an id of its own.",
        });
      }
      places.set(id, row.where);
      records.push(record);
    } catch (error) {
      if (!(error instanceof SparringError)) throw error;
      refused.push({ row: row.number, error });
    }
  }
  return { records, refused };
}

function strictly({ records, refused }: ProblemFile): Problem[] {
  const [first] = refused;
  if (!first) return records.map(({ problem }) => problem);
  if (records.length === 0 && refused.length === 1) throw first.error;
  const { code, message, hint } = first.error;
  throw new SparringError({
    code,
    message: refused.length === 1 ? message : `${message} (and ${refused.length - 1} more records)`,
    hint: `${hint} \`spar data convert\` writes a file without such records.`,
  });
}

function readRecord({ value, where, number }: Row): ProblemRecord {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    checkPlainProblem({ value, where }); // says that it is no object
  }
  const record = value as Record<string, unknown>;
  const format = formats.find((each) => each.recognizes(record));
  if (!format && isPairRecord(record)) {
    throw problemError(where, {
      reason: "the record is a pair of a problem and a wrong program, where a problem is needed",
      hint: "Name the problem set that the pairs were made of.",
    });
  }
  if (!format) {
    const found = Object.keys(record).slice(0, 8);
    throw problemError(where, {
      reason: `the record is of no known kind: its fields are ${found.map((name) => `'${name}'`).join(", ") || "none"}`,
      hint: `Known kinds are ${formats.map(({ name }) => name).join(", ")}; docs/problem-format.md describes them.`,
    });
  }
  const problem = format.toProblem(record, where);
  if (problem.style === "function") checkEntryPoint(problem, where);
  const unusedFields = Object.keys(record).filter((name) => !format.fields.includes(name));
  return { row: number, problem, format: format.name, unusedFields };
}

/** The tests of a `--tests` file: a list of what `goldTests` of this problem holds. */
export async function readTests(
  file: string,
  problem: Pick<Problem, "style" | "entryPoint">,
): Promise<TestCase[]> {
  return parseTestList(await readTextFile(file), file, problem);
}

export function parseTestList(
  text: string,
  file: string,
  problem: Pick<Problem, "style" | "entryPoint">,
): TestCase[] {
  return readRows(text, file).map(({ value, where }) => readTest(value, { ...problem, where }));
}
