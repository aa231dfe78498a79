/** Small changes to the reference: no model is needed, and every problem has some. */
import { chooseMutants } from "../mutants/choose-mutants.ts";
import { mutantsOf } from "../mutants/mutants-of.ts";
import type { Adversary } from "./adversary.ts";

export function mutationAdversary(): Adversary {
  return {
    kind: "mutation",
    async *propose({ problem, most, seed }) {
      for (const { source } of chooseMutants(mutantsOf(problem.reference), {
        count: most,
        seed,
      }))
        yield source;
    },
  };
}
