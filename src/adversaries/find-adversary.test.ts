/** The check vectors of ATGEN's predicate and the search over real programs in the real sandbox. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SparringError } from "../errors.ts";
import { courtWith, openTestSandbox } from "../evaluation/court.test.support.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import type { Problem, StdioCase } from "../problems/problem.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { exactComparison } from "../values/compare.ts";
import { judgeProposal } from "./accept-program.ts";
import type { Adversary } from "./adversary.ts";
import { bankAdversary } from "./bank-adversary.ts";
import { findAdversary } from "./find-adversary.ts";
import { mutationAdversary } from "./mutation-adversary.ts";
import { ProgramBank } from "./program-bank.ts";

const stdio = (input: string, expected: string): StdioCase => ({ style: "stdio", input, expected });
const problem: Problem = {
  id: "successor",
  question: "Read a whole number and print the next one.",
  style: "stdio",
  entryPoint: undefined,
  reference: "print(int(input()) + 1)",
  goldTests: [stdio("1\n", "2\n"), stdio("5\n", "6\n"), stdio("-3\n", "-2\n")],
  difficulty: undefined,
  comparison: exactComparison,
  metadata: {},
};
const test = stdio("1\n", "2\n");
const request = { problem, tests: [test], most: 30, seed: 1 };

let sandbox: Sandbox;
let court: Court;
beforeAll(async () => {
  sandbox = await openTestSandbox();
  court = courtWith(sandbox);
});
afterAll(() => sandbox.close());

function scripted(...sources: string[]): Adversary {
  return {
    kind: "sampling",
    async *propose() {
      yield* sources;
    },
  };
}

describe("the predicate", () => {
  const verdict = (source: string, goldTests = problem.goldTests) =>
    judgeProposal(court, { problem: { ...problem, goldTests }, source, tests: [test] });

  it("accepts a program that passes the test and fails a gold test", async () => {
    expect(await verdict("print(2)")).toBe("accepted");
  });
  it("takes the same program for right where all gold answers are 2", async () => {
    expect(await verdict("print(2)", [test])).toBe("right");
  });
  it("never accepts the reference", async () => {
    expect(await verdict(problem.reference)).toBe("right");
  });
  it("refuses a program that prints 3 on 1", async () => {
    expect(await verdict("print(3)")).toBe("fails-tests");
  });
  it("refuses what does not compile, and what ends while it loads", async () => {
    expect(await verdict("print(2")).toBe("does-not-load");
  });
  it("knows a problem that has a check program instead of gold tests", async () => {
    const increment: Problem = {
      ...problem,
      style: "function",
      entryPoint: "f",
      reference: "def f(x):\n    return x + 1",
      goldTests: [],
      check: {
        source: "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(5) == 6\n",
        form: "check",
      },
    };
    const judged = (source: string) => judgeProposal(court, { problem: increment, source, tests: [] });
    expect(await judged("def f(x):\n    return 2")).toBe("accepted");
    expect(await judged(increment.reference)).toBe("right");
  });
  it("asks only for a wrong program where there is no test", async () => {
    const proposal = { problem, tests: [] };
    expect(await judgeProposal(court, { ...proposal, source: "print(0)" })).toBe("accepted");
    expect(await judgeProposal(court, { ...proposal, source: problem.reference })).toBe("right");
    expect(await judgeProposal(court, { ...proposal, source: "print(" })).toBe("does-not-load");
  });
});

describe("findAdversary", () => {
  it("takes the first that is accepted and counts what was tried before it", async () => {
    const adversary = scripted("print(3)", "print(", problem.reference, "print(2)", "print(1 + 1)");
    expect(await findAdversary(adversary, court, request)).toEqual({
      source: "print(2)",
      tries: 4,
      verdicts: { "fails-tests": 1, "does-not-load": 1, right: 1, accepted: 1 },
    });
  });

  it("ends without one when the tries are used up", async () => {
    const endless: Adversary = {
      kind: "sampling",
      async *propose() {
        for (;;) yield problem.reference;
      },
    };
    const search = await findAdversary(endless, court, { ...request, most: 12 });
    expect(search).toEqual({ source: undefined, tries: 12, verdicts: { right: 12 } });
  });

  it("does not take what whoever asks has no use for", async () => {
    const adversary = scripted("print(2)", "print(1 + 1)");
    const unwanted = (source: string) => source === "print(2)";
    expect(await findAdversary(adversary, court, { ...request, unwanted })).toEqual({
      source: "print(1 + 1)",
      tries: 2,
      verdicts: { unwanted: 1, accepted: 1 },
    });
  });

  const failing = (error: Error): Adversary => ({
    kind: "sampling",
    // biome-ignore lint/correctness/useYield: it fails before it has anything to give
    async *propose() {
      throw error;
    },
  });

  it.each(["engine-endpoint", "engine-prompt-refused"])(
    "says why the adversary failed instead of failing the run: %s",
    async (code) => {
      const broken = failing(new SparringError({ code, message: "the server is down" }));
      const search = await findAdversary(broken, court, request);
      expect(search).toMatchObject({ source: undefined, tries: 0, failure: "the server is down" });
    },
  );

  it.each([
    ["a wrong key", new SparringError({ code: "engine-endpoint-refused", message: "HTTP 401" })],
    ["a sandbox that is gone", new SparringError({ code: "sandbox-lost", message: "gone" })],
    ["a defect", new TypeError("undefined is not a function")],
  ])("does not hide what will not pass: %s", async (_, error) => {
    await expect(findAdversary(failing(error), court, request)).rejects.toBe(error);
  });

  it("does not take a stop for a failure", async () => {
    const stop = new AbortController();
    stop.abort();
    const down = new SparringError({ code: "engine-endpoint", message: "down" });
    const stopped = findAdversary(failing(down), court, { ...request, signal: stop.signal });
    await expect(stopped).rejects.toBe(down);
  });

  it("finds one among the mutants of the reference, the same one for the same seed", async () => {
    const arithmetic = { ...request, problem: { ...problem, reference: "print(int(input()) * 1 + 1)" } };
    const first = await findAdversary(mutationAdversary(), court, { ...arithmetic, tests: [] });
    expect(first.source).toBeDefined();
    expect(await findAdversary(mutationAdversary(), court, { ...arithmetic, tests: [] })).toEqual(first);
  });

  it("finds one in a bank, which keeps each text once and only so many", async () => {
    const bank = new ProgramBank({ mostPerProblem: 2 });
    const add = (source: string) => bank.add({ problemId: problem.id, source });
    expect([add("print(9)"), add("print(3)"), add("print(3)"), add("print(2)")]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect(bank.programs(problem.id)).toEqual(["print(3)", "print(2)"]);
    expect(bank.size).toBe(2);
    const search = await findAdversary(bankAdversary(bank), court, request);
    expect(search.source).toBe("print(2)");
    expect(bank.programs("another")).toEqual([]);
  });
});
