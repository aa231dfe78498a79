import { describe, expect, it } from "vitest";
import { chooseMutants } from "../mutants/choose-mutants.ts";
import { mutantsOf } from "../mutants/mutants-of.ts";
import type { Problem } from "../problems/problem.ts";
import { exactComparison } from "../values/compare.ts";
import { mutationAdversary } from "./mutation-adversary.ts";

const problemWith = (reference: string): Problem => ({
  id: "p",
  question: "?",
  style: "stdio",
  entryPoint: undefined,
  reference,
  goldTests: [],
  difficulty: undefined,
  comparison: exactComparison,
  metadata: {},
});
const first = problemWith("x = int(input())\nprint(x + 1 if x < 3 else x * 2)\n");
const second = problemWith("print(int(input()) - 1)\n");

describe("mutationAdversary", () => {
  it("looks for the mutants of a reference once, however often it is attacked", async () => {
    const asked: string[] = [];
    const adversary = mutationAdversary((source) => {
      asked.push(source);
      return mutantsOf(source);
    });
    for (const seed of [1, 2, 3]) {
      for (const problem of [first, second]) {
        const proposed: string[] = [];
        for await (const source of adversary.propose({ problem, tests: [], most: 5, seed }))
          proposed.push(source);
        const fresh = chooseMutants(mutantsOf(problem.reference), { count: 5, seed });
        expect(proposed).toEqual(fresh.map(({ source }) => source));
      }
    }
    expect(asked).toEqual([first.reference, second.reference]);
  });
});
