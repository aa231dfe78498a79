/**
 * Shows a generator many programs and hands on its replies: all prompts are sampled in one call, and each program's
 * replies are judged as soon as its last one is there.
 */
import type { Completion, SamplingSettings, StopReason } from "../../engine/completion.ts";
import type { FrozenPolicy } from "../../engine/engine.ts";
import { Gate } from "../../engine/openai/gate.ts";
import type { Problem } from "../../problems/problem.ts";
import type { Dialect, ReadTest } from "../../prompts/dialect.ts";
import { enginePrompt } from "../engine-prompt.ts";
import { readAttack } from "../read-attack.ts";

/** A program that the generator is told is wrong. */
export interface Subject<Finished> {
  readonly problem: Problem;
  readonly source: string;
  /** Names the random stream of its replies. */
  readonly key: string;
  /** As many as samples were asked for; undefined where the model's server gave none. */
  judge(replies: readonly (Reply | undefined)[]): Promise<Finished>;
}

export interface Reply {
  readonly text: string;
  readonly stopReason: StopReason;
  readonly test: ReadTest;
}

export interface AskOptions {
  readonly policy: FrozenPolicy;
  readonly dialect: Dialect;
  /** Replies to each prompt. */
  readonly samples: number;
  /** The dialect's own stop strings are used where none are given. */
  readonly sampling: SamplingSettings;
  readonly signal?: AbortSignal;
}

/** What `judge` gave for each subject, in order; at most so many are judged at once. */
export async function askEach<Finished>(
  options: AskOptions & { readonly judgedAtOnce: number },
  subjects: readonly Subject<Finished>[],
): Promise<Finished[]> {
  if (subjects.length === 0) return [];
  const { policy, dialect, samples, signal } = options;
  const stopStrings = dialect.attackStopStrings;
  const settings = { ...(stopStrings.length > 0 && { stopStrings }), ...options.sampling };
  const requests = subjects.map(({ problem, source, key }) => ({
    prompt: enginePrompt(policy, dialect.attackPrompt(problem, source)),
    samples,
    key,
  }));
  const replies = subjects.map(() => Array.from<Reply | undefined>({ length: samples }));
  const missing = subjects.map(() => samples);
  const judged: Promise<Finished>[] = [];
  const gate = new Gate(options.judgedAtOnce);
  const judge = (index: number) => {
    judged[index] = gate.run(async () => {
      signal?.throwIfAborted();
      return subjects[index]!.judge(replies[index]!);
    });
    judged[index].catch(() => {}); // heard below, once everything is sampled
  };
  const stream = policy.sample(requests, settings, signal ? { signal } : {});
  for await (const { requestIndex, sampleIndex, completion } of stream) {
    replies[requestIndex]![sampleIndex] = replyOf(dialect, subjects[requestIndex]!.problem, completion);
    missing[requestIndex]! -= 1;
    if (missing[requestIndex] === 0) judge(requestIndex);
  }
  for (const [index, count] of missing.entries()) if (count > 0) judge(index);
  return unlessAborted(Promise.all(judged), signal);
}

/** Judging cannot be called back, but nobody who stops waits for it. */
async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (!signal) return work;
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function replyOf(dialect: Dialect, problem: Problem, completion: Completion): Reply {
  const { text, stopReason } = completion;
  return { text, stopReason, test: readAttack(dialect, problem, completion) };
}
