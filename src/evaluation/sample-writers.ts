/**
 * Programs for a problem from one model, and tests of these programs from another, one test a reply as ATGEN's
 * generator gives them. The same seed gives the same programs and tests, whatever else is sampled at the same time.
 */
import { collectSamples } from "../engine/collect-samples.ts";
import type { SamplingSettings } from "../engine/completion.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import type { Problem } from "../problems/problem.ts";
import type { Dialect, ReadTest } from "../prompts/dialect.ts";
import { enginePrompt, hasRoom } from "./engine-prompt.ts";
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

/**
 * For each program as many replies as asked for, each one test or the reason why it is none. A program that is too
 * long to be shown gets none.
 */
export async function sampleTests(
  tester: Writer,
  options: Sampled & { readonly programs: readonly string[]; readonly testsPerProgram: number },
): Promise<ReadTest[][]> {
  const { policy, dialect, sampling } = tester;
  const { problem, seed, signal, programs, testsPerProgram } = options;
  const requests = programs.flatMap((program, index) => {
    const prompt = dialect.attackPrompt(problem, program);
    const key = `tests/${problem.id}/${index}`;
    return hasRoom(policy, prompt)
      ? [{ index, prompt: enginePrompt(policy, prompt), samples: testsPerProgram, key }]
      : [];
  });
  if (requests.length === 0) return programs.map(() => []);
  const replies = await collectSamples(
    policy,
    requests,
    { ...sampling, seed, ...stopping(dialect.attackStopStrings) },
    signal ? { signal } : {},
  );
  const read = new Map(
    requests.map(({ index }, position) => [
      index,
      replies[position]!.map((completion) => readAttack(dialect, problem, completion)),
    ]),
  );
  return programs.map((_, index) => read.get(index) ?? []);
}

function stopping(stopStrings: readonly string[]): Pick<SamplingSettings, "stopStrings"> {
  return stopStrings.length > 0 ? { stopStrings } : {};
}
