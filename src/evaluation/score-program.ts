/**
 * A reply of a coder, scored by a suite. The reply may be a program as it is or a chat message with the program in a
 * fence. Three things are kept apart: a reply that is no program is worth 0, a failed test lowers the score, and what
 * our own infrastructure loses has no score: whoever trains must leave it out.
 */
import { isUnreadable } from "../judge/is-unreadable.ts";
import { judgeProgram, type Verdict } from "../judge/judge.ts";
import { limitsFor } from "../judge/judge-problem.ts";
import { extractCode } from "../prompts/extract-code.ts";
import { parsePython } from "../prompts/python-syntax.ts";
import { type SuiteReward, suiteReward } from "../rewards/suite-reward.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Suite } from "./suite-file.ts";

export interface ProgramScore {
  /** Null where nothing can be said: the sandbox failed, or the suite holds no test. */
  readonly score: number | null;
  readonly passed: number;
  readonly total: number;
  /**
   * Of functions: whether the program's top level ran to its end. A program that reads and prints runs anew for each
   * input and may end where it likes: whether it is Python at all.
   */
  readonly loads: boolean;
  /** Whether the score is to be left out. */
  readonly masked: boolean;
  /** Why it is masked, or why there is no program. */
  readonly message?: string;
}

export interface ScoreRequest {
  readonly sandbox: Sandbox;
  readonly reply: string;
  readonly suite: Suite;
  readonly reward: SuiteReward;
  /** The usual ones; the suite's own go over them. */
  readonly limits: Limits;
  readonly signal?: AbortSignal;
}

/** The score, and the verdict behind it where a program was run. */
export async function scoreProgram(
  request: ScoreRequest,
): Promise<{ score: ProgramScore; verdict?: Verdict }> {
  const { sandbox, reply, suite, reward, signal } = request;
  const { tests, style, entryPoint, comparison } = suite;
  const total = tests.length;
  if (total === 0) {
    const message = "the suite holds no test";
    return { score: { score: null, passed: 0, total, loads: false, masked: true, message } };
  }
  const program = programIn(reply, entryPoint);
  if (!program.ok) {
    const score = suiteReward(reward, { passed: 0, total, parses: false }) ?? null;
    return { score: { score, passed: 0, total, loads: false, masked: false, message: program.reason } };
  }
  const verdict = await judgeProgram({
    sandbox,
    source: program.code,
    problem: { style, entryPoint, comparison },
    cases: tests,
    limits: limitsFor(suite, request.limits),
    ...(signal && { signal }),
  });
  return { score: scoreOf(verdict, reward), verdict };
}

function scoreOf({ outcomes, loads }: Verdict, reward: SuiteReward): ProgramScore {
  const passed = outcomes.filter(({ kind }) => kind === "passed").length;
  const total = outcomes.length;
  const lost = outcomes.find((outcome) => outcome.kind === "infrastructure");
  if (lost?.kind === "infrastructure") {
    return { score: null, passed, total, loads, masked: true, message: lost.message };
  }
  const unreadable = isUnreadable(outcomes);
  const score = suiteReward(reward, { passed, total, parses: !unreadable }) ?? null;
  return { score, passed, total, loads: loads && !unreadable, masked: false };
}

/** A text that is Python is taken as it is: there may be fences in its own strings. */
function programIn(
  reply: string,
  entryPoint: string | undefined,
): { ok: true; code: string } | { ok: false; reason: string } {
  if (reply.trim() === "") return { ok: false, reason: "the reply is empty" };
  if (!reply.includes("```") && !reply.includes("~~~") && !reply.includes("</think>")) {
    return { ok: true, code: reply };
  }
  if (parsePython(reply).ok) return { ok: true, code: reply };
  return extractCode(reply, { entryPoint });
}
