/** `spar data bugs`: pairs of problems and wrong programs out of a problem set, for ATGEN. */

import { setMaxListeners } from "node:events";
import path from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { summarizeBugs } from "../adversaries/bug-summary.ts";
import { pairsOf } from "../adversaries/find-bugs.ts";
import { arenaProblems } from "../problems/arena/arena.ts";
import type { AttackPair } from "../problems/attack-pair.ts";
import type { Problem } from "../problems/problem.ts";
import { defaultMaximumInputBytes } from "../problems/read-pairs.ts";
import { readProblemSet } from "../problems/read-problem.ts";
import { splitByProblem } from "../problems/split-pairs.ts";
import { writePairs } from "../problems/write-pairs.ts";
import { refuseToOverwrite } from "../problems/write-problems.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import { type HuntFlags, mayPass, rulesOf, searchBugs, unfinishedFile } from "./bug-hunt.ts";
import { bugSources, checkBugSource } from "./bug-sources.ts";
import { type BugReport, type BugRow, bugReportText } from "./bug-view.ts";
import { withInterruption } from "./interruption.ts";
import { settleKeptWork } from "./kept-work.ts";
import { addModelOptions } from "./model-options.ts";
import { numberFromZero } from "./number-from-zero.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import { lockOutput } from "./output-lock.ts";
import { addSandboxOptions, positiveNumber, wholeNumber } from "./sandbox-options.ts";
import { recordLimit } from "./shown-text.ts";

interface BugFlags extends HuntFlags {
  readonly problems: string;
  readonly limit?: number;
  readonly heldOutShare?: number;
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
    .option("--seed <n>", "decides what is drawn and which problems are held out", numberFromZero, 1)
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
  const lock = lockOutput(flags.out);
  try {
    await bugsInto(flags);
  } finally {
    lock.release();
  }
}

async function bugsInto(flags: BugFlags): Promise<void> {
  const files = { all: flags.out, heldOut: heldOutFile(flags.out) };
  if (!flags.force) {
    await refuseToOverwrite(files.all);
    if (flags.heldOutShare !== undefined) await refuseToOverwrite(files.heldOut);
  }
  const { rows, refused } = await readRowsOf(flags);
  if (flags.maxInput > defaultMaximumInputBytes) {
    printProgress(
      `warning: pairs with a gold test whose input is longer than ${defaultMaximumInputBytes} bytes cannot be read by the other commands`,
    );
  }
  await withInterruption(async (signal) => {
    setMaxListeners(0, signal); // every program that runs listens to it
    const {
      found,
      source,
      leftOut: leftOutPrograms,
      usage,
    } = await searchBugs(
      flags,
      rows.map(({ problem }) => problem),
      signal,
    );
    const pairs = rows.flatMap(({ problem }, index) => pairsOf(problem, found[index]!, rulesOf(flags)));
    const written = pairs.length > 0 ? await write(flags, files, pairs) : [];
    const missing = found.filter(mayPass).length;
    settleKeptWork(unfinishedFile(flags), { missing, isWritten: written.length > 0 });
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
      leftOutPrograms,
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

function share(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError("It must be above 0 and at most 1.");
  return value;
}
