/**
 * Programs for a problem from one model, and tests of these programs from another, one test a reply as ATGEN's
 * generator gives them. The same seed gives the same programs and tests, whatever else is sampled at the same time.
 */
import { setMaxListeners } from "node:events";
import { collectSamples } from "../engine/collect-samples.ts";
import type { SampleRequest, SamplingSettings } from "../engine/completion.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import { SparringError } from "../errors.ts";
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

interface AttackedPrograms extends Sampled {
  readonly programs: readonly string[];
  readonly testsPerProgram: number;
}

/**
 * For each program as many replies as asked for, each one test or the reason why it is none. A program that is too
 * long to be shown gets none.
 */
export async function sampleTests(tester: Writer, options: AttackedPrograms): Promise<ReadTest[][]> {
  const { policy, dialect } = tester;
  const { problem, signal, programs } = options;
  const requests = attackRequests(tester, options);
  if (requests.length === 0) return programs.map(() => []);
  const settings = attackSettings(tester, options);
  const replies = await collectSamples(policy, requests, settings, signal ? { signal } : {});
  const read = new Map(
    requests.map(({ index }, position) => [
      index,
      replies[position]!.map((completion) => readAttack(dialect, problem, completion)),
    ]),
  );
  return programs.map((_, index) => read.get(index) ?? []);
}

/** The replies for one program, or why its prompt was refused. */
export type SampledReplies =
  | { readonly ok: true; readonly replies: readonly ReadTest[] }
  | { readonly ok: false; readonly reason: string };

/**
 * The same replies for some of the programs, by their place among all; a program whose prompt the model refuses costs
 * the others nothing. It has all of its replies or none. Any other failure ends the whole.
 */
export async function sampleTestsUnlessRefused(
  tester: Writer,
  options: AttackedPrograms & { readonly isWanted: (program: number) => boolean },
): Promise<ReadonlyMap<number, SampledReplies>> {
  const { policy, dialect } = tester;
  const { problem, signal, programs, isWanted } = options;
  const settings = attackSettings(tester, options);
  const broken = new AbortController();
  const stop = signal ? AbortSignal.any([signal, broken.signal]) : broken.signal;
  setMaxListeners(0, stop); // every program listens to it
  const sampled = new Map<number, SampledReplies>(
    programs.flatMap((_, index) => (isWanted(index) ? [[index, { ok: true, replies: [] }]] : [])),
  );
  const ask = async ({ index, ...request }: AttackRequest) => {
    try {
      const [completions = []] = await collectSamples(policy, [request], settings, { signal: stop });
      const replies = completions.map((completion) => readAttack(dialect, problem, completion));
      sampled.set(index, { ok: true, replies });
    } catch (error) {
      if (!isRefusedPrompt(error)) {
        broken.abort(error);
        throw error;
      }
      sampled.set(index, { ok: false, reason: error.message });
    }
  };
  const wanted = attackRequests(tester, options).filter(({ index }) => isWanted(index));
  const ended = await Promise.allSettled(wanted.map(ask));
  // The first failure called the others off.
  stop.throwIfAborted();
  const failed = ended.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
  return sampled;
}

function isRefusedPrompt(error: unknown): error is SparringError {
  return error instanceof SparringError && error.code === "engine-prompt-refused";
}

interface AttackRequest extends SampleRequest {
  /** The place of its program. */
  readonly index: number;
}

/** One for each program that can be shown. */
function attackRequests(
  { policy, dialect }: Writer,
  { problem, programs, testsPerProgram }: AttackedPrograms,
): AttackRequest[] {
  return programs.flatMap((program, index) => {
    const prompt = dialect.attackPrompt(problem, program);
    const key = `tests/${problem.id}/${index}`;
    return hasRoom(policy, prompt)
      ? [{ index, prompt: enginePrompt(policy, prompt), samples: testsPerProgram, key }]
      : [];
  });
}

function attackSettings({ dialect, sampling }: Writer, { seed }: Sampled): SamplingSettings {
  return { ...sampling, seed, ...stopping(dialect.attackStopStrings) };
}

function stopping(stopStrings: readonly string[]): Pick<SamplingSettings, "stopStrings"> {
  return stopStrings.length > 0 ? { stopStrings } : {};
}
