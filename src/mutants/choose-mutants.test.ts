import { describe, expect, it } from "vitest";
import { chooseMutants } from "./choose-mutants.ts";
import { mutantsOf } from "./mutants-of.ts";

const program = `def f(values):
    total = 1 + 2 + 3 + 4 + 5 + 6
    for value in values:
        if value < 7 and value:
            total += 8
    return total
`;
const mutants = mutantsOf(program);

describe("a choice of mutants", () => {
  it("has every operator before one comes twice", () => {
    const operators = new Set(mutants.map(({ operator }) => operator));
    const chosen = chooseMutants(mutants, { count: operators.size, seed: 1 });
    expect(new Set(chosen.map(({ operator }) => operator))).toEqual(operators);
  });

  it("spreads over the lines of an operator", () => {
    const constants = mutantsOf(program, { operators: ["number-constant"] });
    const lines = new Set(constants.map(({ line }) => line));
    expect(lines.size).toBe(3);
    expect(new Set(chooseMutants(constants, { count: 3, seed: 5 }).map(({ line }) => line))).toEqual(lines);
  });

  it("is the same for the same seed, another for another, and holds each mutant once", () => {
    const all = (seed: number) => chooseMutants(mutants, { count: 1_000, seed });
    expect(all(3)).toEqual(all(3));
    expect(all(3)).not.toEqual(all(4));
    expect(new Set(all(3))).toEqual(new Set(mutants));
    expect(all(3)).toHaveLength(mutants.length);
  });

  it("is nothing of nothing", () => {
    expect(chooseMutants([], { count: 3, seed: 1 })).toEqual([]);
    expect(chooseMutants(mutants, { count: 0, seed: 1 })).toEqual([]);
  });
});
