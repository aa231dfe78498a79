/** Small changes to the reference: no model is needed, and every problem has some. */
import { chooseMutants } from "../mutants/choose-mutants.ts";
import type { Mutant } from "../mutants/mutant.ts";
import { mutantsOf } from "../mutants/mutants-of.ts";
import { rememberRecent } from "../remember-recent.ts";
import type { Adversary } from "./adversary.ts";

/** Room for the mutants of any single program, and for those of hundreds of usual ones. */
const mostCharacters = 32_000_000;

export function mutationAdversary(
  findMutants: (source: string) => readonly Mutant[] = (source) => mutantsOf(source),
): Adversary {
  // A problem is attacked again and again, and a long reference takes a second in which nothing else can run.
  const mutants = rememberRecent(findMutants, {
    mostResults: 256,
    mostCharacters,
    charactersOf: (found) => found.reduce((sum, { source }) => sum + source.length, 0),
  });
  return {
    kind: "mutation",
    async *propose({ problem, most, seed }) {
      for (const { source } of chooseMutants(mutants(problem.reference), { count: most, seed })) yield source;
    },
  };
}
