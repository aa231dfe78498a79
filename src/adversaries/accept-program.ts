/**
 * ATGEN's predicate (arXiv 2510.14635): a program is an adversary of tests T for a problem iff
 *
 *   (1) it passes every test of T, and   (2) it fails at least one gold test.
 *
 * T carries the reference's answers, not the generator's: with a wrong answer in T, (1) would select programs that
 * share the generator's mistake. A program that passes all gold tests is right, and attacking it would be impossible.
 */
import type { Court } from "../evaluation/judge-candidate.ts";
import { judgeFully, judgeGoldFully } from "../evaluation/judge-each.ts";
import type { Outcome } from "../judge/outcome.ts";
import type { Problem, TestCase } from "../problems/problem.ts";

export type ProposalVerdict =
  | "accepted"
  | "does-not-load"
  | "fails-tests"
  | "right"
  /** Our own infrastructure lost it. */
  | "masked"
  /** Whoever asked has no use for it (see `AdversaryRequest.unwanted`). */
  | "unwanted";

/** Cheapest first: most proposals are refused by the few tests at hand and never meet the gold tests. */
export async function judgeProposal(
  court: Court,
  { problem, source, tests }: { problem: Problem; source: string; tests: readonly TestCase[] },
): Promise<ProposalVerdict> {
  if (tests.length > 0) {
    const { loads, outcomes } = await judgeFully(court, { problem, source, cases: tests });
    if (isLost(outcomes)) return "masked";
    if (!loads) return "does-not-load";
    if (!allPass(outcomes)) return "fails-tests";
  }
  const gold = await judgeGoldFully(court, problem, source);
  if (isLost(gold.outcomes)) return "masked";
  if (!gold.loads) return "does-not-load";
  return allPass(gold.outcomes) ? "right" : "accepted";
}

function allPass(outcomes: readonly Outcome[]): boolean {
  return outcomes.every(({ kind }) => kind === "passed");
}

function isLost(outcomes: readonly Outcome[]): boolean {
  return outcomes.some(({ kind }) => kind === "infrastructure");
}
