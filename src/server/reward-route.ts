/**
 * `POST /reward`: replies of a coder in, one score for each out, in the same order and in one JSON object, as trainers
 * want it. A blank line now and then says that the server is alive; JSON allows it.
 */
import type { Context } from "hono";
import { z } from "zod";
import { messageOf } from "../errors.ts";
import { type ProgramScore, scoreProgram } from "../evaluation/score-program.ts";
import type { SuiteReward } from "../rewards/suite-reward.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import { inFinishOrder } from "./finish-order.ts";
import { lineStream } from "./line-stream.ts";
import { readRequest } from "./read-request.ts";
import { type RewardJob, readItem, readRewardRequest } from "./reward-request.ts";
import type { ServerParts } from "./server-parts.ts";

export async function rewardRoute(context: Context, parts: ServerParts): Promise<Response> {
  const options = { schema: z.unknown(), mostBytes: parts.mostBodyBytes };
  const { items, reward } = readRewardRequest(await readRequest(context, options));
  const jobs = items.map((item, index) => readItem(item, index, parts.suites));
  const ticket = parts.desk.admit(jobs.length);
  const caller = parts.callerOf(context);
  caller.signal.addEventListener("abort", ticket.abandon, { once: true });
  const scoring = new Scoring(parts, reward, caller.signal);
  const scored = inFinishOrder(jobs, {
    // One more than can run, so that no worker waits.
    atOnce: parts.sandbox.describe().workers + 1,
    run: (job, index) => ticket.run(async () => ({ index, score: await scoring.score(job) })),
  });
  const stream = lineStream({
    lines: whole(jobs, reward, scored),
    heartbeatSeconds: parts.heartbeatSeconds,
    ended: () => {
      caller.release();
      ticket.abandon();
    },
  });
  return context.body(stream, 200, { "content-type": "application/json", "cache-control": "no-store" });
}

/** All scores in the order of the items, as the one thing that is sent. */
async function* whole(
  jobs: readonly RewardJob[],
  reward: SuiteReward,
  scored: AsyncGenerator<{ index: number; score: ProgramScore }>,
): AsyncGenerator<unknown> {
  const scores: ProgramScore[] = [];
  for await (const { index, score } of scored) scores[index] = score;
  yield {
    reward,
    items: scores.map((score, index) => {
      const { id, invalid } = jobs[index]!;
      return { ...(id !== undefined && { id }), ...score, ...invalidPart(score, invalid) };
    }),
  };
}

/** What an answer says of tests that cannot be read; a suite of nothing else is empty only for that reason. */
function invalidPart({ total, message }: ProgramScore, invalid: RewardJob["invalid"]): object {
  const [reason] = invalid;
  if (reason === undefined) return {};
  const which = total === 0 ? "no test can be read" : "a test cannot be read";
  const isSaid = total > 0 && message !== undefined;
  return { invalidTests: invalid.length, message: isSaid ? message : `${which}: ${reason}` };
}

/** Groups of a trainer hold the same program several times: within one request it is run once. */
class Scoring {
  readonly #parts: ServerParts;
  readonly #reward: SuiteReward;
  readonly #signal: AbortSignal;
  /** By suite and reply. Suites of the server are the same object every time. */
  readonly #underWay = new Map<RewardJob["suite"], Map<string, Promise<ProgramScore>>>();

  constructor(parts: ServerParts, reward: SuiteReward, signal: AbortSignal) {
    this.#parts = parts;
    this.#reward = reward;
    this.#signal = signal;
  }

  score({ reply, suite }: RewardJob): Promise<ProgramScore> {
    const replies = this.#underWay.get(suite) ?? new Map<string, Promise<ProgramScore>>();
    this.#underWay.set(suite, replies);
    const known = replies.get(reply) ?? this.#run(reply, suite);
    replies.set(reply, known);
    return known;
  }

  async #run(reply: string, suite: RewardJob["suite"]): Promise<ProgramScore> {
    const { sandbox, metrics, logFailure } = this.#parts;
    const signal = this.#signal;
    const request = { sandbox, reply, suite, reward: this.#reward, limits: defaultLimits, signal };
    try {
      const { score, verdict } = await scoreProgram(request);
      if (verdict) {
        const kinds = verdict.outcomes.map(({ kind }) => kind);
        metrics.finished({ ...verdict, endpoint: "reward", kinds });
      }
      return score;
    } catch (error) {
      if (!signal.aborted) logFailure(error);
      const { length: total } = suite.tests;
      return { score: null, passed: 0, total, loads: false, masked: true, message: messageOf(error) };
    }
  }
}
