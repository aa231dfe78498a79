/**
 * A code model that sees only the question; its natural mistakes are what is kept (the variant that ATGEN trains
 * with). Programs are drawn in chunks, so that a lucky first chunk saves the others.
 */

import { collectSamples } from "../engine/collect-samples.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import { enginePrompt } from "../evaluation/engine-prompt.ts";
import type { Dialect, RolePrompt } from "../prompts/dialect.ts";
import type { Adversary, AdversaryRequest } from "./adversary.ts";

export interface SamplingAdversaryOptions {
  readonly policy: FrozenPolicy;
  readonly dialect: Dialect;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  /** Programs asked for in one go. */
  readonly chunk: number;
}

export function samplingAdversary(options: SamplingAdversaryOptions): Adversary {
  return modelAdversary("sampling", options, ({ problem }) => options.dialect.codePrompt(problem));
}

/** Whatever a code model writes, prompted in one way or another. */
export function modelAdversary(
  kind: "sampling" | "instruction",
  options: SamplingAdversaryOptions,
  promptOf: (request: AdversaryRequest) => RolePrompt,
): Adversary {
  const { policy, dialect, chunk } = options;
  return {
    kind,
    async *propose(request) {
      const prompt = enginePrompt(policy, promptOf(request));
      for (let drawn = 0; drawn < request.most; drawn += chunk) {
        const samples = Math.min(chunk, request.most - drawn);
        const key = `${request.problem.id}/adversary/${drawn}`;
        const settings = {
          temperature: options.temperature,
          topP: options.topP,
          maxTokens: options.maxTokens,
          seed: request.seed,
          ...(dialect.stopStrings.length > 0 && { stopStrings: dialect.stopStrings }),
        };
        const signal = request.signal && { signal: request.signal };
        const [completions] = await collectSamples(policy, [{ prompt, samples, key }], settings, signal);
        // A server that lost all of a call has not shown that there is nothing to find.
        if (!completions?.length) throw new Error("the model gave no program");
        for (const { text } of completions) yield dialect.readProgram(request.problem, text);
      }
    },
  };
}
