/** Real programs in a real sandbox. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Problem, TestCase } from "../../problems/problem.ts";
import { parseTestStatement } from "../../prompts/parse-tests.ts";
import { createSandbox } from "../../sandbox/create-sandbox.ts";
import { defaultLimits } from "../../sandbox/limits.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { exactComparison } from "../../values/compare.ts";
import { chooseCandidate } from "./choose-candidate.ts";
import { examinationKey, examineProblem, type ProblemSamples, type WrittenTest } from "./examine-problem.ts";
import { lostAnswer, noAnswer } from "./question-book.ts";

/** Programs that compute for a second may take long on a machine that does other things. */
const patience = 300_000;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ workers: 2, demand: "limits" });
});
afterAll(() => sandbox.close());

function asserted(statement: string): TestCase {
  const parsed = parseTestStatement(statement, "double");
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.case;
}
const problem: Problem = {
  id: "double",
  question: "Twice the number.\n>>> double(0)\n0",
  style: "function",
  entryPoint: "double",
  reference: "def double(x): return 2 * x",
  goldTests: ["assert double(1) == 2", "assert double(-3) == -6"].map(asserted),
  difficulty: undefined,
  comparison: exactComparison,
  metadata: {},
};
const right = "def double(x): return x + x";
const wrong = "def double(x): return x * x";
const broken = "def double(x:";
const hanging = "def double(x):\n    while x: pass\n    return 0";
const limits = { ...defaultLimits, caseCpuSeconds: 0.2, programCpuSeconds: 2 };
const test = (candidate: number | null, statement: string): WrittenTest => ({
  candidate,
  testCase: asserted(statement),
});
const samples: ProblemSamples = {
  problem,
  candidates: [wrong, right, broken, right, hanging],
  tests: [
    test(0, "assert double(2) == 4"),
    test(0, "assert double(5) == 10"),
    test(1, "assert double(5) == 11"),
    test(1, "assert double(5) == 10"),
    test(4, "assert double(7) == 14"),
  ],
};

const quick: ProblemSamples = { ...samples, candidates: [wrong, right, broken, right] };

describe("examineProblem", () => {
  it(
    "runs each distinct program on every question once, and on the gold tests",
    async () => {
      const examined = await examineProblem(samples, { sandbox, limits });
      expect(examined).toEqual({
        id: "double",
        candidates: [0, 1, 2, 1, 3],
        // Questions: 0 is shown with the problem, then 2, 5 and 7.
        publicTests: [{ question: 0, answer: 0 }],
        tests: [
          { candidate: 0, question: 1, answer: 0 },
          { candidate: 0, question: 2, answer: 0 },
          { candidate: 1, question: 2, answer: 1 },
          { candidate: 1, question: 2, answer: 0 },
          { candidate: 4, question: 3, answer: 0 },
        ],
        answers: [
          [0, 0, 2, 1], // 25 and 49 are nobody's answers
          [0, 0, 0, 0],
          [noAnswer, noAnswer, noAnswer, noAnswer],
          [0, noAnswer, noAnswer, noAnswer],
        ],
        gold: ["wrong", "right", "wrong", "wrong"],
      });
      expect(chooseCandidate(examined, { n: 5, k: 2, scoring: "pooled" })).toBe(1);
      // All that answer agree on what is shown: the first of them.
      expect(chooseCandidate(examined, { n: 5, k: 2, scoring: "public" })).toBe(0);
    },
    patience,
  );

  it("gives the same record again", async () => {
    const [once, again] = await Promise.all([
      examineProblem(quick, { sandbox, limits }),
      examineProblem(quick, { sandbox, limits }),
    ]);
    expect(again).toEqual(once);
  });

  it(
    "asks a program on that hangs on two inputs which ask for too much",
    async () => {
      const overwhelmed = "def double(x):\n    while x > 99: pass\n    return 2 * x";
      const asked = [100, 200, 3, 4, 5].map((x) => test(null, `assert double(${x}) == ${2 * x}`));
      const examined = await examineProblem(
        { problem, candidates: [overwhelmed], tests: asked },
        { sandbox, limits },
      );
      expect(examined.gold).toEqual(["right"]);
      // The first question is the one that is shown with the problem.
      expect(examined.answers).toEqual([[0, noAnswer, noAnswer, 0, 0, 0]]);
    },
    patience,
  );

  it(
    "takes a slow program's whole budget seriously",
    async () => {
      const slow =
        "import time\ndef double(x):\n    end = time.process_time() + 0.12\n    while time.process_time() < end: pass\n    return 2 * x";
      const tests = [2, 3].map((x) => test(null, `assert double(${x}) == ${2 * x}`));
      const examined = await examineProblem({ problem, candidates: [slow], tests }, { sandbox, limits });
      expect(examined.answers).toEqual([[0, 0, 0]]);
      expect(examined.gold).toEqual(["right"]);
    },
    patience,
  );

  it("judges scripts by what they print", async () => {
    const script: Problem = {
      ...problem,
      style: "stdio",
      entryPoint: undefined,
      reference: "print(2 * int(input()))",
      goldTests: [{ style: "stdio", input: "4", expected: "8" }],
    };
    const tests = [{ candidate: null, testCase: { style: "stdio", input: "3", expected: "6\n" } as const }];
    const candidates = ["print(int(input()) * 2)", "print(int(input()) + 3)", "print(int(input()) * 3)"];
    const examined = await examineProblem({ problem: script, candidates, tests }, { sandbox, limits });
    expect([examined.answers, examined.gold]).toEqual([
      [[0], [0], [1]],
      ["right", "wrong", "wrong"],
    ]);
  });

  it(
    "knows the check program as a part of the gold tests, with all the time it needs",
    async () => {
      const checked: Problem = {
        ...problem,
        reference: "def double(x): return 5 if x == 2 else 2 * x",
        check: { form: "check", source: "def check(candidate):\n    assert candidate(2) == 5\n" },
      };
      const examine = (problem: Problem, candidates: readonly string[]) =>
        examineProblem({ problem, candidates, tests: [] }, { sandbox, limits });
      expect((await examine(checked, [right])).gold).toEqual(["wrong"]);
      const long = "def check(candidate):\n    for x in range(10):\n        assert candidate(x) == 2 * x\n";
      const heavy: Problem = { ...problem, goldTests: [], check: { form: "check", source: long } };
      const slow = `import time\ndef double(x):\n    end = time.process_time() + 0.05\n    while time.process_time() < end: pass\n    return 2 * x`;
      expect((await examine(heavy, [right, slow, hanging])).gold).toEqual(["right", "right", "wrong"]);
    },
    patience,
  );

  describe("of a problem whose reference fails", () => {
    const off: Problem = { ...problem, reference: "def double(x): return 2 * abs(x)" };
    const examine = (parts: Partial<Problem>, run: Sandbox["run"] = sandbox.run.bind(sandbox)) =>
      examineProblem(
        { problem: { ...off, ...parts }, candidates: [right, wrong], tests: [] },
        { sandbox: { describe: () => sandbox.describe(), close: () => sandbox.close(), run }, limits },
      );

    it("runs nothing else, and says which test it fails", async () => {
      const sources: string[] = [];
      const examined = await examine({}, (job, options) => {
        sources.push(job.source);
        return sandbox.run(job, options);
      });
      expect(examined).toMatchObject({ candidates: [0, 1], answers: [], gold: [] });
      expect(examined.referenceFault).toMatch(/^goldTests\[1\]: the reference gives 6, the test wants -6/);
      expect(new Set(sources)).toEqual(new Set([off.reference]));
    });

    it("takes another that passes", async () => {
      const { gold, referenceFault } = await examine({
        metadata: { otherReferences: [problem.reference] },
      });
      expect([gold, referenceFault]).toEqual([["right", "wrong"], undefined]);
    });

    it("knows a check that cannot be used", async () => {
      const check = { form: "check", source: "def check(candidate):\n    nowhere\n" } as const;
      const { referenceFault } = await examine({ reference: problem.reference, goldTests: [], check });
      expect(referenceFault).toMatch(/^check: it cannot be used/);
    });

    it("does not hold it against a problem that it has none, or that it was lost", async () => {
      expect((await examine({ reference: "" })).gold).toEqual(["right", "wrong"]);
      const lost = { kind: "infrastructure", message: "no worker" } as const;
      const { gold, referenceFault } = await examine({}, async (job, options) => {
        const report = await sandbox.run(job, options);
        if (job.source !== off.reference) return report;
        return { ...report, observations: report.observations.map(() => lost) };
      });
      expect([gold, referenceFault]).toEqual([["right", "wrong"], undefined]);
    });
  });

  it("loses what a failing sandbox loses, and nothing else", async () => {
    let runs = 0;
    const failing: Sandbox = {
      ...sandbox,
      describe: () => sandbox.describe(),
      // The machine fails under the wrong program only.
      run: async (job, options) => {
        const report = await sandbox.run(job, options);
        if (job.source !== wrong) return report;
        runs += 1;
        const lost = { kind: "infrastructure", message: "no worker" } as const;
        return { ...report, observations: report.observations.map(() => lost) };
      },
    };
    const examined = await examineProblem(quick, { sandbox: failing, limits });
    expect(runs).toBeGreaterThan(0);
    expect(examined.gold).toEqual(["lost", "right", "wrong"]);
    expect(examined.answers[0]).toEqual([lostAnswer, lostAnswer, lostAnswer, lostAnswer]);
    expect(examined.answers[1]).toEqual([0, 0, 0, 0]);
  });
});

describe("examinationKey", () => {
  it("changes with everything that an examination depends on", () => {
    const key = (parts: Partial<ProblemSamples>, other = limits) =>
      examinationKey({ ...samples, ...parts }, { sandbox, limits: other });
    const keys = [
      key({}),
      key({ candidates: [right] }),
      key({ tests: [] }),
      key({ tests: samples.tests.map(({ testCase }) => ({ candidate: null, testCase })) }),
      key({ problem: { ...problem, goldTests: [] } }),
      key({}, { ...limits, caseCpuSeconds: 0.3 }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(key({})).toBe(keys[0]);
  });
});
