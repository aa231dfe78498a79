/**
 * A code model that sees only the question; its natural mistakes are what is kept (the variant that ATGEN trains
 * with). Programs are drawn in chunks, so that a lucky first chunk saves the others.
 */

import { collectSamples } from "../engine/collect-samples.ts";
import type { Completion } from "../engine/completion.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import { enginePrompt } from "../evaluation/engine-prompt.ts";
import type { Dialect, RolePrompt } from "../prompts/dialect.ts";
import type { Adversary, AdversaryRequest } from "./adversary.ts";
import { readAhead } from "./read-ahead.ts";

export interface SamplingAdversaryOptions {
  readonly policy: FrozenPolicy;
  readonly dialect: Dialect;
  readonly temperature: number;
  readonly topP: number;
  readonly maxTokens: number;
  /** Programs asked for in one go. */
  readonly chunk: number;
  /**
   * Chunks that are asked for while an earlier one is judged; none unless said. Worth it for a server that keeps
   * people waiting; a model in this process would only do work that may be for nothing.
   */
  readonly ahead?: number;
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
  const { policy, dialect, chunk, ahead = 0 } = options;
  return {
    kind,
    async *propose(request) {
      const prompt = enginePrompt(policy, promptOf(request));
      const settings = {
        temperature: options.temperature,
        topP: options.topP,
        maxTokens: options.maxTokens,
        seed: request.seed,
        ...(dialect.stopStrings.length > 0 && { stopStrings: dialect.stopStrings }),
      };
      // What a chunk holds follows from its key alone, whenever it is asked for.
      const draw = async (index: number, signal: AbortSignal): Promise<readonly Completion[]> => {
        const drawn = index * chunk;
        const samples = Math.min(chunk, request.most - drawn);
        const key = `${request.problem.id}/adversary/${drawn}`;
        const [completions] = await collectSamples(policy, [{ prompt, samples, key }], settings, { signal });
        // A server that lost all of a call has not shown that there is nothing to find.
        if (!completions?.length) throw new Error("the model gave no program");
        return completions;
      };
      const count = Math.ceil(request.most / chunk);
      for await (const completions of readAhead({ count, ahead, draw, signal: request.signal }))
        for (const { text } of completions) yield dialect.readProgram(request.problem, text);
    },
  };
}
