/** A run's league: its opponents, and the bank of past mistakes with its journal. */
import path from "node:path";
import { type BankEntry, ProgramBank } from "../adversaries/program-bank.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import { Journal } from "../runs/journal.ts";
import type { TrainingConfig } from "./config.ts";
import type { Team } from "./open-players.ts";
import { League } from "./opponents.ts";
import type { ProblemSet } from "./problem-set.ts";

const mostProgramsPerProblem = 16;

export class RunLeague {
  readonly #bank = new ProgramBank({ mostPerProblem: mostProgramsPerProblem });
  readonly #journal: Journal<BankEntry>;

  /** `position` is where the journal stood at the checkpoint that the run continues from. */
  constructor(options: { folder: string; position: number | undefined }) {
    this.#journal = new Journal<BankEntry>({
      file: path.join(options.folder, "adversary", "past.jsonl"),
      bytes: options.position,
      apply: (entry) => this.#bank.add(entry),
    });
  }

  league(
    config: TrainingConfig,
    { team, court, problemSet }: { team: Team; court: Court; problemSet: ProblemSet },
  ): League {
    return new League({ config, bank: this.#bank, court, dialect: problemSet.dialect, start: team.start });
  }

  record(entries: readonly BankEntry[]): void {
    const known = (entry: BankEntry) => this.#bank.programs(entry.problemId).includes(entry.source);
    this.#journal.record(entries.filter((entry) => !known(entry)));
  }

  checkpoint(): number {
    return this.#journal.checkpoint();
  }

  close(): void {
    this.#journal.close();
  }
}
