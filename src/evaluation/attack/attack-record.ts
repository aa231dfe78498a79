/**
 * The record of an evaluation: kept in memory, and written line by line where it has a file. A file that is already
 * there is gone on with, so an evaluation that was stopped asks only for what is missing. A later line replaces an
 * earlier one about the same pair or program: replies that our infrastructure lost are asked for again.
 */
import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { SparringError } from "../../errors.ts";
import { cannotRead } from "../../problems/read-text-file.ts";
import { AppendLog } from "../../runs/append-log.ts";
import {
  type AskedFor,
  headerSchema,
  lineSchema,
  type RecordedPair,
  type RecordedProgram,
  type RecordHeader,
  type RecordLine,
  type SkippedPair,
} from "./record-format.ts";

export class AttackRecord {
  readonly header: RecordHeader;
  /** Whether the file that was read ends within a line, as a crash leaves it. */
  readonly torn: boolean;
  readonly #lines = new Map<string, ResultLine>();
  #asked: AskedFor | undefined;
  #log: AppendLog | undefined;

  private constructor(
    header: RecordHeader,
    {
      lines = [],
      torn = false,
      log,
    }: { lines?: readonly RecordLine[]; torn?: boolean; log?: AppendLog } = {},
  ) {
    this.header = header;
    this.torn = torn;
    this.#log = log;
    for (const line of lines) this.#keep(line);
  }

  static inMemory(header: RecordHeader): AttackRecord {
    return new AttackRecord(header);
  }

  /** A finished or unfinished record, to compute figures from. */
  static read(file: string): AttackRecord {
    const { header, ...content } = readFile(file);
    return new AttackRecord(header, content);
  }

  /** Begins a record, or goes on with one that was made in the same way. */
  static open(file: string, header: RecordHeader): AttackRecord {
    if (!existsSync(file) || readBytes(file).length === 0) {
      const log = new AppendLog(file, 0);
      log.append(header);
      return new AttackRecord(header, { log });
    }
    const { header: before, lines, bytes } = readFile(file);
    refuseOther(file, { before, now: headerSchema.parse(header) });
    return new AttackRecord(before, { lines, log: new AppendLog(file, bytes) });
  }

  get pairs(): RecordedPair[] {
    return [...this.#lines.values()].filter((line) => line.kind === "pair");
  }

  get correctPrograms(): RecordedProgram[] {
    return [...this.#lines.values()].filter((line) => line.kind === "correct-program");
  }

  get skipped(): SkippedPair[] {
    return [...this.#lines.values()].filter((line) => line.kind === "skipped");
  }

  /** Records of earlier versions do not tell. */
  get asked(): AskedFor | undefined {
    return this.#asked;
  }

  /** A pair of this id, used or not. */
  pair(id: string): RecordedPair | SkippedPair | undefined {
    const line = this.#lines.get(`pair ${id}`);
    return line?.kind === "correct-program" ? undefined : line;
  }

  correctProgram(key: string): RecordedProgram | undefined {
    const line = this.#lines.get(`program ${key}`);
    return line?.kind === "correct-program" ? line : undefined;
  }

  /** To be said before the work. What was asked for once stays so: a later go may be about the first pairs only. */
  ask({ pairs, correctPrograms = 0, refused }: Omit<AskedFor, "kind">): void {
    const before = this.#asked;
    const programs = Math.max(correctPrograms, before?.correctPrograms ?? 0);
    const asked: AskedFor = {
      kind: "asked",
      pairs: Math.max(pairs, before?.pairs ?? 0),
      ...(programs > 0 && { correctPrograms: programs }),
      refused: before && before.pairs > pairs ? before.refused : [...refused],
    };
    if (JSON.stringify(asked) !== JSON.stringify(before)) this.add(asked);
  }

  add(line: RecordLine): void {
    this.#log?.append(line);
    this.#keep(line);
  }

  #keep(line: RecordLine): void {
    if (line.kind === "asked") this.#asked = line;
    else this.#lines.set(nameOf(line), line);
  }

  /** What is added from now on stays in memory: verdicts may still come in after an interruption. */
  close(): void {
    this.#log?.close();
    this.#log = undefined;
  }
}

type ResultLine = Exclude<RecordLine, AskedFor>;

function nameOf(line: ResultLine): string {
  return line.kind === "correct-program" ? `program ${line.key}` : `pair ${line.id}`;
}

interface RecordFile {
  readonly header: RecordHeader;
  readonly lines: readonly RecordLine[];
  /** Of whole lines. */
  readonly bytes: number;
  readonly torn: boolean;
}

function readFile(file: string): RecordFile {
  const content = readBytes(file);
  // A line without an end was cut off by a crash.
  const bytes = content.lastIndexOf("\n") + 1;
  const [first = "", ...others] = content.subarray(0, bytes).toString("utf8").split("\n").slice(0, -1);
  const header = parseLine(first, headerSchema);
  if (!header) {
    throw new SparringError({
      code: "record-invalid",
      message: `${file} is not the record of an attack evaluation`,
      hint: "Name a file that `spar eval attack --out` has written, or one that does not exist yet.",
    });
  }
  const lines = others.map((text, index) => {
    const line = parseLine(text, lineSchema);
    if (line) return line;
    throw new SparringError({
      code: "record-invalid",
      message: `${file}, line ${index + 2}: not a line of an attack evaluation's record`,
      hint: "The file was changed from outside. Remove this line to lose only what it says.",
    });
  });
  return { header, lines, bytes, torn: bytes < content.length };
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw cannotRead(file, error);
  }
}

function parseLine<Line>(text: string, schema: z.ZodType<Line>): Line | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  }
}

function refuseOther(file: string, { before, now }: { before: RecordHeader; now: RecordHeader }): void {
  const fields = Object.keys({ ...before, ...now }) as (keyof RecordHeader)[];
  const changed = fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(now[field]));
  if (changed.length === 0) return;
  const [field] = changed as [keyof RecordHeader];
  throw new SparringError({
    code: "record-other",
    message: `${file} holds another evaluation: its ${changed.join(", ")} ${changed.length > 1 ? "are" : "is"} different (${field} was ${JSON.stringify(before[field])}, is now ${JSON.stringify(now[field])})`,
    hint: "Use another --out, or the same settings to go on with this one.",
  });
}
