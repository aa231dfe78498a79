/**
 * Reference answers on disk, by content: one append-only file per problem, one line per call. A file that was cut
 * off by a crash loses at most its last line, which is computed again. Only as many problems as fit are kept in
 * memory; the rest is read again when needed.
 */
import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { messageOf, SparringError } from "../errors.ts";

const problemsInMemory = 1024;

export interface AnswerCache {
  /** All answers known for a problem, as texts by call. */
  load(problemKey: string): Promise<ReadonlyMap<string, string>>;
  store(problemKey: string, answers: ReadonlyMap<string, string>): Promise<void>;
}

export class MemoryAnswerCache implements AnswerCache {
  readonly #problems = new Map<string, Map<string, string>>();

  async load(problemKey: string): Promise<ReadonlyMap<string, string>> {
    return this.#problems.get(problemKey) ?? new Map();
  }

  async store(problemKey: string, answers: ReadonlyMap<string, string>): Promise<void> {
    const known = this.#problems.get(problemKey) ?? new Map<string, string>();
    for (const [call, answer] of answers) known.set(call, answer);
    this.#problems.set(problemKey, known);
  }
}

export class FileAnswerCache implements AnswerCache {
  readonly #folder: string;
  readonly #problems = new Map<string, Promise<Map<string, string>>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  load(problemKey: string): Promise<Map<string, string>> {
    const known = this.#problems.get(problemKey) ?? this.#read(problemKey);
    // Most recently used last: the first key is the one to drop.
    this.#problems.delete(problemKey);
    this.#problems.set(problemKey, known);
    if (this.#problems.size > problemsInMemory) {
      this.#problems.delete(this.#problems.keys().next().value as string);
    }
    return known;
  }

  async store(problemKey: string, answers: ReadonlyMap<string, string>): Promise<void> {
    const known = await this.load(problemKey);
    const lines: string[] = [];
    for (const [call, answer] of answers) {
      known.set(call, answer);
      lines.push(JSON.stringify([call, answer]));
    }
    const file = this.#fileOf(problemKey);
    try {
      await mkdir(path.dirname(file), { recursive: true });
      // The line break comes first, so that a torn line before it cannot swallow this one.
      await appendFile(file, `\n${lines.join("\n")}\n`);
    } catch (error) {
      throw cacheError(file, error);
    }
  }

  #read(problemKey: string): Promise<Map<string, string>> {
    const answers = readAnswers(this.#fileOf(problemKey));
    // Whoever asks next may find the disk in better shape.
    answers.catch(() => this.#problems.delete(problemKey));
    return answers;
  }

  #fileOf(problemKey: string): string {
    const name = createHash("sha256").update(problemKey).digest("hex");
    return path.join(this.#folder, name.slice(0, 2), `${name.slice(2)}.jsonl`);
  }
}

async function readAnswers(file: string): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return answers;
    throw cacheError(file, error);
  }
  for (const line of text.split("\n")) {
    const entry = readLine(line);
    if (entry) answers.set(...entry);
  }
  return answers;
}

function readLine(line: string): [string, string] | undefined {
  if (line === "") return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    const whole =
      Array.isArray(entry) && entry.length === 2 && entry.every((part) => typeof part === "string");
    return whole ? (entry as [string, string]) : undefined;
  } catch {
    return undefined;
  }
}

function cacheError(file: string, cause: unknown): SparringError {
  return new SparringError({
    code: "answer-cache",
    message: `the stored reference answers cannot be used: ${messageOf(cause)}`,
    hint: `Look at ${path.dirname(file)} (room, permissions) or choose another folder.`,
    cause,
  });
}
