/** Where the wrong programs of `spar data bugs` come from: small changes to the reference, a model, or a file. */
import { createHash } from "node:crypto";
import type { Adversary } from "../adversaries/adversary.ts";
import { bankAdversary } from "../adversaries/bank-adversary.ts";
import { mutationAdversary } from "../adversaries/mutation-adversary.ts";
import { samplingAdversary } from "../adversaries/sampling-adversary.ts";
import type { EndpointUsage } from "../engine/openai/openai-engine.ts";
import { SparringError } from "../errors.ts";
import { type LeftOut, readCandidates } from "../evaluation/best-of-n/recorded-samples.ts";
import type { ModelShelf } from "../evaluation/open-model.ts";
import { packageVersion } from "../package-version.ts";
import type { Problem } from "../problems/problem.ts";
import { type ModelFlags, samplingOf } from "./model-options.ts";
import { refuseForeignProblems } from "./refuse-foreign-problems.ts";

export const bugSources = ["mutants", "model", "recorded"] as const;

export interface BugSourceFlags extends ModelFlags {
  readonly from: (typeof bugSources)[number];
  readonly model: string;
  readonly recorded?: string;
  readonly seed: number;
}

export interface BugSource {
  readonly adversary: Adversary;
  /** For people. */
  readonly description: string;
  /** Everything that its programs for a problem depend on, besides problem and seed. */
  identity(problem: Problem): string;
  /** What a file holds that cannot be used. */
  readonly leftOut: readonly LeftOut[];
  /** Problems to work on at the same time, so that neither model nor sandbox waits for the other. */
  readonly atOnce?: number;
  readonly usage?: () => EndpointUsage;
}

/** What must be known before anything is opened. */
export function checkBugSource({ from, recorded }: Pick<BugSourceFlags, "from" | "recorded">): void {
  if ((from === "recorded") === (recorded !== undefined)) return;
  throw new SparringError({
    code: "wrong-use",
    message:
      recorded === undefined ? "--from recorded needs a file" : `--recorded does not go with --from ${from}`,
    hint: "For example: spar data bugs --from recorded --recorded programs.jsonl --problems problems.jsonl --out pairs.jsonl",
  });
}

export async function openBugSource(
  flags: BugSourceFlags,
  { problems, shelf }: { problems: readonly Problem[]; shelf: ModelShelf },
): Promise<BugSource> {
  switch (flags.from) {
    case "mutants":
      return {
        adversary: mutationAdversary(),
        description: "mutants of the reference",
        identity: () => `mutants ${packageVersion}`,
        leftOut: [],
      };
    case "recorded":
      return recordedSource(flags.recorded!, problems);
    case "model":
      return modelSource(flags, problems, shelf);
  }
}

async function recordedSource(file: string, problems: readonly Problem[]): Promise<BugSource> {
  const { byProblem, leftOut } = await readCandidates(
    file,
    new Map(problems.map((problem) => [problem.id, problem])),
  );
  const programs = (id: string) => (byProblem.get(id) ?? []).map(({ source }) => source);
  return {
    adversary: bankAdversary({ programs }),
    description: file,
    identity: ({ id }) =>
      createHash("sha256")
        .update(JSON.stringify(programs(id)))
        .digest("hex"),
    leftOut,
  };
}

async function modelSource(
  flags: BugSourceFlags,
  problems: readonly Problem[],
  shelf: ModelShelf,
): Promise<BugSource> {
  const model = await shelf.open({ text: flags.model, role: "code" });
  const { policy, dialect, description } = model;
  const hint = "Name a larger model, such as --model openai:MODEL, or use --from mutants.";
  refuseForeignProblems(model, { text: flags.model, problems, hint });
  const { temperature, topP, maxTokens } = samplingOf(flags, model, { seed: flags.seed, stopStrings: [] });
  return {
    adversary: samplingAdversary({ policy, dialect, temperature, topP, maxTokens, chunk: 5 }),
    description,
    identity: () => JSON.stringify([description, temperature, topP, maxTokens]),
    leftOut: [],
    atOnce: 8,
    ...(model.usage && { usage: model.usage }),
  };
}
