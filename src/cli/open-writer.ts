/** A model of the command line as a writer of programs or tests, with what tells its replies from another's. */
import { statSync } from "node:fs";
import path from "node:path";
import type { JournaledWriter } from "../evaluation/best-of-n/model-samples.ts";
import { findWeights, type ModelRole } from "../evaluation/find-weights.ts";
import type { ModelShelf } from "../evaluation/open-model.ts";
import type { Problem } from "../problems/problem.ts";
import type { KeyedJournal } from "../runs/keyed-journal.ts";
import { type ModelFlags, samplingOf } from "./model-options.ts";
import { refuseForeignProblems } from "./refuse-foreign-problems.ts";

export interface WriterOptions {
  readonly flags: ModelFlags & { readonly seed: number };
  /** All that it will be asked about. */
  readonly problems: readonly Problem[];
  readonly shelf: ModelShelf;
  readonly journal: KeyedJournal<unknown>;
  readonly signal: AbortSignal;
}

export interface OpenedWriter extends JournaledWriter {
  readonly description: string;
}

export async function openWriter(
  { flags, problems, shelf, journal, signal }: WriterOptions,
  text: string,
  role: ModelRole,
): Promise<OpenedWriter> {
  const model = await shelf.open({ text, role });
  const hint = `Name a larger model, such as --${role}-model openai:MODEL.`;
  refuseForeignProblems(model, { text, problems, hint });
  const { policy, dialect, description } = model;
  const { temperature, topP, maxTokens } = samplingOf(flags, model, { seed: flags.seed, stopStrings: [] });
  return {
    writer: { policy, dialect, sampling: { temperature, topP, maxTokens } },
    identity: `${role}: ${description}${model.usage ? "" : weightsMark(text, role)}`,
    description,
    seed: flags.seed,
    journal,
    signal,
  };
}

/** Weights in a folder may be replaced between two commands. */
function weightsMark(text: string, role: ModelRole): string {
  const { size, mtimeMs } = statSync(path.join(findWeights(text, role).folder, "weights.safetensors"));
  return ` (${size} bytes of ${mtimeMs})`;
}
