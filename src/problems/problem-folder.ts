/**
 * Problem sets that come as folders, as the rows that a file would hold: APPS with one folder for each problem
 * (question.txt, input_output.json, solutions.json, and starter_code.py and metadata.json where there are any), and
 * folders of JSON files with one record each, such as `31/A.json`.
 */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { SparringError } from "../errors.ts";
import { type Row, readRows } from "./json-rows.ts";
import { readTextFile } from "./read-text-file.ts";

/** The rows in the order of the names, at most `limit`. */
export async function readFolderRows(folder: string, limit = Number.POSITIVE_INFINITY): Promise<Row[]> {
  const files = (await readdir(folder, { recursive: true, encoding: "utf8" })).sort();
  const questions = files.filter((file) => path.basename(file) === "question.txt");
  const rows =
    questions.length > 0
      ? await appsRows(folder, questions.slice(0, limit), new Set(files))
      : await recordRows(folder, files.filter((file) => file.endsWith(".json")).slice(0, limit));
  if (rows.length > 0) return rows;
  throw new SparringError({
    code: "file-unreadable",
    message: `${folder} is a folder without problems`,
    hint: "A folder holds problems of APPS (0000/question.txt, …) or one JSON file for each problem.",
  });
}

async function appsRows(
  folder: string,
  questions: readonly string[],
  files: ReadonlySet<string>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [index, question] of questions.entries()) {
    const place = path.dirname(question);
    const read = async (name: string) => {
      const file = path.join(place, name);
      return files.has(file) ? readTextFile(path.join(folder, file)) : undefined;
    };
    const name = place === "." ? path.basename(path.resolve(folder)) : path.basename(place);
    const metadata = await read("metadata.json");
    rows.push({
      number: index + 1,
      where: path.join(folder, place),
      value: {
        ...(metadata === undefined ? {} : metadataOf(metadata)),
        problem_id: /^\d+$/.test(name) ? Number(name) : name,
        question: await readTextFile(path.join(folder, question)),
        solutions: (await read("solutions.json")) ?? "",
        input_output: (await read("input_output.json")) ?? "",
        starter_code: (await read("starter_code.py")) ?? "",
      },
    });
  }
  return rows;
}

/** Only says how hard the problem is and where it is from: a damaged one is no reason to lose the problem. */
function metadataOf(text: string): Record<string, unknown> {
  try {
    const { difficulty, url } = JSON.parse(text) as Record<string, unknown>;
    return { difficulty, url };
  } catch {
    return {};
  }
}

async function recordRows(folder: string, files: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const file of files) {
    const name = file.slice(0, -".json".length).split(path.sep).join("/");
    for (const row of readRows(await readTextFile(path.join(folder, file)), path.join(folder, file))) {
      rows.push({ ...row, number: rows.length + 1, value: withId(row.value, name) });
    }
  }
  return rows;
}

/** The name of the file says which problem it is, where the record does not. */
function withId(value: unknown, name: string): unknown {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return isRecord && !("problem_id" in value) && "train_in_outs" in value
    ? { ...value, problem_id: name }
    : value;
}
