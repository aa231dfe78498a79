/**
 * Generated tests of one pair, each put into its class (rewards/atgen.ts). The reference decides what the right answer
 * is; the wrong program is judged against that answer and never against the generator's, so a test with a wrong
 * answer still shows whether its input tells the two programs apart.
 */
import { casesTogether, inBatches } from "../judge/cases-together.ts";
import { limitsFor } from "../judge/judge-problem.ts";
import type { Outcome } from "../judge/outcome.ts";
import { validateSuites } from "../judge/validate-suite.ts";
import type { AttackPair } from "../problems/attack-pair.ts";
import { questionKey } from "../problems/case-codec.ts";
import type { TestCase } from "../problems/problem.ts";
import type { ReadTest } from "../prompts/dialect.ts";
import type { AttackClass } from "../rewards/atgen.ts";
import type { Court } from "./judge-candidate.ts";
import { judgeEach } from "./judge-each.ts";

export type JudgedAttack =
  | {
      readonly kind: "judged";
      readonly reached: AttackClass;
      /** With the reference's answer; missing where there is no test, or the reference has no answer. */
      readonly testCase?: TestCase;
      /** Of the wrong program on that test. */
      readonly outcome?: Outcome;
      /** Why there is no test, or no answer. */
      readonly reason?: string;
    }
  /** Lost to our own infrastructure: it must become neither a reward nor a figure. */
  | { readonly kind: "masked"; readonly message: string };

/** One verdict for each test, in order. However many there are, each has the time of a test that is judged alone. */
export async function judgeAttacks(
  court: Court,
  pair: AttackPair,
  tests: readonly ReadTest[],
): Promise<JudgedAttack[]> {
  const batches = inBatches(tests, casesTogether(limitsFor(pair.problem, court.limits)));
  return (await Promise.all(batches.map((batch) => judgeBatch(court, pair, batch)))).flat();
}

async function judgeBatch(
  court: Court,
  pair: AttackPair,
  tests: readonly ReadTest[],
): Promise<JudgedAttack[]> {
  const readings = tests.map((test) => ({ cases: test.ok ? [test.case] : [], invalid: [] }));
  const validated = await validateSuites(pair.problem, readings, court.answers);
  const distinct = new Map<string, TestCase>();
  for (const suite of validated) {
    const kept = suite.kind === "validated" ? suite.tests[0] : undefined;
    if (kept?.kind === "kept" && !isSilence(kept.testCase))
      distinct.set(questionKey(kept.testCase), kept.testCase);
  }
  const cases = [...distinct.values()];
  const outcomes = await judgeEach(court, { problem: pair.problem, source: pair.buggy, cases });
  const outcomeByKey = new Map([...distinct.keys()].map((key, index) => [key, outcomes[index]!]));
  return validated.map((suite, index): JudgedAttack => {
    const test = tests[index]!;
    if (!test.ok) return { kind: "judged", reached: "format-wrong", reason: test.reason };
    if (suite.kind === "infrastructure") return { kind: "masked", message: suite.message };
    const [found] = suite.tests;
    if (found?.kind !== "kept") {
      return { kind: "judged", reached: "answer-wrong", ...(found && { reason: found.reason }) };
    }
    const { testCase, answer } = found;
    if (isSilence(testCase)) {
      return {
        kind: "judged",
        reached: "answer-wrong",
        reason: "the reference prints nothing on this input",
      };
    }
    const outcome = outcomeByKey.get(questionKey(testCase))!;
    if (outcome.kind === "infrastructure") return { kind: "masked", message: outcome.message };
    if (answer === "wrong") return { kind: "judged", reached: "answer-wrong", testCase, outcome };
    return { kind: "judged", reached: outcome.kind === "passed" ? "harmless" : "attack", testCase, outcome };
  });
}

/** A program that prints nothing has not answered: its input was most likely none that the problem allows. */
function isSilence(testCase: TestCase): boolean {
  return testCase.style === "stdio" && testCase.expected.trim() === "";
}
