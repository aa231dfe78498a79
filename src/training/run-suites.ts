/**
 * Code RL without gold tests: each problem's suite is written by a test model for programs of the code model as it was
 * before training, once, when the problem is first drawn (evaluation/generated-suite.ts). The journal keeps the suites,
 * so that a resumed run rewards by the same ones even where a model's replies cannot be repeated.
 */
import path from "node:path";
import { generateSuite } from "../evaluation/generated-suite.ts";
import type { Writer } from "../evaluation/sample-writers.ts";
import { decodeCase, type EncodedCase, encodeCase } from "../problems/case-codec.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import type { Dialect } from "../prompts/dialect.ts";
import { Journal } from "../runs/journal.ts";
import { streamSeed } from "./batches.ts";
import type { TrainingConfig } from "./config.ts";
import type { Team } from "./open-players.ts";

interface SuiteEntry {
  readonly problem: string;
  readonly tests: readonly EncodedCase[];
}

export class RunSuites {
  readonly #config: TrainingConfig;
  readonly #writers: { readonly coder: Writer; readonly tester: Writer };
  readonly #suites = new Map<string, readonly TestCase[]>();
  readonly #journal: Journal<SuiteEntry>;

  constructor(
    config: TrainingConfig,
    options: { folder: string; position: number | undefined; team: Team; dialect: Dialect },
  ) {
    this.#config = config;
    const { team, dialect } = options;
    const { temperature, codeTokens, testTokens } = config.sampling;
    this.#writers = {
      coder: { policy: team.start!, dialect, sampling: { temperature, topP: 1, maxTokens: codeTokens } },
      tester: {
        policy: team.players.test,
        dialect,
        sampling: { temperature, topP: 1, maxTokens: testTokens },
      },
    };
    this.#journal = new Journal<SuiteEntry>({
      file: path.join(options.folder, "suites", "journal.jsonl"),
      bytes: options.position,
      apply: ({ problem, tests }) =>
        this.#suites.set(
          problem,
          tests.flatMap((test) => decodeCase(test) ?? []),
        ),
    });
  }

  async suiteOf(problem: Problem, signal: AbortSignal): Promise<readonly TestCase[]> {
    const known = this.#suites.get(problem.id);
    if (known) return known;
    const { programs, testsPerProgram, most } = this.#config.method.generated;
    const { tests } = await generateSuite({
      ...this.#writers,
      problem,
      seed: streamSeed(this.#config.seed, `suite/${problem.id}`, 0),
      programs,
      testsPerProgram,
      most,
      signal,
    });
    this.#journal.record([{ problem: problem.id, tests: tests.map(({ testCase }) => encodeCase(testCase)) }]);
    return this.#suites.get(problem.id)!;
  }

  checkpoint(): number {
    return this.#journal.checkpoint();
  }

  close(): void {
    this.#journal.close();
  }
}
