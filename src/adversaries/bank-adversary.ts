/** Wrong programs that were found before: training then needs no model besides the one that learns. */
import { seededRandom, shuffled } from "../problems/arena/random.ts";
import type { Adversary } from "./adversary.ts";
import type { ProgramBank } from "./program-bank.ts";

export function bankAdversary(bank: Pick<ProgramBank, "programs">): Adversary {
  return {
    kind: "bank",
    async *propose({ problem, most, seed }) {
      yield* shuffled(seededRandom(seed), bank.programs(problem.id)).slice(0, most);
    },
  };
}
