import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { courtWith, doubling, doublingFunction, openTestSandbox } from "../evaluation/court.test.support.ts";
import { arenaProblems } from "../problems/arena/arena.ts";
import type { Problem } from "../problems/problem.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { scriptedSandbox } from "../sandbox/scripted-sandbox.test.support.ts";
import { bankAdversary } from "./bank-adversary.ts";
import { summarizeBugs } from "./bug-summary.ts";
import { type BugHunt, findBugs, pairsOf } from "./find-bugs.ts";
import { mutationAdversary } from "./mutation-adversary.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
});
afterAll(() => sandbox?.close());

const rules = { severalAnswers: "left-out", maximumInputBytes: 1_000 } as const;

function hunt(problem: Problem, programs: readonly string[], changes: Partial<BugHunt> = {}) {
  return findBugs(problem, {
    ...rules,
    court: courtWith(sandbox, { caseCpuSeconds: 1 }),
    adversary: bankAdversary({ programs: () => programs }),
    tries: 100,
    most: 100,
    largestFailingShare: 1,
    seed: 1,
    ...changes,
  });
}

describe("a search for bugs", () => {
  it("keeps what loads and fails, and counts the rest", async () => {
    const found = await hunt(doubling, [
      "print(int(input()) * 3)",
      "print( int(input()) * 3 )  # again",
      "print(int(input()) * 2) # the reference",
      "x = int(input())\nprint(x + x)",
      "print(",
      "raise ValueError",
      "while True: pass",
    ]);
    expect(found.verdicts).toEqual({ kept: 3, duplicate: 2, right: 1, "does-not-load": 1 });
    const kept = Object.fromEntries(
      found.bugs.map(({ source, outcome, failed, run }) => [outcome, { source, failed, run }]),
    );
    expect(kept["wrong-answer"]).toMatchObject({ failed: 1, run: 2 });
    expect(kept.raised).toEqual({ source: "raise ValueError", failed: 2, run: 2 });
    expect(kept["timed-out"]).toEqual({ source: "while True: pass", failed: 1, run: 1 });
  });

  it("obeys ATGEN's predicate: wrong somewhere on the gold tests", async () => {
    const plusOne: Problem = {
      ...doubling,
      reference: "print(int(input()) + 1)",
      goldTests: [
        { style: "stdio", input: "1\n", expected: "2\n" },
        { style: "stdio", input: "5\n", expected: "6\n" },
      ],
    };
    const kept = async (problem: Problem, program: string) => (await hunt(problem, [program])).bugs.length;
    expect(await kept(plusOne, "print(2)")).toBe(1);
    expect(await kept({ ...plusOne, goldTests: plusOne.goldTests.slice(0, 1) }, "print(2)")).toBe(0);
    expect(await kept(plusOne, plusOne.reference)).toBe(0);
    expect(await kept(plusOne, "print(")).toBe(0);
  });

  it("stops at as many as were asked for, and leaves out what fails too much", async () => {
    const programs = ["print(1)", "print(2)", "print(3)", "print(int(input()) * 3)"];
    const few = await hunt(doubling, programs, { most: 2 });
    expect(few.bugs).toHaveLength(2);
    const subtle = await hunt(doubling, programs, { largestFailingShare: 0.5 });
    expect(subtle.verdicts).toEqual({ kept: 1, "too-crude": 3 });
  });

  it("finds mutants of arena problems, the same for the same seed", async () => {
    const adversary = mutationAdversary();
    for (const style of ["function", "stdio"] as const) {
      const [problem] = arenaProblems({ split: "held-out", style, limit: 1 });
      const found = await hunt(problem!, [], { adversary, tries: 6, most: 3 });
      expect(found.bugs.length).toBeGreaterThan(1);
      expect(await hunt(problem!, [], { adversary, tries: 6, most: 3 })).toEqual(found);
    }
  });

  it.each([
    [
      "several answers",
      { question: "Print any of them." },
      "several-answers",
      'several answers ("Print any")',
    ],
    ["no tests", { goldTests: [] }, "no-gold-tests", "the problem has no gold test"],
    [
      "a long input",
      { goldTests: [{ style: "stdio", input: "1".repeat(2_000), expected: "" }] },
      "no-gold-tests",
      "no gold test with a short enough input",
    ],
    [
      "a wrong reference",
      { reference: "print(1)" },
      "reference-fails",
      'goldTests[0]: the reference gives "1\\n"',
    ],
    [
      "a reference that throws dice",
      {
        reference: "import os, sys\nsys.stdin.read()\nprint(int.from_bytes(os.urandom(4), 'big'))",
        goldTests: [],
        check: { form: "script", source: "pass" },
      },
      "reference-fails",
      "check",
    ],
  ] as const)("leaves out a problem with %s", async (_, changes, kind, reason) => {
    const problem = { ...doubling, ...changes } as Problem;
    const found = await hunt(problem, ["print(1)"]);
    expect(found).toMatchObject({ bugs: [], verdicts: {}, fault: { kind } });
    expect(found.fault!.reason).toContain(reason);
  });

  it("leaves out a reference that answers one question in two ways", async () => {
    const problem: Problem = {
      ...doublingFunction,
      comparison: { booleans: "distinct", floatTolerance: 1 },
      reference: "import time\ndef double(x):\n    return x * 2 + time.time() % 1 / 9",
    };
    expect(await hunt(problem, [])).toMatchObject({ fault: { kind: "reference-undecided" } });
  });

  it("keeps a problem with several answers where that is wished", async () => {
    const problem = { ...doubling, question: "Print any of them." };
    expect((await hunt(problem, ["print(1)"], { severalAnswers: "kept" })).bugs).toHaveLength(1);
  });

  it("takes the first program that works as the reference, and leaves long inputs out", async () => {
    const problem: Problem = {
      ...doubling,
      reference: "print(1)",
      metadata: { otherReferences: ["print(", "print(2 * int(input()))"] },
      goldTests: [...doubling.goldTests, { style: "stdio", input: `${" ".repeat(2_000)}1`, expected: "7" }],
    };
    const found = await hunt(problem, ["print(3)"]);
    expect(found.reference).toBe("print(2 * int(input()))");
    expect(found.longTests).toBe(1);
    const [pair] = pairsOf(problem, found, rules);
    expect(pair).toMatchObject({ id: "double#1", buggy: "print(3)" });
    expect(pair!.problem.reference).toBe("print(2 * int(input()))");
    expect(pair!.problem.goldTests).toEqual(doubling.goldTests);
    expect(pair!.problem.metadata.otherReferences).toEqual(["print(1)", "print("]);
  });

  it("does not take our own failure for anybody's", async () => {
    const lost = scriptedSandbox(() =>
      doubling.goldTests.map(() => ({ kind: "infrastructure", message: "lost" })),
    );
    const found = await hunt(doubling, ["print(1)"], { court: courtWith(lost) });
    expect(found).toMatchObject({ fault: { kind: "masked", reason: "lost" }, bugs: [] });
  });

  it("is stopped by its signal", async () => {
    const signal = AbortSignal.abort();
    await expect(hunt(doubling, ["print(1)"], { signal })).rejects.toThrow();
  });
});

describe("the summary of a search", () => {
  it("counts problems, programs and how they fail", () => {
    const bug = { source: "", outcome: "wrong-answer", failed: 1, run: 4 } as const;
    expect(
      summarizeBugs([
        {
          reference: "",
          bugs: [bug, { ...bug, outcome: "raised", failed: 4 }, bug],
          verdicts: { kept: 3, right: 1 },
          longTests: 2,
        },
        { reference: "", bugs: [], verdicts: { right: 2 }, longTests: 1 },
        { reference: "", bugs: [], verdicts: {}, fault: { kind: "reference-fails", reason: "" } },
      ]),
    ).toEqual({
      problems: { all: 3, withPairs: 1, withoutBugs: 1, leftOut: { "reference-fails": 1 } },
      longTests: { tests: 3, problems: 2 },
      programs: { all: 6, verdicts: { kept: 3, right: 3 } },
      pairs: 3,
      outcomes: { "wrong-answer": 2, raised: 1 },
      medianFailingShare: 0.25,
    });
    expect(summarizeBugs([])).not.toHaveProperty("medianFailingShare");
  });
});
