/**
 * Whom the tester plays against besides the current candidates. In plain Code-A1 the attack signal fades as the code
 * model improves: where every candidate is right, no suite can break one. Opponents keep wrong programs coming, whatever
 * the code model has learnt: mutants of the reference, programs of the code model before training, its own earlier
 * mistakes on the question, and ATGEN's adversaries, which survive what the tester has just written.
 */

import type { Adversary } from "../adversaries/adversary.ts";
import { bankAdversary } from "../adversaries/bank-adversary.ts";
import { findAdversary } from "../adversaries/find-adversary.ts";
import { mutationAdversary } from "../adversaries/mutation-adversary.ts";
import type { BankEntry, ProgramBank } from "../adversaries/program-bank.ts";
import { samplingAdversary } from "../adversaries/sampling-adversary.ts";
import type { FrozenPolicy } from "../engine/engine.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import { isUnrun } from "../judge/cases-together.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import type { Dialect } from "../prompts/dialect.ts";
import { streamSeed } from "./batches.ts";
import type { TrainingConfig } from "./config.ts";
import type { QuestionRollout } from "./rollout.ts";

export const opponentOrigins = ["mutant", "start", "past", "adversary"] as const;
export type OpponentOrigin = (typeof opponentOrigins)[number];

export interface Opponent {
  readonly origin: OpponentOrigin;
  readonly source: string;
}

/** The opponents of one step. */
export interface OpponentSource {
  /** Those that depend on the question alone. */
  known(problem: Problem, signal: AbortSignal): Promise<Opponent[]>;
  /** Those that pass these tests and are wrong. */
  adversaries(problem: Problem, tests: readonly TestCase[], signal: AbortSignal): Promise<Opponent[]>;
}

export interface LeagueOptions {
  readonly config: TrainingConfig;
  readonly bank: ProgramBank;
  readonly court: Court;
  readonly dialect: Dialect;
  /** The code model as it was before training; undefined where nobody asks for it. */
  readonly start: FrozenPolicy | undefined;
}

/** Only Code-A1 and self-play have a tester that could meet them. */
export function hasOpponents({ method }: TrainingConfig): boolean {
  if (method.kind !== "code-a1" && method.kind !== "self-play") return false;
  return Object.values(method.opponents).some((count) => count > 0);
}

/** How many changed references are tried for one adversary. */
const adversaryTries = 30;

export class League {
  readonly #options: LeagueOptions;
  readonly #mutation = mutationAdversary();
  readonly #past: Adversary;

  constructor(options: LeagueOptions) {
    this.#options = options;
    this.#past = bankAdversary(options.bank);
  }

  opponents(step: number): OpponentSource {
    const { config } = this.#options;
    const seed = (origin: OpponentOrigin, problem: Problem) =>
      streamSeed(config.seed, `opponents/${origin}/${problem.id}`, step);
    return {
      known: async (problem, signal) => {
        const { mutants, start, past } = config.method.opponents;
        const draw = (origin: OpponentOrigin, adversary: Adversary, most: number) =>
          drawn(adversary, { problem, tests: [], most, seed: seed(origin, problem), signal }, origin);
        return [
          ...(mutants > 0 ? await draw("mutant", this.#mutation, mutants) : []),
          ...(start > 0 ? await draw("start", this.#start(start), start) : []),
          ...(past > 0 ? await draw("past", this.#past, past) : []),
        ];
      },
      adversaries: (problem, tests, signal) =>
        this.#adversaries(problem, tests, { seed: seed("adversary", problem), signal }),
    };
  }

  async #adversaries(
    problem: Problem,
    tests: readonly TestCase[],
    { seed, signal }: { seed: number; signal: AbortSignal },
  ): Promise<Opponent[]> {
    const found: Opponent[] = [];
    for (let index = 0; index < this.#options.config.method.opponents.adversaries; index += 1) {
      const request = { problem, tests, most: adversaryTries, seed: seed + index, signal };
      const { source } = await findAdversary(this.#mutation, this.#options.court, request);
      if (source === undefined) break;
      if (!found.some((other) => other.source === source)) found.push({ origin: "adversary", source });
    }
    return found;
  }

  #start(chunk: number): Adversary {
    const { start, dialect, config } = this.#options;
    return samplingAdversary({
      policy: start!,
      dialect,
      temperature: config.sampling.temperature,
      topP: 1,
      maxTokens: config.sampling.codeTokens,
      chunk,
    });
  }
}

async function drawn(
  adversary: Adversary,
  request: Parameters<Adversary["propose"]>[0],
  origin: OpponentOrigin,
): Promise<Opponent[]> {
  const sources = new Set<string>();
  for await (const source of adversary.propose(request)) sources.add(source);
  return [...sources].map((source) => ({ origin, source }));
}

/** Candidates that ran and failed a test with the reference's answer: their mistakes are real. */
export function wrongCandidates({ problem, candidates }: QuestionRollout): BankEntry[] {
  return candidates
    .filter(
      ({ verdict }) =>
        verdict.loads &&
        verdict.outcomes.some(
          (outcome) => outcome.kind !== "passed" && outcome.kind !== "infrastructure" && !isUnrun(outcome),
        ),
    )
    .map(({ source }) => ({ problemId: problem.id, source }));
}
