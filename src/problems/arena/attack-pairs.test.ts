import { describe, expect, it } from "vitest";
import type { AttackPair } from "../attack-pair.ts";
import { selectTasks } from "./arena.ts";
import { arenaPairs } from "./attack-pairs.ts";
import { wrongPrograms } from "./wrong-programs.ts";

const written = (pairs: readonly AttackPair[]) => pairs.map(({ id, buggy }) => `${id}\n${buggy}`);

describe("arenaPairs", () => {
  const problems = 60;
  const options = { split: "held-out", perProblem: 4, limit: problems } as const;
  const pairs = arenaPairs(options);

  it("gives each problem several wrong programs, all different from each other and from the reference", () => {
    const chosen = [...new Set(pairs.map(({ problem }) => problem))];
    expect(chosen.length).toBe(problems);
    for (const { id, reference } of chosen) {
      const own = pairs.filter(({ problem }) => problem.id === id);
      expect(own.length).toBeGreaterThanOrEqual(2);
      expect(own.length).toBeLessThanOrEqual(4);
      expect(new Set([reference, ...own.map(({ buggy }) => buggy)]).size).toBe(own.length + 1);
    }
    expect(new Set(pairs.map(({ id }) => id)).size).toBe(pairs.length);
  });

  it("is the same every time, whatever the limit and the number for each problem", () => {
    expect(written(arenaPairs(options))).toEqual(written(pairs));
    const short = written(arenaPairs({ ...options, limit: 10 }));
    expect(short).toEqual(written(pairs).slice(0, short.length));
    const fewer = written(arenaPairs({ ...options, perProblem: 2 }));
    expect(fewer.length).toBe(2 * problems);
    expect(fewer.filter((text) => !written(pairs).includes(text))).toEqual([]);
  });

  it("begins with the wrong program that a tester is measured against elsewhere", () => {
    const first = arenaPairs({ ...options, perProblem: 1 });
    const targets = wrongPrograms({ split: "held-out", limit: problems });
    expect(first.map(({ buggy }) => buggy)).toEqual(targets.map(({ source }) => source));
  });

  it("gives as many as there are where more are asked for", () => {
    const all = arenaPairs({ split: "train", perProblem: 1_000, limit: 3 });
    expect(all.length).toBeGreaterThan(3);
    expect(all.length).toBeLessThan(300);
  });

  it("exists for programs that read and print as well", () => {
    const scripts = arenaPairs({ ...options, style: "stdio" });
    expect(scripts.length).toBe(pairs.length);
    expect(scripts.every(({ problem, buggy }) => problem.style === "stdio" && buggy.includes("print"))).toBe(
      true,
    );
    expect(new Set(scripts.map(({ problem, buggy }) => `${problem.id}\n${buggy}`)).size).toBe(scripts.length);
  });

  it("keeps training and measuring apart", () => {
    const trained = new Set(selectTasks({ split: "train" }).map(({ question }) => question));
    expect(pairs.filter(({ problem }) => trained.has(problem.question))).toEqual([]);
  });
});
