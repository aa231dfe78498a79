/**
 * Which pairs an ATGEN run can use, once the problems are known to be usable: a program that passes all gold tests
 * cannot be attacked, and one that does not load is attacked by any test.
 */
import { SparringError } from "../errors.ts";
import { checkWrongProgram } from "../evaluation/attack/check-pairs.ts";
import type { AttackPair } from "../problems/attack-pair.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { ProblemSet } from "./problem-set.ts";
import type { StartChecks } from "./start-checks.ts";
import type { LeftOut } from "./usable-problems.ts";

interface PairCheck {
  readonly sandbox: Sandbox;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly checks: StartChecks;
  /** Whether the generator's context has room for an attack on it. */
  readonly fits: (pair: AttackPair) => boolean;
}

export async function unusablePairs(
  { pairs }: Pick<ProblemSet, "pairs">,
  check: PairCheck,
): Promise<LeftOut[]> {
  const entries = [
    ...pairs.training.map((pair) => ({ pair, from: "training" as const })),
    ...pairs.heldOut.map((pair) => ({ pair, from: "held-out" as const })),
  ];
  const faults = await check.checks.each("wrong program", entries, ({ pair }) => pairFault(pair, check));
  return entries.flatMap(({ pair, from }, index) => {
    const reason = faults[index];
    return reason === undefined ? [] : [{ kind: "pair", id: pair.id, from, reason }];
  });
}

async function pairFault(
  pair: AttackPair,
  { checks, fits, ...options }: PairCheck,
): Promise<string | undefined> {
  if (!fits(pair)) return "its wrong program is too long to be shown";
  const { problem, buggy } = pair;
  return checks.once({ what: "wrong program", problem, source: buggy }, async () => {
    const finding = await checkWrongProgram(problem, buggy, options);
    if (finding.kind === "refused") return finding.reason;
    if (finding.kind !== "infrastructure") return undefined;
    throw new SparringError({
      code: "sandbox-lost",
      message: `the wrong program of '${pair.id}' could not be run: ${finding.message}`,
      hint: "This is a failure of the machine or the sandbox, not of the pair; `spar doctor` looks into it. What was found before is kept: run the same command again.",
    });
  });
}
