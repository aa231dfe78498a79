/**
 * ATGEN's evaluation: a generator is shown each wrong program and answers with one test, which is judged
 * (judge-attack.ts) and counted (attack-figures.ts). Beside that it is shown correct programs as if they were wrong
 * (false-alarms.ts).
 *
 * @example
 * const pairs = arenaPairs({ split: "held-out", perProblem: 3, limit: 100 });
 * const sampling = { temperature: 0, topP: 1, maxTokens: 48, seed: 1 };
 * const { attacks, alarms } = await evaluateAttack({ policy, pairs, dialect, court, samples: 1, sampling });
 */
import { createHash } from "node:crypto";
import type { StopReason } from "../../engine/completion.ts";
import type { AttackPair } from "../../problems/attack-pair.ts";
import type { ReadTest } from "../../prompts/dialect.ts";
import { type JudgedAttack, judgeAttacks } from "../judge-attack.ts";
import type { Court } from "../judge-candidate.ts";
import { lanesOf } from "../judge-each.ts";
import { type AskOptions, askEach, type Reply, type Subject } from "./ask-each.ts";
import { type AttackFigures, attackFigures } from "./attack-figures.ts";
import {
  type AlarmFigures,
  alarmFigures,
  type CorrectProgram,
  type JudgedAlarm,
  judgeAlarms,
  referencesOf,
} from "./false-alarms.ts";

export interface AttackEvaluation {
  /** In the order given. */
  readonly pairs: readonly EvaluatedPair[];
  readonly correctPrograms: readonly EvaluatedCorrectProgram[];
  readonly attacks: AttackFigures;
  readonly alarms: AlarmFigures;
}

export interface EvaluatedPair {
  readonly kind: "pair";
  readonly pair: AttackPair;
  readonly replies: readonly JudgedReply<JudgedAttack>[];
}

export interface EvaluatedCorrectProgram {
  readonly kind: "correct-program";
  readonly program: CorrectProgram;
  readonly replies: readonly JudgedReply<JudgedAlarm>[];
}

export interface JudgedReply<Judged> {
  readonly text: string;
  readonly stopReason: StopReason;
  readonly judged: Judged;
}

export interface AttackProgress {
  readonly done: number;
  readonly total: number;
  /** What was done just now. */
  readonly finished: EvaluatedPair | EvaluatedCorrectProgram;
}

export interface AttackEvaluationOptions extends AskOptions {
  readonly pairs: readonly AttackPair[];
  readonly court: Court;
  /** What false alarms are measured on: the references of the pairs unless said; an empty list for nothing. */
  readonly correctPrograms?: readonly CorrectProgram[];
  readonly onProgress?: (progress: AttackProgress) => void;
}

export async function evaluateAttack(options: AttackEvaluationOptions): Promise<AttackEvaluation> {
  const { pairs, court } = options;
  const programs = options.correctPrograms ?? referencesOf(pairs);
  const total = pairs.length + programs.length;
  let done = 0;
  const report = <Finished extends AttackProgress["finished"]>(finished: Finished): Finished => {
    done += 1;
    options.onProgress?.({ done, total, finished });
    return finished;
  };
  const attack = (pair: AttackPair): Subject<EvaluatedPair> => ({
    problem: pair.problem,
    source: pair.buggy,
    key: attackKey(pair),
    judge: async (replies) => {
      const judged = await withVerdicts(replies, (tests) => judgeAttacks(court, pair, tests));
      return report({ kind: "pair", pair, replies: judged });
    },
  });
  const alarm = (program: CorrectProgram): Subject<EvaluatedCorrectProgram> => ({
    ...program,
    key: alarmKey(program),
    judge: async (replies) => {
      const judged = await withVerdicts(replies, (tests) => judgeAlarms(court, program, tests));
      return report({ kind: "correct-program", program, replies: judged });
    },
  });
  const subjects = [...pairs.map(attack), ...programs.map(alarm)];
  const judgedAtOnce = lanesOf(court.sandbox);
  const finished = await askEach<AttackProgress["finished"]>({ ...options, judgedAtOnce }, subjects);
  const evaluatedPairs = finished.filter((entry) => entry.kind === "pair");
  const correctPrograms = finished.filter((entry) => entry.kind === "correct-program");
  return {
    pairs: evaluatedPairs,
    correctPrograms,
    attacks: attackFigures(evaluatedPairs),
    alarms: alarmFigures(correctPrograms.map(({ program, replies }) => ({ ...program, replies }))),
  };
}

export function attackKey({ id }: AttackPair): string {
  return `attack/${id}`;
}

/** A problem may have several correct programs; their order must not matter. */
export function alarmKey({ problem, source }: CorrectProgram): string {
  const digest = createHash("sha256").update(source).digest("hex").slice(0, 16);
  return `correct/${problem.id}/${digest}`;
}

const lost = { kind: "masked", message: "the model's server gave no reply" } as const;

async function withVerdicts<Judged>(
  replies: readonly (Reply | undefined)[],
  judge: (tests: readonly ReadTest[]) => Promise<Judged[]>,
): Promise<JudgedReply<Judged | typeof lost>[]> {
  const verdicts = await judge(replies.flatMap((reply) => (reply ? [reply.test] : [])));
  let next = 0;
  return replies.map((reply) => {
    if (!reply) return { text: "", stopReason: "end", judged: lost };
    next += 1;
    return { text: reply.text, stopReason: reply.stopReason, judged: verdicts[next - 1]! };
  });
}
