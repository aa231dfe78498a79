/**
 * Programs for a problem from one model, and tests of these programs from another, one test a reply as ATGEN's
 * generator gives them. The same seed gives the same programs and tests, whatever else is sampled at the same time.
 */
import { collectSamples } from "../engine/collect-samples.ts";
import type { SamplingSettings } from "../engine/completion.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import type { Problem } from "../problems/problem.ts";
import type { Dialect, ReadTest } from "../prompts/dialect.ts";
import { enginePrompt } from "./engine-prompt.ts";
import { readAttack } from "./read-attack.ts";

/** A model with the language it is spoken to in. */
export interface Writer {
  readonly policy: FrozenPolicy;
  readonly dialect: Dialect;
  readonly sampling: Pick<SamplingSettings, "temperature" | "topP" | "maxTokens">;
}

interface Sampled {
  readonly problem: Problem;
  readonly seed: number;
  readonly signal?: AbortSignal;
}

export async function samplePrograms(
  coder: Writer,
  { problem, seed, signal, programs }: Sampled & { readonly programs: number },
): Promise<string[]> {
  const { policy, dialect, sampling } = coder;
  const prompt = enginePrompt(policy, dialect.codePrompt(problem));
  const [completions = []] = await collectSamples(
    policy,
    [{ prompt, samples: programs, key: `programs/${problem.id}` }],
    { ...sampling, seed, ...stopping(dialect.stopStrings) },
    signal ? { signal } : {},
  );
  return completions.map(({ text }) => dialect.readProgram(problem, text));
}

/** For each program as many replies as asked for, each one test or the reason why it is none. */
export async function sampleTests(
  tester: Writer,
  options: Sampled & { readonly programs: readonly string[]; readonly testsPerProgram: number },
): Promise<ReadTest[][]> {
  const { policy, dialect, sampling } = tester;
  const { problem, seed, signal, programs, testsPerProgram } = options;
  if (programs.length === 0) return [];
  const completionsByProgram = await collectSamples(
    policy,
    programs.map((program, index) => ({
      prompt: enginePrompt(policy, dialect.attackPrompt(problem, program)),
      samples: testsPerProgram,
      key: `tests/${problem.id}/${index}`,
    })),
    { ...sampling, seed, ...stopping(dialect.attackStopStrings) },
    signal ? { signal } : {},
  );
  return completionsByProgram.map((completions) =>
    completions.map((completion) => readAttack(dialect, problem, completion)),
  );
}

function stopping(stopStrings: readonly string[]): Pick<SamplingSettings, "stopStrings"> {
  return stopStrings.length > 0 ? { stopStrings } : {};
}
