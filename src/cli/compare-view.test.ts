import { expect, it } from "vitest";
import type { LeftOut } from "../training/usable-problems.ts";
import { CompareView } from "./compare-view.ts";

const leftOut = (id: string): LeftOut[] => [
  { kind: "problem", id, from: "training", reason: "the reference does not load" },
];

it("tells of problems that are left out once for each data set", () => {
  const said: string[] = [];
  const view = new CompareView((text) => said.push(text));
  for (const id of ["a", "a", "b"]) view.of({ steps: 1 })({ kind: "left-out", leftOut: leftOut(id) });
  view.leftOut(leftOut("a"));
  view.leftOut([]);
  expect(said).toEqual([expect.stringContaining("a: the reference"), expect.stringContaining("b: the ref")]);
});

it("tells of each run whose adversary writes no programs", () => {
  const said: string[] = [];
  const view = new CompareView((text) => said.push(text));
  const metrics = { "adversary/tries": 30, "adversary/refused/does-not-load": 30 };
  for (const run of [view.of({ steps: 20 }), view.of({ steps: 20 })])
    for (const step of [1, 2]) run({ kind: "stepped", step, metrics });
  expect(said).toHaveLength(2);
  expect(said[0]).toContain("none of the adversary's 30 programs loads");
});
