/**
 * All of a run that can be checked without training anything and without a request to a server: its problems, its
 * models, and its adversary with the files that it needs.
 */
import type { TrainingConfig } from "../training/config.ts";
import { openTeam } from "../training/open-players.ts";
import { loadProblemSet, type ProblemSet } from "../training/problem-set.ts";
import { type BankCoverage, checkAdversary } from "../training/run-adversaries.ts";
import { type LeftOut, leaveOutLongPrompts } from "../training/usable-problems.ts";

export interface CheckedRun {
  readonly problemSet: ProblemSet;
  readonly leftOut: readonly LeftOut[];
  /** Only for a bank that has programs for some of the problems. */
  readonly bank: BankCoverage | undefined;
  /** Whether this version has the engine, so that the models could be opened. */
  readonly engineChecked: boolean;
}

export async function checkRun(config: TrainingConfig, startFolder: string): Promise<CheckedRun> {
  const loaded = await loadProblemSet(config);
  let bank: BankCoverage | undefined;
  const adversary = (problemSet: ProblemSet) => ({
    problemSet,
    onPartialBank: (coverage: BankCoverage) => {
      bank = coverage;
    },
  });
  const isAttack = config.method.kind === "atgen";
  if (config.engine.kind !== "embedded") {
    if (isAttack) await checkAdversary(config, adversary(loaded));
    return { problemSet: loaded, leftOut: [], bank, engineChecked: false };
  }
  const team = await openTeam(config, startFolder);
  try {
    const { problemSet, leftOut } = leaveOutLongPrompts(loaded, { config, players: team.players });
    if (isAttack) await checkAdversary(config, { ...adversary(problemSet), team });
    return { problemSet, leftOut, bank, engineChecked: true };
  } finally {
    await team.engine.close();
  }
}
