/** A code model that is told to pass the tests and be wrong elsewhere: for the ablation against `sampling`. */
import { SparringError } from "../errors.ts";
import type { Adversary } from "./adversary.ts";
import { modelAdversary, type SamplingAdversaryOptions } from "./sampling-adversary.ts";

export function instructionAdversary(options: SamplingAdversaryOptions): Adversary {
  const { dialect } = options;
  if (!dialect.instructedPrompt) {
    throw new SparringError({
      code: "config-invalid",
      message:
        "the adversary 'instruction' needs a model that takes orders, and this one only continues text",
      hint: "Use an OpenAI-compatible model for atgen.adversary.model, or the kind 'sampling', 'mutation' or 'bank'.",
    });
  }
  return modelAdversary("instruction", options, ({ problem, tests }) =>
    dialect.instructedPrompt!(problem, tests),
  );
}
