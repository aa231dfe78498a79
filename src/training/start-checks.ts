/**
 * The checks before the first step, which run every reference and every wrong program: a few at a time, each finding
 * in the run folder as soon as it is known. A start that is killed, stopped or lost to our own infrastructure goes on
 * where it was when the run is continued.
 */
import { createHash } from "node:crypto";
import path from "node:path";
import { lanesOf } from "../evaluation/judge-each.ts";
import { inLanes } from "../in-lanes.ts";
import { limitsFor } from "../judge/judge-problem.ts";
import { encodeCase } from "../problems/case-codec.ts";
import type { Problem } from "../problems/problem.ts";
import { KeyedJournal } from "../runs/keyed-journal.ts";
import { keptFiles } from "../runs/unstarted-run.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";

/** What is run on the tests of its problem. */
export type Checked = "reference" | "wrong program";

export interface CheckProgress {
  readonly what: Checked;
  /** 0 in the first report. */
  readonly done: number;
  readonly total: number;
}

export interface StartChecksOptions {
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  /** Seconds. */
  readonly clock: () => number;
  readonly onProgress: (progress: CheckProgress) => void;
}

/** Null: nothing is wrong. */
interface Finding {
  readonly fault: string | null;
}

// Raised when a check changes its mind about the same content.
const version = 1;
const quietSeconds = 2;

export class StartChecks {
  readonly #options: StartChecksOptions;
  readonly #journal: KeyedJournal<Finding>;
  /** By problem: many wrong programs share one, and its tests may be long. */
  readonly #contents = new Map<Problem, string>();

  constructor(options: StartChecksOptions) {
    this.#options = options;
    this.#journal = new KeyedJournal(journalFile(options.folder));
  }

  /** What is wrong with each item, in order; undefined where nothing is. */
  async each<Item>(
    what: Checked,
    items: readonly Item[],
    faultOf: (item: Item) => Promise<string | undefined>,
  ): Promise<(string | undefined)[]> {
    const { sandbox, signal } = this.#options;
    const report = this.#reporter(what, items.length);
    return inLanes(items, {
      atOnce: lanesOf(sandbox),
      run: async (item) => {
        signal.throwIfAborted();
        const fault = await faultOf(item);
        report();
        return fault;
      },
    });
  }

  /** What `check` finds, or found in an earlier start about the same program on the same tests. */
  async once(
    program: { readonly what: Checked; readonly problem: Problem; readonly source: string },
    check: () => Promise<string | undefined>,
  ): Promise<string | undefined> {
    const key = this.#keyOf(program);
    const known = this.#journal.get(key);
    if (known) return known.fault ?? undefined;
    const fault = await check();
    this.#journal.set(key, { fault: fault ?? null });
    return fault;
  }

  close(): void {
    this.#journal.close();
  }

  #reporter(what: Checked, total: number): () => void {
    const { clock, onProgress } = this.#options;
    if (total > 0) onProgress({ what, done: 0, total });
    let [done, told] = [0, clock()];
    return () => {
      done += 1;
      if (clock() - told < quietSeconds) return;
      told = clock();
      onProgress({ what, done, total });
    };
  }

  #keyOf({ what, problem, source }: Parameters<StartChecks["once"]>[0]): string {
    const content = this.#contents.get(problem) ?? this.#contentOf(problem);
    this.#contents.set(problem, content);
    return digest([version, what, content, source]);
  }

  /** Everything that a verdict depends on besides the program. */
  #contentOf(problem: Problem): string {
    const { style, entryPoint, goldTests, check, comparison } = problem;
    const { kind, python } = this.#options.sandbox.describe();
    const limits = limitsFor(problem, this.#options.limits);
    return digest([kind, python, limits, style, entryPoint, goldTests.map(encodeCase), check, comparison]);
  }
}

function journalFile(folder: string): string {
  return path.join(folder, keptFiles.checks);
}

function digest(content: unknown): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}
