/**
 * `spar data bugs`: pairs of problems and wrong programs out of a problem set, for ATGEN. What is finished is kept
 * beside the output until all is done, so that the same command goes on where it was interrupted.
 */
import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import { rmSync, statSync } from "node:fs";
import path from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { summarizeBugs } from "../adversaries/bug-summary.ts";
import { type BugHunt, findBugs, type ProblemBugs, pairsOf } from "../adversaries/find-bugs.ts";
import { MemoryAnswerCache } from "../judge/answer-cache.ts";
import { ReferenceAnswers } from "../judge/reference-answers.ts";
import { arenaProblems } from "../problems/arena/arena.ts";
import { hashText } from "../problems/arena/random.ts";
import type { AttackPair } from "../problems/attack-pair.ts";
import { plainRecord } from "../problems/plain-problem.ts";
import type { Problem } from "../problems/problem.ts";
import { defaultMaximumInputBytes } from "../problems/read-pairs.ts";
import { readProblemSet } from "../problems/read-problem.ts";
import { splitByProblem } from "../problems/split-pairs.ts";
import { writePairs } from "../problems/write-pairs.ts";
import { refuseToOverwrite } from "../problems/write-problems.ts";
import { KeyedJournal } from "../runs/keyed-journal.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import {
  type BugSource,
  type BugSourceFlags,
  bugSources,
  checkBugSource,
  openBugSource,
} from "./bug-sources.ts";
import { type BugReport, type BugRow, bugReportText } from "./bug-view.ts";
import { withInterruption } from "./interruption.ts";
import { addModelOptions, shelfOf } from "./model-options.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import {
  addSandboxOptions,
  openSandbox,
  positiveNumber,
  type SandboxFlags,
  wholeNumber,
} from "./sandbox-options.ts";
import { recordLimit, visible } from "./shown-text.ts";

interface BugFlags extends SandboxFlags, BugSourceFlags {
  readonly problems: string;
  readonly limit?: number;
  readonly out: string;
  readonly heldOutShare?: number;
  readonly maxPerProblem: number;
  readonly tries: number;
  readonly maxFailing: number;
  readonly maxInput: number;
  readonly keepSeveralAnswers?: true;
  readonly cpu: number;
  readonly force?: true;
  readonly json?: true;
}

export function addBugsCommand(data: Command): void {
  const command = data
    .command("bugs")
    .description("make pairs of problems and wrong programs, for ATGEN, out of a problem set")
    .option("--problems <file>", "a problem set with gold tests, or arena", "arena")
    .option("--limit <n>", "the first n problems only", recordLimit)
    .requiredOption("--out <file>", "the pairs to write: jsonl, or parquet where the name ends in .parquet")
    .addOption(
      new Option("--from <source>", "where wrong programs come from")
        .choices([...bugSources])
        .default("mutants"),
    )
    .option("--recorded <file>", "programs for --from recorded, one JSON object per line: problem, code")
    .option("--tries <n>", "programs to look at for each problem", wholeNumber, 30)
    .option("--max-per-problem <n>", "wrong programs to keep for each problem", wholeNumber, 6)
    .option(
      "--max-failing <share>",
      "leave out programs that fail more than this share of the tests",
      share,
      1,
    )
    .option(
      "--held-out-share <share>",
      "put this share of the problems into a second file (….held-out.…)",
      share,
    )
    .option(
      "--max-input <bytes>",
      "leave out gold tests with a longer input",
      recordLimit,
      defaultMaximumInputBytes,
    )
    .option("--keep-several-answers", "keep problems whose question allows several answers")
    .option("--seed <n>", "decides what is drawn and which problems are held out", seedNumber, 1)
    .option("--cpu <seconds>", "CPU seconds for each test", positiveNumber, defaultLimits.caseCpuSeconds)
    .option("--force", "overwrite the files")
    .option("--json", "print the report as JSON");
  addModelOptions(command, { models: [{ flag: "model", role: "code", default: "arena" }], temperature: 0.7 });
  addSandboxOptions(command)
    .addHelpText(
      "after",
      "\nExamples:\n  $ spar data bugs --problems arena --limit 100 --out pairs.jsonl\n" +
        "  $ spar data bugs --problems APPS/test --held-out-share 0.1 --out pairs.parquet\n" +
        "  $ spar data bugs --problems problems.jsonl --from model --model openai:gpt-4o-mini --out pairs.jsonl",
    )
    .action(bugs);
}

async function bugs(flags: BugFlags): Promise<void> {
  checkBugSource(flags);
  const files = { all: flags.out, heldOut: heldOutFile(flags.out) };
  if (!flags.force) {
    await refuseToOverwrite(files.all);
    if (flags.heldOutShare !== undefined) await refuseToOverwrite(files.heldOut);
  }
  const { rows, refused } = await readRowsOf(flags);
  await withInterruption(async (signal) => {
    setMaxListeners(0, signal); // every program that runs listens to it
    const { found, source, usage } = await search(flags, rows, signal);
    const pairs = rows.flatMap(({ problem }, index) => pairsOf(problem, found[index]!, rulesOf(flags)));
    const written = pairs.length > 0 ? await write(flags, files, pairs) : [];
    rmSync(journalFile(flags), { force: true });
    const { problems: problemCounts, ...summary } = summarizeBugs(found);
    const report: BugReport = {
      problems: flags.problems,
      source,
      problemCounts,
      ...summary,
      ...(usage && { usage }),
      files: written,
      refused,
      leftOut: rows.flatMap(({ row, problem }, index): BugRow[] => {
        const fault = found[index]!.fault;
        return fault ? [{ row, id: problem.id, fault: fault.kind, reason: fault.reason }] : [];
      }),
    };
    if (flags.json) printJson(report);
    else printResult(bugReportText(report));
    if (pairs.length === 0) process.exitCode = 1;
  });
}

interface ProblemRow {
  readonly row: number;
  readonly problem: Problem;
}

async function readRowsOf({ problems: file, limit }: BugFlags): Promise<{
  rows: readonly ProblemRow[];
  refused: BugReport["refused"];
}> {
  const options = limit === undefined ? {} : { limit };
  if (file === "arena") {
    const problems = arenaProblems({ split: "train", ...options });
    return { rows: problems.map((problem, index) => ({ row: index + 1, problem })), refused: [] };
  }
  const { records, refused } = await readProblemSet(file, options);
  if (records.length === 0 && refused[0]) throw refused[0].error;
  return { rows: records, refused: refused.map(({ row, error }) => ({ row, reason: error.message })) };
}

function rulesOf({ keepSeveralAnswers, maxInput }: BugFlags) {
  const severalAnswers = keepSeveralAnswers ? ("kept" as const) : ("left-out" as const);
  return { severalAnswers, maximumInputBytes: maxInput };
}

async function search(
  flags: BugFlags,
  rows: readonly ProblemRow[],
  signal: AbortSignal,
): Promise<{ found: ProblemBugs[]; source: string; usage: BugReport["usage"] }> {
  const shelf = shelfOf(flags);
  try {
    const problems = rows.map(({ problem }) => problem);
    const source = await openBugSource(flags, { problems, shelf });
    for (const { where, reason } of source.leftOut) printProgress(`left out ${where}: ${visible(reason)}`);
    const sandbox = await openSandbox(flags);
    const journal = new KeyedJournal<ProblemBugs>(journalFile(flags));
    try {
      const found = await huntAll({ flags, problems, source, sandbox, journal, signal });
      return { found, source: source.description, usage: source.usage?.() };
    } finally {
      journal.close();
      await sandbox.close();
      const hasSome = statSync(journalFile(flags)).size > 0;
      if (!hasSome) rmSync(journalFile(flags));
      else if (signal.aborted) printProgress("what was done is kept: the same command goes on from there");
    }
  } finally {
    await shelf.close();
  }
}

interface Hunt {
  readonly flags: BugFlags;
  readonly problems: readonly Problem[];
  readonly source: BugSource;
  readonly sandbox: Sandbox;
  readonly journal: KeyedJournal<ProblemBugs>;
  readonly signal: AbortSignal;
}

async function huntAll({ flags, problems, source, sandbox, journal, signal }: Hunt): Promise<ProblemBugs[]> {
  const limits = { ...defaultLimits, caseCpuSeconds: flags.cpu };
  const stoppable = withSignal(sandbox, signal);
  const answers = new ReferenceAnswers({ sandbox: stoppable, cache: new MemoryAnswerCache(), limits });
  const settings: Omit<BugHunt, "seed"> = {
    ...rulesOf(flags),
    court: { sandbox: stoppable, answers, limits },
    adversary: source.adversary,
    tries: flags.tries,
    most: flags.maxPerProblem,
    largestFailingShare: flags.maxFailing,
    signal,
  };
  const { kind, python, workers } = sandbox.describe();
  printProgress(`problems: ${problems.length}; programs: ${source.description}; sandbox: ${kind}`);
  const tell = progressTeller(problems.length);
  const found: ProblemBugs[] = new Array(problems.length);
  let next = 0;
  const lane = async () => {
    while (next < problems.length) {
      signal.throwIfAborted();
      const index = next++;
      const problem = problems[index]!;
      const key = keyOf([plainRecord(problem), source.identity(problem), keptSettings(flags), kind, python]);
      const known = journal.get(key);
      const bugs =
        known ?? (await findBugs(problem, { ...settings, seed: hashText(`${flags.seed}/${problem.id}`) }));
      if (!known && bugs.fault?.kind !== "masked") journal.set(key, bugs);
      found[index] = bugs;
      tell(bugs);
    }
  };
  await Promise.all(Array.from({ length: source.atOnce ?? 2 * workers }, lane));
  return found;
}

function keptSettings({
  tries,
  maxPerProblem,
  maxFailing,
  maxInput,
  keepSeveralAnswers,
  seed,
  cpu,
}: BugFlags) {
  return { tries, maxPerProblem, maxFailing, maxInput, keepSeveralAnswers, seed, cpu };
}

function keyOf(parts: unknown): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** A sandbox whose every job ends with the signal. */
function withSignal(sandbox: Sandbox, signal: AbortSignal): Sandbox {
  return {
    describe: () => sandbox.describe(),
    run: (job, options) => sandbox.run(job, { ...options, signal }),
    close: () => sandbox.close(),
  };
}

const quietMilliseconds = 2_000;

function progressTeller(total: number): (finished: ProblemBugs) => void {
  let told = performance.now();
  let [done, pairs] = [0, 0];
  return ({ bugs }) => {
    done += 1;
    pairs += bugs.length;
    if (performance.now() - told < quietMilliseconds) return;
    told = performance.now();
    printProgress(`${done} of ${total} problems, ${pairs} pairs`);
  };
}

async function write(
  { heldOutShare, seed }: BugFlags,
  files: { readonly all: string; readonly heldOut: string },
  pairs: readonly AttackPair[],
): Promise<BugReport["files"]> {
  const split =
    heldOutShare === undefined
      ? { training: pairs, heldOut: undefined }
      : splitByProblem(pairs, { share: heldOutShare, seed });
  const written: { file: string; pairs: number; problems: number }[] = [];
  for (const [file, side] of [
    [files.all, split.training],
    [files.heldOut, split.heldOut],
  ] as const) {
    if (!side) continue;
    if (side.length === 0) {
      printProgress(
        `no problem fell to ${file}, which is not written; try another --seed or --held-out-share`,
      );
      continue;
    }
    await writePairs(file, side);
    written.push({ file, pairs: side.length, problems: new Set(side.map(({ problem }) => problem)).size });
  }
  return written;
}

function heldOutFile(out: string): string {
  const extension = path.extname(out);
  return `${out.slice(0, out.length - extension.length)}.held-out${extension}`;
}

function journalFile({ out }: BugFlags): string {
  return `${out}.unfinished`;
}

function share(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError("It must be above 0 and at most 1.");
  return value;
}

function seedNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isSafeInteger(value) || value < 0) {
    throw new InvalidArgumentError("It must be a whole number from 0 on.");
  }
  return value;
}
