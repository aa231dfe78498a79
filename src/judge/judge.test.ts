import { describe, expect, it } from "vitest";
import type { TestCase } from "../problems/problem.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import type { Observation } from "../sandbox/sandbox.ts";
import {
  callWith,
  firstArguments,
  integer,
  scriptedSandbox,
} from "../sandbox/scripted-sandbox.test.support.ts";
import { exactComparison } from "../values/compare.ts";
import { type JudgedProblem, judgeProgram } from "./judge.ts";
import { outcomeKinds } from "./outcome.ts";

const functionProblem: JudgedProblem = { style: "function", entryPoint: "f", comparison: exactComparison };
const stdioProblem: JudgedProblem = { style: "stdio", entryPoint: undefined, comparison: exactComparison };

const functionCase = (argument: bigint, expected: bigint): TestCase => ({
  style: "function",
  call: callWith(argument),
  expected: integer(expected),
});
const stdioCase = (input: string, expected: string): TestCase => ({ style: "stdio", input, expected });

async function judgeObservations(
  problem: JudgedProblem,
  cases: readonly TestCase[],
  observations: readonly Observation[],
) {
  const sandbox = scriptedSandbox(() => observations, { underLoad: false, denied: 3 });
  const verdict = await judgeProgram({ sandbox, source: "", problem, cases, limits: defaultLimits });
  return { verdict, sandbox };
}

const error = { type: "ValueError", message: "no" };

describe("judgeProgram", () => {
  it("gives each case the outcome of its own observation", async () => {
    const observations: Observation[] = [
      { kind: "returned", value: integer(1n) },
      { kind: "returned", value: integer(5n) },
      { kind: "raised", error },
      { kind: "timed-out", limit: "wall" },
      { kind: "out-of-memory" },
      { kind: "output-flood", what: "value" },
      { kind: "did-not-load", error },
      { kind: "infrastructure", message: "lost" },
    ];
    const cases = observations.map((_, index) => functionCase(BigInt(index), 1n));
    const { verdict } = await judgeObservations(functionProblem, cases, observations);
    expect(verdict.outcomes).toEqual([
      { kind: "passed", actual: "1" },
      { kind: "wrong-answer", actual: "5" },
      { kind: "raised", error },
      { kind: "timed-out", limit: "wall" },
      { kind: "out-of-memory" },
      { kind: "output-flood" },
      { kind: "did-not-load", error },
      { kind: "infrastructure", message: "lost" },
    ]);
    expect(new Set(verdict.outcomes.map(({ kind }) => kind))).toEqual(new Set(outcomeKinds));
    expect(verdict).toMatchObject({ denied: 3, isolation: "full", integrity: "values", loads: true });
  });

  it("keeps the expected answers out of the sandbox", async () => {
    const { sandbox } = await judgeObservations(
      functionProblem,
      [functionCase(1n, 987_654_321n)],
      [{ kind: "returned", value: integer(1n) }],
    );
    const shown = JSON.stringify(sandbox.asked, (_, value) =>
      typeof value === "bigint" ? `${value}` : value,
    );
    expect(shown).not.toContain("987654321");
  });

  it("passes nothing that is not equal, however it is dressed", async () => {
    const observations: Observation[] = [
      { kind: "returned", value: { type: "opaque", typeName: "int", reason: "object" } },
      { kind: "returned", value: { type: "bool", value: true } },
      { kind: "returned", value: { type: "str", value: "1" } },
      { kind: "returned", value: { type: "list", items: [integer(1n)] } },
      { kind: "printed", stdout: "1", stderr: "", exitCode: 0 },
    ];
    const cases = observations.map(() => functionCase(0n, 1n));
    const { verdict } = await judgeObservations(functionProblem, cases, observations);
    expect(new Set(verdict.outcomes.map(({ kind }) => kind))).toEqual(new Set(["wrong-answer"]));
  });

  it("judges printed text, and an exit code that is not zero as a failure", async () => {
    const printed = (stdout: string, exitCode = 0): Observation => ({
      kind: "printed",
      stdout,
      stderr: "noise",
      exitCode,
    });
    const { verdict, sandbox } = await judgeObservations(
      stdioProblem,
      [stdioCase("a", "1\n"), stdioCase("b", "2"), stdioCase("c", "3")],
      [printed("1"), printed("x".repeat(5_000)), printed("3", 1)],
    );
    expect(verdict.outcomes.map(({ kind }) => kind)).toEqual(["passed", "wrong-answer", "raised"]);
    expect(verdict.outcomes[1]).toEqual({ kind: "wrong-answer", actual: "x".repeat(200) });
    expect(sandbox.asked[0]!.job.work).toEqual({ style: "stdio", inputs: ["a", "b", "c"] });
  });

  it("takes a script that Python cannot read for one that does not load, and an `eval` of the input for a failure", async () => {
    const raised = (message: string): Observation => ({
      kind: "raised",
      error: { type: "SyntaxError", message },
      stdout: "",
      stderr: "",
    });
    const judged = async (message: string) =>
      (await judgeObservations(stdioProblem, [stdioCase("a", "1")], [raised(message)])).verdict;
    expect(await judged("'(' was never closed (<program>, line 1)")).toMatchObject({
      loads: false,
      outcomes: [{ kind: "did-not-load" }],
    });
    expect(await judged("invalid syntax (<string>, line 1)")).toMatchObject({
      loads: true,
      outcomes: [{ kind: "raised" }],
    });
  });

  it("uses the problem's own comparison", async () => {
    const cases: TestCase[] = [
      { style: "function", call: callWith(0n), expected: { type: "float", value: 0.3 } },
      functionCase(0n, 1n),
    ];
    const observations: Observation[] = [
      { kind: "returned", value: { type: "float", value: 0.1 + 0.2 } },
      { kind: "returned", value: { type: "bool", value: true } },
    ];
    const kinds = async (problem: JudgedProblem) => {
      const { verdict } = await judgeObservations(problem, cases, observations);
      return verdict.outcomes.map(({ kind }) => kind);
    };
    expect(await kinds(functionProblem)).toEqual(["wrong-answer", "wrong-answer"]);
    const lenient = { booleans: "as-integers", floatTolerance: 1e-9 } as const;
    expect(await kinds({ ...functionProblem, comparison: lenient })).toEqual(["passed", "passed"]);
  });

  it("judges a program against no cases at all", async () => {
    const { verdict } = await judgeObservations(functionProblem, [], []);
    expect(verdict.outcomes).toEqual([]);
  });

  it("refuses cases of the wrong style", async () => {
    await expect(judgeObservations(functionProblem, [stdioCase("a", "b")], [])).rejects.toThrow(TypeError);
    await expect(judgeObservations(stdioProblem, [functionCase(1n, 1n)], [])).rejects.toThrow(TypeError);
    const nameless = { ...functionProblem, entryPoint: undefined };
    await expect(judgeObservations(nameless, [functionCase(1n, 1n)], [])).rejects.toThrow(TypeError);
  });

  it("re-runs a time-out that happened under load before it counts", async () => {
    const sandbox = scriptedSandbox((job, { alone }) =>
      firstArguments(job).map((n) =>
        alone ? { kind: "returned", value: integer(n) } : { kind: "timed-out", limit: "wall" },
      ),
    );
    const verdict = await judgeProgram({
      sandbox,
      source: "",
      problem: functionProblem,
      cases: [functionCase(1n, 1n), functionCase(2n, 2n)],
      limits: defaultLimits,
    });
    expect(verdict.outcomes.map(({ kind }) => kind)).toEqual(["passed", "passed"]);
  });
});
