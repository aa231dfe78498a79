/** Tiny models speak only the arena's shorthand: of any other problem they write nonsense, and do not say so. */
import { SparringError } from "../errors.ts";
import type { OpenedModel } from "../evaluation/open-model.ts";
import type { Problem } from "../problems/problem.ts";
import { arenaDialect } from "../prompts/dialect.ts";
import { visible } from "./shown-text.ts";

export function refuseForeignProblems(
  { dialect }: Pick<OpenedModel, "dialect">,
  { text, problems, hint }: { text: string; problems: readonly Problem[]; hint: string },
): void {
  if (dialect !== arenaDialect) return;
  // The mark stays on problems and pairs that were written to files.
  const foreign = problems.find(({ metadata }) => metadata.source !== "arena");
  if (!foreign) return;
  throw new SparringError({
    code: "wrong-use",
    message: `the model '${text}' knows no other problems than those of the arena, and '${visible(foreign.id)}' is none of them`,
    hint,
  });
}
