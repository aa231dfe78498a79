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
import type { LeftOut } from "./usable-problems.ts";

export async function unusablePairs(
  { pairs }: Pick<ProblemSet, "pairs">,
  {
    sandbox,
    limits,
    fits,
  }: {
    sandbox: Sandbox;
    limits: Limits;
    /** Whether the generator's context has room for an attack on it. */
    fits: (pair: AttackPair) => boolean;
  },
): Promise<LeftOut[]> {
  const entries = [
    ...pairs.training.map((pair) => ({ pair, from: "training" as const })),
    ...pairs.heldOut.map((pair) => ({ pair, from: "held-out" as const })),
  ];
  const found = await Promise.all(
    entries.map(async ({ pair, from }): Promise<LeftOut[]> => {
      if (!fits(pair))
        return [{ kind: "pair", id: pair.id, from, reason: "its wrong program is too long to be shown" }];
      const finding = await checkWrongProgram(pair.problem, pair.buggy, { sandbox, limits });
      if (finding.kind === "refused") return [{ kind: "pair", id: pair.id, from, reason: finding.reason }];
      if (finding.kind !== "infrastructure") return [];
      throw new SparringError({
        code: "sandbox-lost",
        message: `the wrong program of '${pair.id}' could not be run: ${finding.message}`,
        hint: "This is a failure of the machine or the sandbox, not of the pair; `spar doctor` looks into it.",
      });
    }),
  );
  return found.flat();
}
