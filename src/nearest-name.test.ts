import { describe, expect, it } from "vitest";
import { nearestName } from "./nearest-name.ts";

const known = ["id", "question", "entryPoint", "reference", "goldTests"];

describe("nearestName", () => {
  it.each([
    ["gold_tests", "goldTests"],
    ["entry-point", "entryPoint"],
    ["Entrypoint", "entryPoint"],
    ["refrence", "reference"],
    ["questoin", "question"],
    ["ids", "id"],
  ])("%s is meant as %s", (name, meant) => {
    expect(nearestName(name, known)).toBe(meant);
  });

  it.each(["solution", "x", "", "☃", "goldenTestCases"])("%j is none of them", (name) => {
    expect(nearestName(name, known)).toBeUndefined();
  });
});
