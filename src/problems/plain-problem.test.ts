import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryProblem } from "./arbitrary-problem.test.support.ts";
import { plainRecord } from "./plain-problem.ts";
import { parseProblems } from "./read-problem.ts";

describe("a problem in the plain format", () => {
  it("comes back as what it was", () => {
    fc.assert(
      fc.property(arbitraryProblem, (problem) => {
        expect(parseProblems(JSON.stringify(plainRecord(problem)), "p.json")).toEqual([
          { ...problem, metadata: { ...problem.metadata } },
        ]);
      }),
    );
  });

  it("does not take a check program where programs read input", () => {
    const record = {
      id: "a",
      question: "q",
      style: "stdio",
      reference: "",
      goldTests: [],
      check: { form: "check", source: "def check(c): pass" },
    };
    expect(() => parseProblems(JSON.stringify(record), "p.json")).toThrow(
      "p.json: the field 'check' does not go with the style \"stdio\"",
    );
  });

  it("names what is wrong inside a check program", () => {
    const record = {
      id: "a",
      question: "q",
      style: "function",
      entryPoint: "f",
      reference: "",
      goldTests: [],
    };
    const withCheck = (check: object) => () =>
      parseProblems(JSON.stringify({ ...record, check: { form: "check", source: "x", ...check } }), "p.json");
    expect(withCheck({ form: "nose" })).toThrow("p.json: the field 'check.form' is wrong");
    expect(withCheck({ sauce: "x" })).toThrow("p.json: the field 'check.sauce' is unknown");
  });
});
