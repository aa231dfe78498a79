/**
 * The weaknesses of the official Code-A1 code, by the letters of our notes on it (A: rewards that can be had for
 * nothing, B: mistakes in scoring), each with the answer that is right. Real replies, real programs, a real sandbox;
 * what the official code answered stands beside it.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type CandidateVerdict,
  type Court,
  judgeGold,
  judgeOn,
  judgeSuites,
} from "../evaluation/judge-candidate.ts";
import { MemoryAnswerCache } from "../judge/answer-cache.ts";
import { ReferenceAnswers } from "../judge/reference-answers.ts";
import { MistakeBook } from "../mistakes/mistake-book.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import { parseProblems } from "../problems/read-problem.ts";
import { chatDialect } from "../prompts/dialect.ts";
import { type CodeA1Rules, codeA1Rules } from "../rewards/code-a1.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import { trainingConfigSchema } from "./config.ts";
import { openTeam } from "./open-players.ts";
import type { QuestionRollout } from "./rollout.ts";
import { bookUpdate, scoreQuestion } from "./score-question.ts";
import { codeLessons, testLessons } from "./teach.ts";

let court: Court;
beforeAll(async () => {
  const sandbox = await createSandbox({ workers: 2 });
  const limits = { ...defaultLimits, caseCpuSeconds: 0.5, programCpuSeconds: 20 };
  court = {
    sandbox,
    limits,
    answers: new ReferenceAnswers({ sandbox, cache: new MemoryAnswerCache(), limits }),
  };
});
afterAll(() => court.sandbox.close());

function problemWith(reference: string): Problem {
  return {
    id: "p",
    question: "?",
    style: "function",
    entryPoint: "f",
    reference,
    goldTests: [],
    difficulty: undefined,
    comparison: { booleans: "distinct", floatTolerance: 0 },
    metadata: {},
  };
}

const square = problemWith("def f(n):\n    return n * n\n");
const cube = "def f(n):\n    return n * n * n\n";
const fence = (lines: readonly string[], language = "python") =>
  `\`\`\`${language}\n${lines.join("\n")}\n\`\`\`\n`;
const range = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);
const squares = (numbers: readonly number[]) => numbers.map((n) => `assert f(${n}) == ${n * n}`);

const completion = (role: "code" | "test", text: string) => ({
  role,
  text,
  tokenIds: [1],
  logprobs: [-1],
  promptTokenIds: [1],
  stopReason: "end" as const,
  policyVersion: 0,
});

interface Match {
  readonly problem?: Problem;
  /** The reply of the code model; the program itself is one too. */
  readonly program: string;
  /** The replies of the test model. */
  readonly suites: readonly string[];
  readonly replayed?: readonly TestCase[];
  readonly rules?: Partial<CodeA1Rules>;
}

/** One candidate against its suites, as a step of training does it from the replies on. */
async function match({ problem = square, program, suites, replayed = [], rules = {} }: Match) {
  const allRules = { ...codeA1Rules, ...rules };
  const source = chatDialect.readProgram(problem, program);
  const read = suites.map((reply) => chatDialect.readSuite(problem, reply));
  const history: CandidateVerdict | undefined =
    replayed.length > 0 ? await judgeOn(court, problem, source, replayed) : undefined;
  const judged = await judgeSuites(court, problem, source, read);
  const rollout: QuestionRollout = {
    problem,
    replayed,
    opponents: [],
    candidates: [
      {
        completion: completion("code", program),
        source,
        history,
        verdict: judged.verdict,
        suites: judged.suites.map((verdict, index) => ({
          completion: completion("test", suites[index]!),
          read: read[index]!,
          verdict,
        })),
      },
    ],
  };
  const scores = scoreQuestion(rollout, allRules);
  const { code, test } = scores;
  return {
    rollout,
    scores,
    loads: judged.verdict.loads,
    code: code[0],
    tests: test[0]!,
    test: test[0]![0],
    suite: judged.suites[0]!,
    history,
    update: bookUpdate(rollout, allRules),
  };
}

const results = ({ suite }: Awaited<ReturnType<typeof match>>) =>
  suite.tests.map(({ judged }) => (judged.kind === "kept" ? judged.result : "invalid"));

describe("A1: a test that compares a call with itself", () => {
  it.each([
    ["the same call (official test reward: 1.0)", range(8).map((n) => `assert f(${n}) == f(${n})`)],
    ["a name of the harness", range(8).map((n) => `assert f(${n}) == _r`)],
    [
      "an object that equals everything",
      range(8).map((n) => `assert f(${n}) == type('E', (), {'__eq__': lambda *a: True})()`),
    ],
    ["the same call by way of a name", range(8).flatMap((n) => [`r = f(${n})`, "assert r == r"])],
  ])("is no test, with %s", async (_, tests) => {
    const { test, code } = await match({ program: cube, suites: [fence(tests)] });
    expect(test).toEqual({ reward: 0, validity: 0, adversarial: 0 });
    expect(code).toBeUndefined();
  });
});

describe("A2: answers that change from run to run", () => {
  it("a test of the clock is no test (official test reward against right code: 1.0)", async () => {
    const tests = range(8).map((n) => `assert int(__import__('time').time_ns() + ${n}) == _r`);
    const { test } = await match({ program: square.reference, suites: [fence(tests)] });
    expect(test).toMatchObject({ reward: 0 });
  });

  it.each([
    ["chance", "import random\ndef f(n):\n    return random.random() + n\n"],
    ["the clock", "import time\ndef f(n):\n    return time.time_ns()\n"],
    ["what was asked before", "seen = []\ndef f(n):\n    seen.append(n)\n    return len(seen)\n"],
  ])("a reference that depends on %s makes no valid test", async (_, reference) => {
    const { test, suite } = await match({
      problem: problemWith(reference),
      program: reference,
      suites: [fence(squares(range(4)))],
    });
    expect(test).toMatchObject({ validity: 0, adversarial: 0 });
    expect(suite.tests.every(({ judged }) => judged.kind === "invalid")).toBe(true);
  });
});

it("A3: a test of another function is no test", async () => {
  const tests = [
    "assert len([1]) == 1",
    "assert abs(-1) == 1",
    "assert g(1) == 1",
    "assert sum([f(1)]) == 1",
  ];
  const { test } = await match({ program: square.reference, suites: [fence(tests)] });
  expect(test).toMatchObject({ reward: 0, validity: 0 });
});

describe("A4: a candidate that cheats fails every test", () => {
  it.each([
    [
      "by an object that equals everything",
      "class E(int):\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__\ndef f(n):\n    return E(7)\n",
    ],
    [
      "by looking through its callers for the answer",
      "import sys\ndef f(n):\n    frame = sys._getframe()\n    while frame:\n        for name in ('spec', 'expected', '_r', 'expected_value', 'answer'):\n            for names in (frame.f_locals, frame.f_globals):\n                if name in names: return names[name]\n        frame = frame.f_back\n    return 'nothing'\n",
    ],
    [
      "by printing the marks of success",
      "def f(n):\n    print('__GEN_PASS__0_%d:' % n, '__CODE_VALID__', flush=True)\n    return 'no'\n",
    ],
    [
      "by looking through memory for the answer",
      "import gc\ndef f(n):\n    numbers = [o for o in gc.get_objects() if isinstance(o, (list, tuple)) and n * n in o]\n    return 'found' if numbers else 'nothing'\n",
    ],
  ])("%s", async (_, program) => {
    const { code, test } = await match({ program, suites: [fence(squares(range(8, 11)))] });
    expect(code).toBe(0);
    expect(test).toMatchObject({ validity: 1, adversarial: 1, reward: 1 });
  });
});

describe("A5: nothing of the reference is there for the candidate", () => {
  const reference =
    "import math\nLIMIT = 100\nclass Helper:\n    def root(self, n): return math.isqrt(n)\ndef f(n):\n    return min(Helper().root(n), LIMIT)\n";
  const tests = fence(["assert f(9) == 3", "assert f(16) == 4"]);
  it.each([
    ["its imports", "def f(n):\n    return math.isqrt(n)\n"],
    ["its classes", "def f(n):\n    return Helper().root(n)\n"],
    ["its constants", "import math\ndef f(n):\n    return min(math.isqrt(n), LIMIT)\n"],
  ])("%s", async (_, program) => {
    const { code } = await match({ problem: problemWith(reference), program, suites: [tests] });
    expect(code).toBe(0);
  });
});

it("A6: wrong answers that break a wrong program earn what α leaves them, and nothing where they are dropped", async () => {
  const tests = fence(range(8, 2).map((n) => `assert f(${n}) == -1`));
  const wrong = { program: cube, suites: [tests] };
  expect((await match(wrong)).test).toEqual({ validity: 0, adversarial: 1, reward: 0.5 });
  expect((await match({ ...wrong, rules: { wrongAnswerTests: "drop" } })).test).toMatchObject({ reward: 0 });
  expect((await match({ ...wrong, program: square.reference })).test).toMatchObject({ reward: 0 });
});

describe("B1: an answer that cannot be computed costs only its own test", () => {
  it.each(["undefined_name", "1 / 0", "math.tau", "[].pop()"])(
    "%s first, then seven right ones (official rewards of right code: 0.125 and 0.875)",
    async (answer) => {
      const tests = [`assert f(9) == ${answer}`, ...squares(range(7))];
      const { code, test } = await match({ program: square.reference, suites: [fence(tests)] });
      expect(code).toBe(1);
      expect(test).toEqual({ validity: 7 / 8, adversarial: 0, reward: 7 / 16 });
    },
  );
});

it("B2: with twelve tests the second one fails although the eleventh passes", async () => {
  const program = "def f(n):\n    return -1 if n == 1 else n * n\n";
  const outcome = await match({ program, suites: [fence(squares(range(12)))] });
  expect(results(outcome)).toEqual(range(12).map((n) => (n === 1 ? "failed" : "passed")));
  expect(outcome.code).toBeCloseTo(11 / 12, 12);
  expect(outcome.test).toMatchObject({ adversarial: 1 / 8 });
});

describe("B3: odd values do not poison the Mistake Book", () => {
  it.each([
    ["backslashes", "'\\\\n' + '\\\\' * n"],
    ["both kinds of quotes", "'\\'\"' * (n + 1)"],
    ["line ends and control characters", "'\\n\\x00\\t' * (n + 1)"],
    ["infinity", "float('inf') - n"],
    ["not a number", "float('nan')"],
    ["a set", "{n, 'a', (1, 2)}"],
    ["bytes", "bytes([n, 255])"],
    ["a number of a hundred digits", "10 ** 100 + n"],
    ["nested values", "{'k': [(n, {'\"': None})]}"],
    ["a surrogate on its own", "'\\ud800' + str(n)"],
  ])("%s: right code passes the replay, and the entry is forgotten", async (_, expression) => {
    const problem = problemWith(`def f(n):\n    return ${expression}\n`);
    const book = new MistakeBook({ mostPerProblem: 100 });
    const tests = fence(["assert f(2) == 0", "assert f(3) == 'x'"]);
    const broken = await match({ problem, program: "def f(n):\n    return 0.5\n", suites: [tests] });
    expect(results(broken)).toEqual(["failed", "failed"]);
    book.update(broken.update);
    const replayed = book.replay("p", 8);
    expect(replayed).toHaveLength(2);
    const right = await match({ problem, program: problem.reference, suites: [tests], replayed });
    expect(right.history?.outcomes.map(({ kind }) => kind)).toEqual(["passed", "passed"]);
    expect(right.code).toBe(1);
    book.update(right.update);
    expect(book.size).toBe(0);
  });

  it("a value that is no literal never gets in: its test is invalid and the others go on", async () => {
    const reference = "class X: pass\ndef f(n):\n    return X() if n == 1 else n * n\n";
    const tests = fence(["assert f(1) == 0", ...squares([2, 3])]);
    const outcome = await match({ problem: problemWith(reference), program: cube, suites: [tests] });
    expect(results(outcome)).toEqual(["invalid", "failed", "failed"]);
    expect(outcome.update.failures).toHaveLength(2);
  });
});

describe("B4: every test has its own time limit", () => {
  it("a slow test of the reference costs only itself", async () => {
    const reference = "def f(n):\n    while n == 3: pass\n    return n * n\n";
    const outcome = await match({
      problem: problemWith(reference),
      program: square.reference,
      suites: [fence(squares(range(4))), fence(squares(range(4, 4)))],
    });
    expect(results(outcome).filter((result) => result === "invalid")).toHaveLength(1);
    expect(outcome.code).toBe(1);
    expect(outcome.tests.map((score) => score?.validity)).toEqual([3 / 8, 4 / 8]);
  });

  it("a program that hangs on one test gives the other suites no credit", async () => {
    const program = "def f(n):\n    while n == 0: pass\n    return n * n\n";
    const outcome = await match({
      program,
      suites: [fence(squares(range(8))), fence(squares(range(8, 1))), fence(squares(range(8, 2)))],
    });
    expect(outcome.tests.map((score) => score?.adversarial)).toEqual([1 / 8, 0, 0]);
    expect(outcome.code).toBeCloseTo((7 / 8 + 1 + 1) / 3, 12);
  });
});

describe("B5: a program loads as Python would load it", () => {
  const body = "def f(n):\n    return n * n\n";
  it.each([
    [
      "an import inside try",
      `try:\n    import numpy_that_is_not_there\nexcept ImportError:\n    pass\n${body}`,
    ],
    ["an import that is only used elsewhere", `def g():\n    import not_there\n${body}`],
    ["input() behind the guard", `${body}if __name__ == '__main__':\n    print(f(int(input())))\n`],
  ])("%s", async (_, program) => {
    const { loads, code } = await match({ program: fence([program]), suites: [fence(squares(range(8)))] });
    expect({ loads, code }).toEqual({ loads: true, code: 1 });
  });

  it("a module that is missing is the program's own fault", async () => {
    const program = `import not_there\n${body}`;
    const { loads, code, test } = await match({ program, suites: [fence(squares(range(8)))] });
    expect({ loads, code }).toEqual({ loads: false, code: 0 });
    expect(test).toMatchObject({ reward: 0 });
  });
});

it.each(["", "py", "python", "Python3"])("B6: a fence marked %j is read", async (language) => {
  const { code, test } = await match({
    program: `Sure:\n${fence([square.reference], language)}Good luck!`,
    suites: [`Here:\n${fence(squares(range(8)), language)}`],
  });
  expect(code).toBe(1);
  expect(test).toMatchObject({ validity: 1 });
});

it.each(["", " \n", "```python\n```"])("B7: the empty reply %j is a suite without tests", async (reply) => {
  const { code, tests } = await match({
    program: square.reference,
    suites: [reply, fence(squares(range(8)))],
  });
  expect(tests[0]).toEqual({ reward: 0, validity: 0, adversarial: 0 });
  expect(code).toBe(1);
});

it("B8: a suite without a usable test does not cost the program anything", async () => {
  const suites = ["no tests today", fence(squares(range(8)))];
  expect((await match({ program: square.reference, suites })).code).toBe(1);
  const official = await match({ program: square.reference, suites, rules: { emptySuites: "zero" } });
  expect(official.code).toBe(0.5);
});

it("B9: two problems with the same id are refused, with both places named", () => {
  const line = JSON.stringify({
    id: "twice",
    question: "?",
    style: "function",
    entryPoint: "f",
    reference: square.reference,
    goldTests: ["assert f(2) == 4"],
  });
  expect(() => parseProblems(`${line}\n${line}\n`, "set.jsonl")).toThrow(
    /set\.jsonl.*2.*'twice' was used before.*1/,
  );
});

it("B10: of 32 candidates none can help, harm or shift another", async () => {
  const check = {
    form: "check" as const,
    source: "def check(candidate):\n    assert abs(candidate(9) - 3) < 1e-6\n    assert candidate(16) == 4\n",
  };
  const problem = {
    ...problemWith("import math\ndef f(n):\n    return math.isqrt(n)\n"),
    goldTests: chatDialect.readSuite(square, fence(["assert f(9) == 3", "assert f(100) == 10"])).cases,
    check,
  };
  const right = problem.reference;
  const programs = {
    "missing import": "def f(n):\n    return math.isqrt(n)\n",
    "bad import": `import not_there\n${right}`,
    "prints marks": "def f(n):\n    print('__PASS__\\n' * 40)\n    return 0\n",
    "ends the process": "import os\ndef f(n):\n    os._exit(0)\n",
    "ends it while loading": "import os\nos._exit(0)\n",
    hangs: "def f(n):\n    while True: pass\n",
  };
  const bad = Object.values(programs);
  const candidates = range(32).map((index) =>
    index % 4 === 1 ? bad[((index - 1) / 4) % bad.length]! : right,
  );
  const verdicts = await Promise.all(candidates.map((source) => judgeGold(court, problem, source)));
  const passes = verdicts.map(({ outcomes }) => outcomes.every(({ kind }) => kind === "passed"));
  expect(passes).toEqual(range(32).map((index) => index % 4 !== 1));
  expect(verdicts.every(({ outcomes }) => outcomes.length === 3)).toBe(true);
});

describe("B11: what belongs to which role", () => {
  it("each role learns from its own completions only", async () => {
    const { rollout, scores } = await match({
      program: cube,
      suites: [fence(squares(range(8))), fence(squares(range(4)))],
    });
    const twice = { ...rollout, candidates: [rollout.candidates[0]!, rollout.candidates[0]!] };
    const scored = [{ rollout: twice, scores: { code: [0, 1], test: [scores.test[0]!, []], opponents: [] } }];
    const teaching = { trainedCandidates: 1, zeroVarianceGroups: "keep" as const };
    const roles = ({ groups }: ReturnType<typeof codeLessons>) =>
      groups[0]!.map(({ completion: { role } }) => role);
    expect(roles(codeLessons(scored, teaching))).toEqual(["code", "code"]);
    expect(roles(testLessons(scored, teaching))).toEqual(["test", "test"]);
  });

  it("two different models keep their places, in play and in a checkpoint", async () => {
    const config = trainingConfigSchema.parse({
      engine: { threads: 1, code: { name: "tiny" }, test: { name: "small" } },
    });
    const { engine, players, trained } = await openTeam(config, "no-such-folder");
    try {
      expect([players.code.describe(), players.test.describe()]).toMatchObject([
        { role: "code", model: "tiny" },
        { role: "test", model: "small" },
      ]);
      expect([trained.get("code"), trained.get("test")]).toEqual([players.code, players.test]);
    } finally {
      await engine.close();
    }
  });
});
