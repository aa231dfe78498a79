/** What a search for bugs came to: how many problems and programs, and why the others were left out. */
import type { Outcome } from "../judge/outcome.ts";
import type { BugFault, BugVerdict, ProblemBugs } from "./find-bugs.ts";

export interface BugSummary {
  readonly problems: {
    readonly all: number;
    readonly withPairs: number;
    /** Usable, but nothing was found. */
    readonly withoutBugs: number;
    readonly leftOut: Readonly<Partial<Record<BugFault, number>>>;
  };
  /** Gold tests of usable problems that were left out for their long inputs, and how many problems had such. */
  readonly longTests: { readonly tests: number; readonly problems: number };
  readonly programs: {
    readonly all: number;
    readonly verdicts: Readonly<Partial<Record<BugVerdict, number>>>;
  };
  readonly pairs: number;
  /** How the first failing test of the wrong programs ends. */
  readonly outcomes: Readonly<Partial<Record<Outcome["kind"], number>>>;
  /** The median over pairs of the share of gold tests that the wrong program fails; missing without pairs. */
  readonly medianFailingShare?: number;
}

export function summarizeBugs(found: readonly ProblemBugs[]): BugSummary {
  const bugs = found.flatMap((each) => each.bugs);
  const verdicts: Partial<Record<BugVerdict, number>> = {};
  for (const each of found) {
    for (const [verdict, count] of Object.entries(each.verdicts) as [BugVerdict, number][]) {
      verdicts[verdict] = (verdicts[verdict] ?? 0) + count;
    }
  }
  const long = found.flatMap((each) => each.longTests ?? []);
  const shares = bugs.map(({ failed, run }) => failed / run).sort((left, right) => left - right);
  const median = shares[Math.floor(shares.length / 2)];
  return {
    problems: {
      all: found.length,
      withPairs: found.filter((each) => each.bugs.length > 0).length,
      withoutBugs: found.filter((each) => !each.fault && each.bugs.length === 0).length,
      leftOut: countBy(found.flatMap(({ fault }) => (fault ? [fault.kind] : []))),
    },
    longTests: { tests: long.reduce((sum, count) => sum + count, 0), problems: long.length },
    programs: { all: Object.values(verdicts).reduce((sum, count) => sum + count, 0), verdicts },
    pairs: bugs.length,
    outcomes: countBy(bugs.map(({ outcome }) => outcome)),
    ...(median !== undefined && { medianFailingShare: median }),
  };
}

function countBy<Kind extends string>(kinds: readonly Kind[]): Partial<Record<Kind, number>> {
  const counts: Partial<Record<Kind, number>> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
