/**
 * What some methods keep beside the models and the Mistake Book, each with a journal of its own: ATGEN's pool, the
 * league's past programs, generated suites. Which of them a run has follows from its configuration.
 */
import type { TrainingConfig } from "./config.ts";
import { type Team, usesGeneratedSuites } from "./open-players.ts";
import { hasOpponents } from "./opponents.ts";
import type { ProblemSet } from "./problem-set.ts";
import { type BankCoverage, RunAdversaries } from "./run-adversaries.ts";
import { RunLeague } from "./run-league.ts";
import { RunSuites } from "./run-suites.ts";

export interface Companions {
  /** ATGEN. */
  readonly adversaries: RunAdversaries | undefined;
  /** Code-A1 where the tester has other opponents than the candidates. */
  readonly league: RunLeague | undefined;
  /** Code RL where the reward comes from generated suites. */
  readonly suites: RunSuites | undefined;
}

/** How far the journal of each companion reaches, in bytes. */
export type JournalPositions = Readonly<Partial<Record<keyof Companions, number>>>;

interface CompanionOptions {
  readonly folder: string;
  readonly problemSet: ProblemSet;
  readonly team: Team;
  /** Those of the checkpoint that the run continues from. */
  readonly positions: JournalPositions;
  /** Hears why the adversary's server does not answer; the run goes on. */
  readonly onAdversaryDown: (reason: string) => void;
  readonly onPartialBank: (coverage: BankCoverage) => void;
  readonly signal: AbortSignal;
}

export async function openCompanions(config: TrainingConfig, options: CompanionOptions): Promise<Companions> {
  const { folder, problemSet, team, positions, onAdversaryDown, onPartialBank, signal } = options;
  const { dialect } = problemSet;
  return {
    adversaries:
      config.method.kind === "atgen"
        ? await RunAdversaries.open(config, {
            folder,
            problemSet,
            team,
            position: positions.adversaries,
            onDown: onAdversaryDown,
            onPartialBank,
            signal,
          })
        : undefined,
    league: hasOpponents(config) ? new RunLeague({ folder, position: positions.league }) : undefined,
    suites: usesGeneratedSuites(config)
      ? new RunSuites(config, { folder, position: positions.suites, team, dialect })
      : undefined,
  };
}

/** Makes every journal durable. */
export function checkpointCompanions({ adversaries, league, suites }: Companions): JournalPositions {
  return {
    ...(adversaries && { adversaries: adversaries.checkpoint() }),
    ...(league && { league: league.checkpoint() }),
    ...(suites && { suites: suites.checkpoint() }),
  };
}

export async function closeCompanions({ adversaries, league, suites }: Companions): Promise<void> {
  league?.close();
  suites?.close();
  await adversaries?.close();
}
