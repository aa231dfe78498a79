import { describe, expect, it } from "vitest";
import { arenaPairs } from "./arena/attack-pairs.ts";
import { splitByProblem } from "./split-pairs.ts";

const pairs = arenaPairs({ split: "train", perProblem: 2, limit: 400 });
const ids = (side: readonly (typeof pairs)[number][]) => new Set(side.map(({ problem }) => problem.id));

describe("a split by problem", () => {
  it("keeps every pair, and each problem on one side", () => {
    const { training, heldOut } = splitByProblem(pairs, { share: 0.2, seed: 1 });
    expect(training.length + heldOut.length).toBe(pairs.length);
    expect([...ids(heldOut)].filter((id) => ids(training).has(id))).toEqual([]);
    expect(ids(heldOut).size).toBeGreaterThan(55);
    expect(ids(heldOut).size).toBeLessThan(105);
  });

  it("is the same for the same seed, whichever other problems there are", () => {
    const all = ids(splitByProblem(pairs, { share: 0.2, seed: 1 }).heldOut);
    const half = ids(splitByProblem(pairs.slice(0, 400), { share: 0.2, seed: 1 }).heldOut);
    expect([...half].every((id) => all.has(id))).toBe(true);
    expect(ids(splitByProblem(pairs, { share: 0.2, seed: 2 }).heldOut)).not.toEqual(all);
  });

  it("may hold out nothing or everything", () => {
    expect(splitByProblem(pairs, { share: 0, seed: 1 }).heldOut).toEqual([]);
    expect(splitByProblem(pairs, { share: 1, seed: 1 }).training).toEqual([]);
  });
});
