/**
 * The work of `spar data bugs`: every problem is searched for wrong programs, several at the same time. What is
 * finished is kept beside the output until all is done, so that the same command goes on where it was interrupted.
 */
import { createHash } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { type BugHunt, findBugs, type ProblemBugs } from "../adversaries/find-bugs.ts";
import type { GoldRules } from "../adversaries/usable-gold.ts";
import type { EndpointUsage } from "../engine/openai/openai-engine.ts";
import type { LeftOut } from "../evaluation/best-of-n/recorded-samples.ts";
import { MemoryAnswerCache } from "../judge/answer-cache.ts";
import { ReferenceAnswers } from "../judge/reference-answers.ts";
import { hashText } from "../problems/arena/random.ts";
import { plainRecord } from "../problems/plain-problem.ts";
import type { Problem } from "../problems/problem.ts";
import { KeyedJournal } from "../runs/keyed-journal.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { type BugSource, type BugSourceFlags, openBugSource } from "./bug-sources.ts";
import { counted } from "./counted.ts";
import { warnOfDamage } from "./damaged-lines.ts";
import { shelfOf } from "./model-options.ts";
import { printProgress } from "./output.ts";
import { unlessRefused } from "./refused-problems.ts";
import { openSandbox, type SandboxFlags } from "./sandbox-options.ts";
import { visible } from "./shown-text.ts";

export interface HuntFlags extends SandboxFlags, BugSourceFlags {
  readonly out: string;
  readonly maxPerProblem: number;
  readonly tries: number;
  readonly maxFailing: number;
  readonly maxInput: number;
  readonly keepSeveralAnswers?: true;
  readonly cpu: number;
}

/** To be removed once the pairs of all problems are written. */
export function unfinishedFile({ out }: HuntFlags): string {
  return `${out}.unfinished`;
}

export function rulesOf({ keepSeveralAnswers, maxInput }: HuntFlags): GoldRules {
  const severalAnswers = keepSeveralAnswers ? ("kept" as const) : ("left-out" as const);
  return { severalAnswers, maximumInputBytes: maxInput };
}

export interface SearchResult {
  /** One for each problem, in order. */
  readonly found: readonly ProblemBugs[];
  /** Where the programs came from, for people. */
  readonly source: string;
  /** Lines of a file of programs that cannot be used. */
  readonly leftOut: readonly LeftOut[];
  readonly usage: EndpointUsage | undefined;
}

/** Whoever calls it holds the lock of `--out`: two at a time would take each other's unfinished work away. */
export async function searchBugs(
  flags: HuntFlags,
  problems: readonly Problem[],
  signal: AbortSignal,
): Promise<SearchResult> {
  const shelf = shelfOf(flags);
  try {
    const source = await openBugSource(flags, { problems, shelf });
    for (const { where, reason } of source.leftOut) printProgress(`left out ${where}: ${visible(reason)}`);
    const sandbox = await openSandbox(flags);
    const journal = new KeyedJournal<ProblemBugs>(unfinishedFile(flags));
    warnOfDamage(unfinishedFile(flags), journal);
    try {
      const found = await huntAll({ flags, problems, source, sandbox, journal, signal });
      return { found, source: source.description, leftOut: source.leftOut, usage: source.usage?.() };
    } finally {
      journal.close();
      await sandbox.close();
      const hasSome = (statSync(unfinishedFile(flags), { throwIfNoEntry: false })?.size ?? 0) > 0;
      if (!hasSome) rmSync(unfinishedFile(flags), { force: true });
      else if (signal.aborted) printProgress("what was done is kept: the same command goes on from there");
    }
  } finally {
    await shelf.close();
  }
}

interface Hunt {
  readonly flags: HuntFlags;
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
      const hunt = { ...settings, seed: hashText(`${flags.seed}/${problem.id}`) };
      const bugs = known ?? (await bugsOf(problem, hunt));
      if (!known && !mayPass(bugs)) journal.set(key, bugs);
      found[index] = bugs;
      tell(bugs);
    }
  };
  await Promise.all(Array.from({ length: source.atOnce ?? 2 * workers }, lane));
  return found;
}

async function bugsOf(problem: Problem, hunt: BugHunt): Promise<ProblemBugs> {
  const attempt = await unlessRefused(problem, () => findBugs(problem, hunt));
  if (attempt.ok) return attempt.result;
  const fault = { kind: "prompt-refused", reason: attempt.refused.reason } as const;
  return { fault, reference: problem.reference, bugs: [], verdicts: {} };
}

/** Another start of the command may find otherwise: the sandbox works again, the server takes longer prompts. */
export function mayPass({ fault }: ProblemBugs): boolean {
  return fault?.kind === "masked" || fault?.kind === "prompt-refused";
}

function keptSettings({
  tries,
  maxPerProblem,
  maxFailing,
  maxInput,
  keepSeveralAnswers,
  seed,
  cpu,
}: HuntFlags) {
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
    printProgress(`${done} of ${counted(total, "problem")}, ${counted(pairs, "pair")}`);
  };
}
