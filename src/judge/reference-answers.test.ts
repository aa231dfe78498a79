import { describe, expect, it } from "vitest";
import type { Problem } from "../problems/problem.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import type { Observation } from "../sandbox/sandbox.ts";
import {
  callWith,
  firstArguments,
  integer,
  scriptedSandbox,
} from "../sandbox/scripted-sandbox.test.support.ts";
import { exactComparison } from "../values/compare.ts";
import type { PythonValue } from "../values/python-value.ts";
import { type AnswerCache, MemoryAnswerCache } from "./answer-cache.ts";
import { type Question, questionOf, ReferenceAnswers } from "./reference-answers.ts";

const problem: Problem = {
  id: "p",
  question: "",
  style: "function",
  entryPoint: "f",
  reference: "def f(n): return n * n",
  goldTests: [],
  difficulty: undefined,
  comparison: exactComparison,
  metadata: {},
};
const stdioProblem: Problem = { ...problem, style: "stdio", entryPoint: undefined };

const square = (n: bigint): Observation => ({ kind: "returned", value: integer(n * n) });
const squares = () => scriptedSandbox((job) => firstArguments(job).map(square));
const value = (n: bigint) => ({ kind: "value", value: integer(n) });

function answers(sandbox: ReturnType<typeof scriptedSandbox>, cache: AnswerCache = new MemoryAnswerCache()) {
  return new ReferenceAnswers({ sandbox, cache, limits: defaultLimits });
}

/** What the reference answers if its two runs observe these. */
async function agreement(first: Observation, second: Observation, asked: Problem = problem) {
  const both = [first, second];
  const sandbox = scriptedSandbox(() => [both.shift()!], { underLoad: false });
  const question: Question = asked.style === "function" ? callWith(1n) : "input";
  const [answer] = await answers(sandbox).answer(asked, [question]);
  return answer;
}

describe("ReferenceAnswers", () => {
  it("asks twice, the second time in reverse order", async () => {
    const sandbox = squares();
    const found = await answers(sandbox).answer(problem, [2n, 3n, 4n].map(callWith));
    expect(found).toEqual([value(4n), value(9n), value(16n)]);
    expect(sandbox.asked.map(({ job }) => firstArguments(job))).toEqual([
      [2n, 3n, 4n],
      [4n, 3n, 2n],
    ]);
  });

  it("asks each question once, within a call, between calls and at the same time", async () => {
    const sandbox = squares();
    const cache = new MemoryAnswerCache();
    const reference = answers(sandbox, cache);
    const [first, second] = await Promise.all([
      reference.answer(problem, [2n, 3n, 2n].map(callWith)),
      reference.answer(problem, [3n, 5n].map(callWith)),
    ]);
    expect(first).toEqual([value(4n), value(9n), value(4n)]);
    expect(second).toEqual([value(9n), value(25n)]);
    await reference.answer(problem, [5n, 3n, 2n].map(callWith));
    await answers(sandbox, cache).answer(problem, [5n].map(callWith));
    expect(sandbox.asked.flatMap(({ job }) => firstArguments(job)).sort()).toEqual([2n, 2n, 3n, 3n, 5n, 5n]);
  });

  it("asks one thing at a time for each problem, and together what came meanwhile, up to a limit", async () => {
    const sandbox = squares();
    const reference = answers(sandbox);
    const range = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => BigInt(from + index));
    const asked = [range(0, 3), range(3, 40), range(40, 70), range(70, 80)];
    const found = await Promise.all(asked.map((numbers) => reference.answer(problem, numbers.map(callWith))));
    expect(found.flat()).toEqual(range(0, 80).map((n) => value(n * n)));
    const sizes = sandbox.asked.map(({ job }) => firstArguments(job).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(160);
    expect(sizes.length).toBeLessThanOrEqual(6);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64);
    const other = { ...problem, reference: "another" };
    await Promise.all([reference.answer(other, [callWith(1n)]), reference.answer(problem, [callWith(99n)])]);
    expect(
      sandbox.asked
        .slice(sizes.length)
        .map(({ job }) => job.source)
        .sort(),
    ).toEqual([other, other, problem, problem].map((each) => each.reference).sort());
  });

  it("keeps another reference, other limits and another call apart", async () => {
    const sandbox = squares();
    const cache = new MemoryAnswerCache();
    await answers(sandbox, cache).answer(problem, [callWith(2n)]);
    await answers(sandbox, cache).answer({ ...problem, reference: "other" }, [callWith(2n)]);
    const slower = new ReferenceAnswers({
      sandbox,
      cache,
      limits: { ...defaultLimits, caseCpuSeconds: 9 },
    });
    await slower.answer(problem, [callWith(2n)]);
    await answers(sandbox, cache).answer(problem, [{ args: [integer(2n)], keywords: { k: integer(1n) } }]);
    expect(sandbox.asked).toHaveLength(8);
  });

  it("does not take a value that two runs disagree on", async () => {
    expect(await agreement(square(2n), square(3n))).toMatchObject({ kind: "none", reason: "undecided" });
    expect(await agreement(square(2n), square(2n))).toEqual(value(4n));
  });

  it("compares the two runs exactly", async () => {
    const returned = (found: PythonValue): Observation => ({ kind: "returned", value: found });
    const yes = returned({ type: "bool", value: true });
    expect(await agreement(yes, square(1n))).toMatchObject({ kind: "none", reason: "undecided" });
    const nan = returned({ type: "float", value: Number.NaN });
    expect(await agreement(nan, nan)).toMatchObject({ kind: "value" });
  });

  it.each<[string, Observation, string]>([
    ["raises", { kind: "raised", error: { type: "ValueError", message: "no" } }, "raised"],
    ["hangs", { kind: "timed-out", limit: "cpu" }, "timed-out"],
    ["needs too much memory", { kind: "out-of-memory" }, "too-large"],
    ["answers too much", { kind: "output-flood", what: "value" }, "too-large"],
    ["does not load", { kind: "did-not-load", error: { type: "E", message: "" } }, "did-not-load"],
    [
      "returns an object",
      { kind: "returned", value: { type: "opaque", typeName: "Node", reason: "object" } },
      "not-a-literal",
    ],
  ])("has no answer when the reference %s", async (_, observation, reason) => {
    expect(await agreement(observation, observation)).toMatchObject({ kind: "none", reason });
    expect(await agreement(square(1n), observation)).toMatchObject({ kind: "none" });
  });

  it("takes what a stdio reference prints, if it ends well both times", async () => {
    const printed = (stdout: string, exitCode = 0): Observation => ({
      kind: "printed",
      stdout,
      stderr: "",
      exitCode,
    });
    const asked = (first: Observation, second: Observation) => agreement(first, second, stdioProblem);
    expect(await asked(printed("1\n"), printed("1"))).toEqual({ kind: "output", stdout: "1\n" });
    expect(await asked(printed("1"), printed("2"))).toMatchObject({ reason: "undecided" });
    expect(await asked(printed("1"), printed("1", 3))).toMatchObject({ reason: "raised" });
  });

  it("asks again after a failure of our own, and only for what failed", async () => {
    let broken = true;
    const sandbox = scriptedSandbox((job) =>
      firstArguments(job).map((n) =>
        broken && n === 3n ? { kind: "infrastructure", message: "lost" } : square(n),
      ),
    );
    const reference = answers(sandbox);
    const questions = [2n, 3n].map(callWith);
    expect(await reference.answer(problem, questions)).toEqual([
      value(4n),
      { kind: "infrastructure", message: "lost" },
    ]);
    broken = false;
    expect(await reference.answer(problem, questions)).toEqual([value(4n), value(9n)]);
    expect(sandbox.asked.slice(2).map(({ job }) => firstArguments(job))).toEqual([[3n], [3n]]);
  });

  it("asks again when a stored answer is damaged", async () => {
    const sandbox = squares();
    const damaged = [
      "",
      "{",
      "null",
      '{"kind":"value"}',
      '{"kind":"value","wire":{"i":"x"}}',
      '{"kind":"?"}',
    ];
    for (const text of damaged) {
      const cache = new MemoryAnswerCache();
      const noted = { ...cacheThatNotes(cache) };
      await answers(sandbox, noted).answer(problem, [callWith(2n)]);
      await cache.store(noted.problemKey(), new Map([[noted.questionKey(), text]]));
      expect(await answers(sandbox, cache).answer(problem, [callWith(2n)])).toEqual([value(4n)]);
    }
    expect(sandbox.asked).toHaveLength(damaged.length * 4);
  });

  it("tells everybody who asked when the sandbox cannot be used, and recovers", async () => {
    let closed = true;
    const sandbox = scriptedSandbox((job) => {
      if (closed) throw new Error("closed");
      return firstArguments(job).map(square);
    });
    const reference = answers(sandbox);
    const both = await Promise.allSettled([
      reference.answer(problem, [callWith(2n)]),
      reference.answer(problem, [callWith(2n)]),
    ]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    closed = false;
    expect(await reference.answer(problem, [callWith(2n)])).toEqual([value(4n)]);
  });

  it("asks for the input half of a test", () => {
    const call = callWith(1n);
    expect(questionOf({ style: "function", call, expected: integer(2n) })).toBe(call);
    expect(questionOf({ style: "stdio", input: "1", expected: "2" })).toBe("1");
  });
});

/** Passes everything on and remembers under which keys it was stored. */
function cacheThatNotes(cache: AnswerCache) {
  let problemKey = "";
  let questionKey = "";
  return {
    load: (key: string) => cache.load(key),
    store(key: string, stored: ReadonlyMap<string, string>) {
      problemKey = key;
      questionKey = [...stored.keys()][0]!;
      return cache.store(key, stored);
    },
    problemKey: () => problemKey,
    questionKey: () => questionKey,
  };
}
