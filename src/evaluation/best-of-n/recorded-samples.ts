/**
 * Programs and tests that somebody recorded, one JSON object per line:
 *
 *   {"problem": "add", "code": "def add(a, b): …"}            or "task_id"; "solution" or "completion"
 *   {"problem": "add", "tests": ["assert add(1, 2) == 3"], "candidate": 0}
 *
 * `completion` goes on where the prompt of a HumanEval problem ends, unless it defines the function itself; elsewhere
 * it is a whole program. `candidate` counts the lines of a problem in the file of programs, from 0; tests without it
 * are tests of the problem at large. A line that cannot be used is left out and named; a file of which nothing can be
 * used is refused.
 */
import { SparringError } from "../../errors.ts";
import { type Row, readRows } from "../../problems/json-rows.ts";
import { readTest } from "../../problems/plain-problem.ts";
import type { Problem } from "../../problems/problem.ts";
import { readTextFile } from "../../problems/read-text-file.ts";
import { extractCode } from "../../prompts/extract-code.ts";
import type { WrittenTest } from "./examine-problem.ts";

/** Something in a file that was left out, with its place and the reason. */
export interface LeftOut {
  readonly where: string;
  readonly reason: string;
  /** Of a line about a problem that is not among those asked for. */
  readonly isOther?: true;
}

export interface RecordedCandidate {
  readonly source: string;
  /** Its place among the lines of its problem, those left out included. */
  readonly line: number;
}

export interface RecordedCandidates {
  readonly byProblem: ReadonlyMap<string, readonly RecordedCandidate[]>;
  readonly leftOut: readonly LeftOut[];
}

export interface RecordedTests {
  /** Here `candidate` is still the line of the program. */
  readonly byProblem: ReadonlyMap<string, readonly WrittenTest[]>;
  readonly leftOut: readonly LeftOut[];
}

type ProblemsById = ReadonlyMap<string, Problem>;

export async function readCandidates(file: string, problems: ProblemsById): Promise<RecordedCandidates> {
  const byProblem = new Map<string, RecordedCandidate[]>();
  const lines = new Map<string, number>();
  const leftOut: LeftOut[] = [];
  for (const row of readRows(await readTextFile(file), file)) {
    try {
      const { problem, record } = problemOf(row, problems);
      const line = lines.get(problem.id) ?? 0;
      lines.set(problem.id, line + 1);
      const source = sourceOf(record, problem);
      push(byProblem, problem.id, { source, line });
    } catch (error) {
      leftOut.push(leftOutBy(error, row));
    }
  }
  if (byProblem.size === 0) throw nothingUsable(file, "program", leftOut);
  return { byProblem, leftOut };
}

export async function readWrittenTests(file: string, problems: ProblemsById): Promise<RecordedTests> {
  const byProblem = new Map<string, WrittenTest[]>();
  const leftOut: LeftOut[] = [];
  for (const row of readRows(await readTextFile(file), file)) {
    try {
      const { problem, record } = problemOf(row, problems);
      const candidate = candidateOf(record);
      if (!Array.isArray(record.tests)) throw new Unusable("the field 'tests' must be a list");
      for (const [index, test] of record.tests.entries()) {
        const where = `${row.where}, tests[${index}]`;
        try {
          push(byProblem, problem.id, { candidate, testCase: readTest(test, { ...problem, where }) });
        } catch (error) {
          leftOut.push(leftOutBy(error, { where }));
        }
      }
    } catch (error) {
      leftOut.push(leftOutBy(error, row));
    }
  }
  if (byProblem.size === 0) throw nothingUsable(file, "test", leftOut);
  return { byProblem, leftOut };
}

/** Tests with the index of their candidate instead of its line; those of a line that was left out go with it. */
export function ownedBy(
  candidates: readonly RecordedCandidate[],
  tests: readonly WrittenTest[],
): { tests: WrittenTest[]; orphans: number } {
  const indexOf = new Map(candidates.map(({ line }, index) => [line, index]));
  const owned = tests.flatMap(({ candidate, testCase }): WrittenTest[] => {
    if (candidate === null) return [{ candidate, testCase }];
    const index = indexOf.get(candidate);
    return index === undefined ? [] : [{ candidate: index, testCase }];
  });
  return { tests: owned, orphans: tests.length - owned.length };
}

/** A line's own fault. */
class Unusable extends Error {}
class OtherProblem extends Unusable {}

type JsonRecord = Readonly<Record<string, unknown>>;

function problemOf({ value }: Row, problems: ProblemsById): { problem: Problem; record: JsonRecord } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Unusable("a line must be a JSON object");
  }
  const record = value as JsonRecord;
  const id = record.problem ?? record.task_id;
  if (typeof id !== "string" && typeof id !== "number") {
    throw new Unusable("the field 'problem' (or 'task_id') is missing");
  }
  const problem = problems.get(String(id));
  if (!problem) throw new OtherProblem(`no problem of the set has the id '${String(id).slice(0, 100)}'`);
  return { problem, record };
}

function sourceOf(record: JsonRecord, problem: Problem): string {
  for (const field of ["code", "solution"]) {
    const source = record[field];
    if (typeof source === "string") return source;
    if (source !== undefined) throw new Unusable(`the field '${field}' must be a text`);
  }
  const { completion } = record;
  if (typeof completion !== "string") {
    throw new Unusable("the program is missing: a text in 'code', 'solution' or 'completion'");
  }
  return problem.metadata.source === "humaneval" ? continued(problem, completion) : completion;
}

function continued({ question, entryPoint }: Problem, completion: string): string {
  const whole = extractCode(completion, { entryPoint });
  if (whole.ok && whole.rule === "entry-point") return whole.code;
  const definesItself = new RegExp(`^def\\s+${entryPoint}\\b`, "m").test(completion);
  return definesItself ? completion : `${question}${completion}`;
}

function candidateOf({ candidate }: JsonRecord): number | null {
  if (candidate === undefined || candidate === null) return null;
  if (typeof candidate === "number" && Number.isInteger(candidate) && candidate >= 0) return candidate;
  throw new Unusable("the field 'candidate' must be a whole number from 0 on");
}

function push<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

function leftOutBy(error: unknown, { where }: Pick<Row, "where">): LeftOut {
  if (error instanceof OtherProblem) return { where, reason: error.message, isOther: true };
  if (error instanceof Unusable) return { where, reason: error.message };
  // The message of a test's own error begins with its place.
  if (error instanceof SparringError) return { where, reason: error.message.replace(`${where}: `, "") };
  throw error;
}

function nothingUsable(file: string, what: string, leftOut: readonly LeftOut[]): SparringError {
  const [first] = leftOut;
  return new SparringError({
    code: "samples-unusable",
    message: `${file} holds no ${what} that can be used${first ? `; ${first.where}: ${first.reason}` : ""}`,
    hint: "docs/best-of-n.md shows what the lines look like.",
  });
}
