/**
 * Wrong programs for a problem, out of whatever an adversary proposes. A program is kept iff it loads, fails at least
 * one gold test, and is not one of those kept before in another layout. Programs that pass every gold test are right
 * as far as anybody knows, and are never kept.
 */
import { type Court, judgeOn } from "../evaluation/judge-candidate.ts";
import { judgeFully, judgeGoldFully } from "../evaluation/judge-each.ts";
import type { Outcome } from "../judge/outcome.ts";
import { programKey } from "../mutants/program-key.ts";
import type { AttackPair } from "../problems/attack-pair.ts";
import { withReference } from "../problems/other-references.ts";
import type { Problem } from "../problems/problem.ts";
import type { Adversary } from "./adversary.ts";
import { type GoldFault, type GoldRules, longTests, usableGold, withoutLongInputs } from "./usable-gold.ts";

export const bugVerdicts = ["kept", "does-not-load", "right", "duplicate", "too-crude", "masked"] as const;
export type BugVerdict = (typeof bugVerdicts)[number];

export interface FoundBug {
  readonly source: string;
  /** How the first test that it fails ends. */
  readonly outcome: Outcome["kind"];
  /** Of the tests that were run. */
  readonly failed: number;
  readonly run: number;
}

/** Besides what is wrong with a problem itself: that the model which writes its programs does not take its prompt. */
export type BugFault = GoldFault | "prompt-refused";

/** What was found for one problem; plain data, so that it can be written down. */
export interface ProblemBugs {
  /** Why the problem cannot bear pairs; it then has no bugs. */
  readonly fault?: { readonly kind: BugFault; readonly reason: string };
  /** The program that was taken as right. */
  readonly reference: string;
  readonly bugs: readonly FoundBug[];
  /** What became of the programs that were looked at. */
  readonly verdicts: Readonly<Partial<Record<BugVerdict, number>>>;
  /** Gold tests of a usable problem that were left out for their long inputs; missing where there are none. */
  readonly longTests?: number;
}

export interface BugHunt extends GoldRules {
  readonly court: Court;
  readonly adversary: Adversary;
  /** Programs to look at for each problem, and how many of them to keep. */
  readonly tries: number;
  readonly most: number;
  /** Programs that fail a larger share of the tests are too crude; 1 keeps them all. */
  readonly largestFailingShare: number;
  /** Of this problem. */
  readonly seed: number;
  readonly signal?: AbortSignal;
}

export async function findBugs(problem: Problem, hunt: BugHunt): Promise<ProblemBugs> {
  const gold = await usableGold(hunt.court, problem, hunt);
  if (!gold.ok) {
    const fault = { kind: gold.fault, reason: gold.reason };
    return { fault, reference: problem.reference, bugs: [], verdicts: {} };
  }
  const { signal, adversary, tries, seed } = hunt;
  const verdicts: Partial<Record<BugVerdict, number>> = {};
  const bugs: FoundBug[] = [];
  const seen = new Set([programKey(gold.problem.reference)]);
  const request = { problem: gold.problem, tests: [], most: tries, seed, ...(signal && { signal }) };
  for await (const source of adversary.propose(request)) {
    signal?.throwIfAborted();
    const key = programKey(source);
    const judged = seen.has(key) ? "duplicate" : await judgeBug(gold.problem, source, hunt);
    if (judged !== "masked") seen.add(key);
    const verdict = typeof judged === "string" ? judged : "kept";
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
    if (typeof judged !== "string") bugs.push(judged);
    if (bugs.length >= hunt.most) break;
  }
  const long = longTests(problem, hunt.maximumInputBytes);
  return { reference: gold.problem.reference, bugs, verdicts, ...(long > 0 && { longTests: long }) };
}

async function judgeBug(
  problem: Problem,
  source: string,
  { court, largestFailingShare }: BugHunt,
): Promise<FoundBug | Exclude<BugVerdict, "kept" | "duplicate">> {
  const outcomes = await enoughOutcomes(court, problem, source);
  if (outcomes.some(({ kind }) => kind === "infrastructure")) return "masked";
  if (outcomes.some(({ kind }) => kind === "did-not-load")) return "does-not-load";
  const failures = outcomes.filter(({ kind }) => kind !== "passed");
  const [failure] = failures;
  if (!failure) return "right";
  if (failures.length > largestFailingShare * outcomes.length) return "too-crude";
  return { source, outcome: failure.kind, failed: failures.length, run: outcomes.length };
}

/** Of the gold tests, and of the check program only if they find nothing: it costs more than all of them. */
async function enoughOutcomes(court: Court, problem: Problem, source: string): Promise<readonly Outcome[]> {
  const { goldTests } = problem;
  // One that hangs on the first test most likely hangs on all: it need not do so on all of them.
  const first = await judgeOn(court, problem, source, goldTests.slice(0, 1));
  if (first.outcomes.some(({ kind }) => kind === "timed-out")) return first.outcomes;
  const gold = goldTests.length > 1 ? await judgeFully(court, { problem, source, cases: goldTests }) : first;
  if (!problem.check || gold.outcomes.some(({ kind }) => kind !== "passed")) return gold.outcomes;
  return (await judgeGoldFully(court, problem, source)).outcomes;
}

/** The pairs of a problem, with the tests and the reference that they were found with. */
export function pairsOf(problem: Problem, { reference, bugs }: ProblemBugs, rules: GoldRules): AttackPair[] {
  if (bugs.length === 0) return [];
  const shortened = withoutLongInputs(problem, rules.maximumInputBytes);
  const used = reference === problem.reference ? shortened : withReference(shortened, reference);
  return bugs.map(({ source }, index) => ({
    id: `${problem.id}#${index + 1}`,
    problem: used,
    buggy: source,
  }));
}
