/**
 * `spar tests generate`: suites for problems that nobody wrote tests for, made by two models. The file is what
 * `spar serve sandbox --suites` rewards programs by.
 */
import { createHash } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { type Command, Option } from "commander";
import { SparringError } from "../errors.ts";
import type { PooledTest } from "../evaluation/best-of-n/pool-tests.ts";
import { checkSuite, type SuiteCheck } from "../evaluation/check-suite.ts";
import { generateSuite } from "../evaluation/generated-suite.ts";
import { suiteLine } from "../evaluation/suite-file.ts";
import { inLanes } from "../in-lanes.ts";
import { MemoryAnswerCache } from "../judge/answer-cache.ts";
import { ReferenceAnswers } from "../judge/reference-answers.ts";
import { arenaProblems } from "../problems/arena/arena.ts";
import { decodeCase, type EncodedCase, encodeCase } from "../problems/case-codec.ts";
import { plainRecord } from "../problems/plain-problem.ts";
import type { Problem } from "../problems/problem.ts";
import { readProblems } from "../problems/read-problem.ts";
import { refuseToOverwrite } from "../problems/write-problems.ts";
import { KeyedJournal } from "../runs/keyed-journal.ts";
import { writeWhole } from "../runs/write-whole.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import { counted } from "./counted.ts";
import { warnOfDamage } from "./damaged-lines.ts";
import { withInterruption } from "./interruption.ts";
import { settleKeptWork } from "./kept-work.ts";
import { addModelOptions, type ModelFlags, shelfOf } from "./model-options.ts";
import { type OpenedWriter, openWriter } from "./open-writer.ts";
import { printJson, printProgress, printResult } from "./output.ts";
import { lockOutput } from "./output-lock.ts";
import { type Attempt, type RefusedProblem, unlessRefused } from "./refused-problems.ts";
import { addSandboxOptions, openSandbox, type SandboxFlags, wholeNumber } from "./sandbox-options.ts";
import { recordLimit } from "./shown-text.ts";
import { noTestText, type SuiteCounts, suitesText } from "./tests-generate-view.ts";
import { unwritable } from "./unwritable.ts";

interface GenerateFlags extends ModelFlags, SandboxFlags {
  readonly problems: string;
  readonly split: "train" | "held-out";
  readonly limit?: number;
  readonly codeModel: string;
  readonly testModel: string;
  readonly programs: number;
  readonly testsPerProgram: number;
  readonly most: number;
  readonly seed: number;
  readonly out: string;
  readonly force?: true;
  readonly check?: true;
  readonly json?: true;
}

/** Problems at the same time: enough that no model waits for another. */
const atOnce = 8;

/** A suite as the journal keeps it. */
interface StoredSuite {
  readonly tests: readonly { readonly case: EncodedCase; readonly votes: number; readonly asked: number }[];
  readonly replies: number;
  readonly unreadable: number;
}

export function addGenerateCommand(tests: Command): void {
  const command = tests
    .command("generate")
    .description("write suites with two models: one writes programs, the other tests them, answers by vote")
    .requiredOption("--problems <file>", "a problem set, or arena")
    .addOption(
      new Option("--split <part>", "which problems of the arena")
        .choices(["train", "held-out"])
        .default("train"),
    )
    .option("--limit <n>", "the first n problems only", recordLimit)
    .option("--programs <n>", "programs for each problem", wholeNumber, 4)
    .option("--tests-per-program <n>", "tests for each distinct program", wholeNumber, 8)
    .option("--most <n>", "tests kept for each problem, those with most votes first", wholeNumber, 12)
    .option("--seed <n>", "decides what models sample", wholeNumber, 1)
    .requiredOption("--out <file>", "the suites, one problem a line")
    .option("--force", "overwrite the file of --out")
    .option("--check", "also ask the references how many answers are right; changes nothing in the file")
    .option("--json", "print the counts as JSON");
  addModelOptions(command, {
    models: [
      { flag: "code-model", role: "code" },
      { flag: "test-model", role: "test" },
    ],
    temperature: 0.8,
  });
  addSandboxOptions(command)
    .addHelpText(
      "after",
      "\nExample:\n  $ spar tests generate --problems arena --limit 50 --code-model arena --test-model arena --out suites.jsonl",
    )
    .action(generate);
}

async function generate(flags: GenerateFlags): Promise<void> {
  const lock = lockOutput(flags.out);
  try {
    await generateInto(flags);
  } finally {
    lock.release();
  }
}

async function generateInto(flags: GenerateFlags): Promise<void> {
  if (!flags.force) await refuseToOverwrite(flags.out);
  const asked =
    flags.problems === "arena"
      ? arenaProblems({ split: flags.split, ...(flags.limit !== undefined && { limit: flags.limit }) })
      : await readProblems(flags.problems, flags.limit === undefined ? {} : { limit: flags.limit });
  const journalFile = `${flags.out}.journal`;
  await withInterruption(async (signal) => {
    const attempts = await generateAll({ flags, problems: asked, journalFile, signal });
    const refused = attempts.flatMap((attempt) => (attempt.ok ? [] : [attempt.refused]));
    const problems = asked.filter((_, index) => attempts[index]!.ok);
    const suites = attempts.flatMap((attempt) => (attempt.ok ? [attempt.result] : []));
    if (suites.length === 0 && refused.length > 0) throw nothingToWrite(flags, refused);
    const counts: SuiteCounts = {
      problems: problems.length,
      refused,
      withoutTests: suites.filter(({ tests }) => tests.length === 0).length,
      tests: sum(suites, ({ tests }) => tests.length),
      replies: sum(suites, ({ replies }) => replies),
      unreadable: sum(suites, ({ unreadable }) => unreadable),
    };
    const isOfUse = counts.tests > 0;
    if (isOfUse) {
      writeWhole(
        flags.out,
        problems.map((problem, index) => `${suiteLine(problem, testsOf(suites[index]!))}\n`).join(""),
      );
    }
    settleKeptWork(journalFile, { missing: refused.length, isWritten: isOfUse });
    const checked = flags.check && isOfUse ? await checkAll({ flags, problems, suites, signal }) : undefined;
    const out = isOfUse ? flags.out : null;
    if (flags.json) printJson({ ...counts, out, ...(checked && { checked }) });
    else if (isOfUse) printResult(suitesText(counts, checked));
    if (isOfUse) return;
    printProgress(noTestText(counts));
    process.exitCode = 1;
  });
}

async function generateAll(options: {
  flags: GenerateFlags;
  problems: readonly Problem[];
  journalFile: string;
  signal: AbortSignal;
}): Promise<Attempt<StoredSuite>[]> {
  const { flags, problems, journalFile, signal } = options;
  const shelf = shelfOf(flags);
  try {
    const journal = openJournal(journalFile);
    warnOfDamage(journalFile, journal);
    try {
      const writers = { flags, problems, shelf, journal, signal };
      const coder = await openWriter(writers, flags.codeModel, "code");
      const tester = await openWriter(writers, flags.testModel, "test");
      let told = performance.now();
      let done = 0;
      return await inLanes(problems, {
        atOnce,
        run: async (problem) => {
          const suite = await unlessRefused(problem, () => suiteFor(problem, { flags, coder, tester }));
          done += 1;
          if (performance.now() - told > 2_000 || done === problems.length) {
            told = performance.now();
            printProgress(`${done} of ${counted(problems.length, "problem")} done`);
          }
          return suite;
        },
      });
    } finally {
      journal.close();
      // A command that failed before it had anything leaves nothing behind.
      if (statSync(journalFile, { throwIfNoEntry: false })?.size === 0) rmSync(journalFile);
    }
  } finally {
    await shelf.close();
  }
}

async function suiteFor(
  problem: Problem,
  { flags, coder, tester }: { flags: GenerateFlags; coder: OpenedWriter; tester: OpenedWriter },
): Promise<StoredSuite> {
  const { programs, testsPerProgram, most, seed } = flags;
  const { journal, signal } = coder;
  const settings = [coder, tester].map(({ identity, writer }) => [identity, writer.sampling]);
  const content = [settings, seed, programs, testsPerProgram, most, plainRecord(problem)];
  const key = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  const before = journal.get(key) as StoredSuite | undefined;
  if (before) return before;
  const suite = await generateSuite({
    coder: coder.writer,
    tester: tester.writer,
    problem,
    seed,
    programs,
    testsPerProgram,
    most,
    ...(signal && { signal }),
  });
  const stored: StoredSuite = {
    tests: suite.tests.map(({ testCase, votes, asked }) => ({ case: encodeCase(testCase), votes, asked })),
    replies: suite.replies,
    unreadable: suite.unreadable.length,
  };
  // A sample that is lost ends the call, so a suite is made of all that was asked for.
  journal.set(key, stored);
  return stored;
}

function testsOf({ tests }: StoredSuite): PooledTest[] {
  return tests.map(({ case: encoded, votes, asked }) => ({ testCase: decodeCase(encoded)!, votes, asked }));
}

async function checkAll(options: {
  flags: GenerateFlags;
  problems: readonly Problem[];
  suites: readonly StoredSuite[];
  signal: AbortSignal;
}): Promise<SuiteCheck> {
  const { flags, problems, suites, signal } = options;
  const sandbox = await openSandbox(flags);
  try {
    const answers = new ReferenceAnswers({ sandbox, cache: new MemoryAnswerCache(), limits: defaultLimits });
    const checks = await inLanes(problems, {
      atOnce,
      run: (problem, index) => {
        signal.throwIfAborted();
        const cases = testsOf(suites[index]!).map(({ testCase }) => testCase);
        return checkSuite(problem, cases, answers);
      },
    });
    return {
      right: sum(checks, ({ right }) => right),
      wrong: sum(checks, ({ wrong }) => wrong),
      unanswered: sum(checks, ({ unanswered }) => unanswered),
      lost: sum(checks, ({ lost }) => lost),
    };
  } finally {
    await sandbox.close();
  }
}

function nothingToWrite({ out }: GenerateFlags, refused: readonly RefusedProblem[]): SparringError {
  return new SparringError({
    code: "no-suites",
    message: `${out} is not written: no problem has a prompt that the models take`,
    ...(refused[0] && { hint: `For example '${refused[0].problem}': ${refused[0].reason}` }),
  });
}

function sum<Item>(items: readonly Item[], read: (item: Item) => number): number {
  return items.reduce((total, item) => total + read(item), 0);
}

function openJournal(file: string): KeyedJournal<unknown> {
  try {
    return new KeyedJournal<unknown>(file);
  } catch (error) {
    throw unwritable(file, error);
  }
}
