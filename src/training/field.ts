/**
 * The field: every right test of a question's suites is run on every opponent, whatever program it was written for.
 * What a suite is worth is then the share of the opponents that it kills (a mutation score), so that a suite for a
 * right candidate, which nothing can break, still shows how strong its tests are.
 */
import type { Court } from "../evaluation/judge-candidate.ts";
import { judgeFully } from "../evaluation/judge-each.ts";
import { questionKey } from "../problems/case-codec.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import type { SuiteRollout, TestedProgram } from "./rollout.ts";

/** Opponents that a suite kills, of those that were there. */
export interface FieldScore {
  readonly killed: number;
  readonly of: number;
}

/** Writes the score of each suite of a program into it. */
export type ScoreOnField = <Program extends TestedProgram>(program: Program) => Program;

export async function playField(
  court: Court,
  options: { problem: Problem; opponents: readonly string[]; programs: readonly TestedProgram[] },
): Promise<ScoreOnField> {
  const { problem, opponents, programs } = options;
  const tests = new Map(programs.flatMap(({ suites }) => suites.flatMap((suite) => [...rightTests(suite)])));
  const found = await Promise.all(opponents.map((source) => killersOf(court, problem, source, tests)));
  const killers = found.filter((keys) => keys !== undefined);
  const scored = (suite: SuiteRollout): SuiteRollout => {
    const keys = [...rightTests(suite).keys()];
    const killed = killers.filter((killing) => keys.some((key) => killing.has(key))).length;
    return { ...suite, field: { killed, of: killers.length } };
  };
  return (program) => ({ ...program, suites: program.suites.map(scored) });
}

/** The tests that this program fails; undefined for one that does not load or was lost. */
async function killersOf(
  court: Court,
  problem: Problem,
  source: string,
  tests: ReadonlyMap<string, TestCase>,
): Promise<ReadonlySet<string> | undefined> {
  const { outcomes } = await judgeFully(court, { problem, source, cases: [...tests.values()] });
  if (outcomes.some(({ kind }) => kind === "infrastructure" || kind === "did-not-load")) return undefined;
  return new Set([...tests.keys()].filter((_, index) => outcomes[index]!.kind !== "passed"));
}

/** By what they ask. */
export function rightTests({ verdict }: SuiteRollout): Map<string, TestCase> {
  return new Map(
    verdict.tests.flatMap(({ judged, testCase }) =>
      judged.kind === "kept" && judged.answer === "right" && testCase
        ? [[questionKey(testCase), testCase] as const]
        : [],
    ),
  );
}
