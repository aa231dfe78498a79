import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Problem } from "../problems/problem.ts";
import { chatDialect, type ReadTest } from "../prompts/dialect.ts";
import type { Limits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { scriptedSandbox } from "../sandbox/scripted-sandbox.test.support.ts";
import { courtWith, doubling, doublingFunction, openTestSandbox } from "./court.test.support.ts";
import { judgeAttacks } from "./judge-attack.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
});
afterAll(() => sandbox?.close());

const read = (problem: Problem, answer: string): ReadTest =>
  chatDialect.readAttack(problem, `<think>so</think><answer>${answer}</answer>`);
const pair = (input: string, output: string) => JSON.stringify({ input, output });

/** A wrong program for the doubling problem, or a changed problem, on tests as a generator writes them. */
async function judge(
  buggy: string,
  answers: readonly string[],
  { problem = doubling, limits = {} }: { problem?: Problem; limits?: Partial<Limits> } = {},
) {
  const tests = answers.map((answer) => read(problem, answer));
  return judgeAttacks(courtWith(sandbox, limits), { id: "it", problem, buggy }, tests);
}

const wrongForNegatives = "x = int(input())\nprint(x * 2 if x >= 0 else x)";

describe("judgeAttacks on programs that read and print", () => {
  it("puts each test into its class", async () => {
    const judged = await judge(wrongForNegatives, [
      pair("-3", "-6"),
      pair("3", "6"),
      pair("-3", "7"),
      pair("3", "7"),
      "no test",
    ]);
    expect(judged).toMatchObject([
      { reached: "attack", outcome: { kind: "wrong-answer", actual: "-3\n" } },
      { reached: "harmless", outcome: { kind: "passed" } },
      { reached: "answer-wrong", outcome: { kind: "wrong-answer" }, testCase: { expected: "-6\n" } },
      { reached: "answer-wrong", outcome: { kind: "passed" } },
      { reached: "format-wrong", reason: "the answer is not valid JSON" },
    ]);
  });

  it.each<[string, string, string, Partial<Limits>]>([
    ["raises", "raise ValueError('no')", "raised", {}],
    ["ends with a code", "print(6)\nraise SystemExit(3)", "raised", {}],
    ["hangs", "while True: pass", "timed-out", { caseCpuSeconds: 0.5 }],
    ["takes all memory", "x = [bytearray(1 << 20) for _ in range(4096)]", "out-of-memory", {}],
    ["prints without end", "while True: print('x' * 10000)", "output-flood", {}],
    ["is no Python", "print(", "did-not-load", {}],
  ])("counts a program that %s as attacked, if the answer is right", async (_, buggy, kind, limits) => {
    expect(await judge(buggy, [pair("3", "6"), pair("3", "5")], { limits })).toMatchObject([
      { reached: "attack", outcome: { kind } },
      { reached: "answer-wrong", outcome: { kind } },
    ]);
  });

  it.each([
    ["raises", "print(1 // int(input()))", "0", "ZeroDivisionError"],
    ["hangs", "x = input()\nwhile x == '0': pass\nprint(1)", "0", "time limit"],
    ["is not decided", "import os\ninput()\nprint(os.urandom(8).hex())", "0", "different texts"],
    ["prints nothing", "if input() != '0': print(1)", "0", "prints nothing"],
  ])("takes no test on which the reference %s", async (_, reference, input, reason) => {
    const problem = { ...doubling, reference };
    const [judged] = await judge("raise ValueError", [pair(input, "")], {
      problem,
      limits: { caseCpuSeconds: 0.5 },
    });
    expect(judged).toMatchObject({ kind: "judged", reached: "answer-wrong" });
    expect(judged).not.toHaveProperty("outcome");
    expect(judged).not.toHaveProperty("testCase");
    expect(judged).toHaveProperty("reason", expect.stringContaining(reason));
  });

  it("gives the same test the same class however often it is asked", async () => {
    const judged = await judge(wrongForNegatives, [pair("-3", "-6"), pair("-3", "-6"), pair("-3\n", "1")]);
    expect(judged.map((each) => each.kind === "judged" && each.reached)).toEqual([
      "attack",
      "attack",
      "answer-wrong",
    ]);
  });

  it("judges nothing where there is no test", async () => {
    expect(await judge(wrongForNegatives, [])).toEqual([]);
    expect(await judge(wrongForNegatives, ["…"])).toMatchObject([{ reached: "format-wrong" }]);
  });

  it("lets no test cost another its time: each of many hanging cases is really run", async () => {
    // A budget for all cases together would be spent after four, and the last, harmless one never run.
    const limits = { caseCpuSeconds: 0.3, programCpuSeconds: 1.2 };
    const buggy = "x = int(input())\nwhile x < 6: pass\nprint(x * 2)";
    const inputs = [0, 1, 2, 3, 4, 5, 6];
    const judged = await judge(
      buggy,
      inputs.map((x) => pair(`${x}`, `${2 * x}`)),
      { limits },
    );
    expect(judged.map((each) => each.kind === "judged" && each.outcome)).toEqual([
      ...inputs.slice(1).map(() => ({ kind: "timed-out", limit: "cpu" })),
      { kind: "passed", actual: "12\n" },
    ]);
  });

  it("does not let inputs that hang the reference cost other tests their answers", async () => {
    const problem = { ...doubling, reference: "x = int(input())\nwhile x > 9: pass\nprint(2 * x)" };
    const limits = { caseCpuSeconds: 0.1, programCpuSeconds: 0.4 };
    const hanging = Array.from({ length: 6 }, (_, index) => pair(String(10 + index), "0"));
    const answers = [...hanging, pair("-3", "-6"), pair("3", "6"), pair("-4", "-8")];
    const judged = await judge(wrongForNegatives, answers, { problem, limits });
    expect(judged.slice(6)).toMatchObject([
      { reached: "attack" },
      { reached: "harmless" },
      { reached: "attack" },
    ]);
    for (const each of judged.slice(0, 6)) {
      expect(each).toMatchObject({ reached: "answer-wrong", reason: expect.stringContaining("time limit") });
    }
  });

  it("gives both programs the problem's own time", async () => {
    const slow = "x = int(input())\nfor _ in range(10 ** 7): pass\nprint(x * 2)";
    const limits = { caseCpuSeconds: 0.05 };
    const problem = { ...doubling, reference: slow };
    expect(await judge(slow, [pair("1", "2")], { problem, limits })).toMatchObject([
      { reached: "answer-wrong" },
    ]);
    const generous = { ...problem, limits: { caseCpuSeconds: 10 } };
    expect(await judge(slow, [pair("1", "2")], { problem: generous, limits })).toMatchObject([
      { reached: "harmless" },
    ]);
  });
});

describe("judgeAttacks compares as the problem says", () => {
  const echo = { ...doubling, reference: "print(input())" };
  const tolerant = { ...echo, comparison: { ...echo.comparison, floatTolerance: 1e-6 } };
  it.each([
    ["1 2", "1 2\n", echo, "harmless"],
    ["1 2", "1 2", echo, "harmless"],
    ["YES NO YES", "NO YES YES", echo, "answer-wrong"],
    ["0.33333331", "0.3333333", echo, "answer-wrong"],
    ["0.33333331", "0.3333333", tolerant, "harmless"],
    ["1000000007", "1000000008", echo, "answer-wrong"],
    ["1000000007", "1000000008", tolerant, "answer-wrong"],
  ])("an output of %j with an answer of %j", async (printed, answer, problem, reached) => {
    expect(await judge(problem.reference, [pair(printed, answer)], { problem })).toMatchObject([{ reached }]);
  });

  it("by the same rule for the wrong program", async () => {
    const nearly = "print(float(input()) + 1e-9)";
    const answers = [pair("0.5", "0.5")];
    expect(await judge(nearly, answers, { problem: echo })).toMatchObject([{ reached: "attack" }]);
    expect(await judge(nearly, answers, { problem: tolerant })).toMatchObject([{ reached: "harmless" }]);
  });
});

describe("judgeAttacks on functions", () => {
  it("puts each test into its class", async () => {
    const buggy =
      "def double(x):\n    if x < 0:\n        raise ValueError(x)\n    return x * 2 if x < 5 else [x]";
    const judged = await judge(
      buggy,
      [
        "assert double(-3) == -6",
        "assert double(7) == 14",
        "assert double(3) == 6",
        "assert double(x=3) == 7",
        "assert double('a') == 'aa'",
        "assert double(None) is None",
        "assert triple(1) == 3",
      ],
      { problem: doublingFunction },
    );
    expect(judged).toMatchObject([
      { reached: "attack", outcome: { kind: "raised", error: { type: "ValueError" } } },
      { reached: "attack", outcome: { kind: "wrong-answer", actual: "[7]" } },
      { reached: "harmless" },
      { reached: "answer-wrong", outcome: { kind: "passed" } },
      { reached: "attack", outcome: { kind: "raised", error: { type: "TypeError" } } },
      {
        reached: "answer-wrong",
        reason: expect.stringContaining("the reference gives no answer: TypeError"),
      },
      { reached: "format-wrong" },
    ]);
  });
});

describe("judgeAttacks when our own machinery fails", () => {
  const tests = [read(doubling, pair("3", "6")), read(doubling, "no test")];
  const lostIn = (where: "reference" | "buggy") =>
    scriptedSandbox((job) =>
      (job.source === "buggy") === (where === "buggy")
        ? [{ kind: "infrastructure", message: `lost with the ${where}` }]
        : [{ kind: "printed", stdout: "6\n", stderr: "", exitCode: 0 }],
    );
  it.each(["reference", "buggy"] as const)("masks what was lost with the %s program", async (where) => {
    const court = courtWith(lostIn(where));
    expect(await judgeAttacks(court, { id: "it", problem: doubling, buggy: "buggy" }, tests)).toEqual([
      { kind: "masked", message: `lost with the ${where}` },
      { kind: "judged", reached: "format-wrong", reason: "the answer is not valid JSON" },
    ]);
  });
});
