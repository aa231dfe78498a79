/** Suites of one program run on the other programs of the question, in the real sandbox. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { courtWith, openTestSandbox, doubling as problem } from "../evaluation/court.test.support.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import type { StdioCase } from "../problems/problem.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { playField } from "./field.ts";
import type { SuiteRollout, TestedProgram } from "./rollout.ts";

let sandbox: Sandbox;
let court: Court;
beforeAll(async () => {
  sandbox = await openTestSandbox();
  court = courtWith(sandbox);
});
afterAll(() => sandbox.close());

function suite(...tests: { number: number; answer: "right" | "wrong" }[]): SuiteRollout {
  const cases = tests.map(({ number, answer }) => {
    const testCase: StdioCase = { style: "stdio", input: `${number}\n`, expected: `${2 * number}\n` };
    return { judged: { kind: "kept", answer, result: "passed" } as const, testCase };
  });
  const completion = {
    text: "",
    tokenIds: [],
    logprobs: [],
    promptTokenIds: [],
    stopReason: "end",
    role: "test",
    policyVersion: 0,
  } as const;
  return { completion, read: { cases: [], invalid: [] }, verdict: { kind: "judged", tests: cases } };
}

const program = (...suites: SuiteRollout[]): TestedProgram => ({
  source: problem.reference,
  history: undefined,
  verdict: { loads: true, outcomes: [], denied: 0 },
  suites,
});

it("counts the opponents that a suite's right tests kill, whoever the suite was written for", async () => {
  const opponents = [
    "print(4)", // right for 2 alone
    "n = int(input())\nprint(n * n)", // right for 0 and 2
    "n = int(input())\nprint(2 * n if n < 5 else 0)", // right below 5
    "print(", // no opponent: it does not load
  ];
  const programs = [
    program(suite({ number: 2, answer: "right" }), suite({ number: 3, answer: "right" })),
    program(
      suite({ number: 2, answer: "right" }, { number: 7, answer: "right" }),
      suite({ number: 7, answer: "wrong" }, { number: 2, answer: "right" }),
    ),
  ];
  const score = await playField(court, { problem, opponents, programs });
  const fields = programs.map(score).map(({ suites }) => suites.map(({ field }) => field));
  expect(fields).toEqual([
    [
      { killed: 0, of: 3 },
      { killed: 2, of: 3 },
    ],
    [
      { killed: 3, of: 3 },
      { killed: 0, of: 3 },
    ],
  ]);
});

it("does not pay a suite for tests that another suite's tests left no time for", async () => {
  const opponents = ["n = int(input())\nwhile n % 2: pass\nprint(2 * n)"]; // hangs on odd numbers
  const right = (...numbers: number[]) =>
    suite(...numbers.map((number) => ({ number, answer: "right" as const })));
  const programs = [program(right(1, 3, 5, 7), right(2, 4))];
  const limits = { caseCpuSeconds: 0.2, programCpuSeconds: 0.6 };
  const score = await playField(courtWith(sandbox, limits), { problem, opponents, programs });
  expect(score(programs[0]!).suites.map(({ field }) => field)).toEqual([
    { killed: 1, of: 1 },
    { killed: 0, of: 1 },
  ]);
});
