import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type CodeA1Rules,
  codeA1Rules,
  codeReward,
  goldenReward,
  type JudgedTest,
  tallySuite,
  testReward,
  unprintableShare,
} from "./code-a1.ts";

const passed: JudgedTest = { kind: "kept", answer: "right", result: "passed" };
const failed: JudgedTest = { kind: "kept", answer: "right", result: "failed" };
const wrong: JudgedTest = { kind: "kept", answer: "wrong", result: "passed" };
const invalid: JudgedTest = { kind: "invalid" };
const times = (count: number, test: JudgedTest) => Array.from({ length: count }, () => test);
const none = { total: 0, passed: 0 };

function suite(
  tests: readonly JudgedTest[],
  options: {
    history?: { total: number; passed: number };
    rules?: Partial<CodeA1Rules>;
    loads?: boolean;
  } = {},
) {
  const rules = { ...codeA1Rules, ...options.rules };
  const history = options.history ?? none;
  const tally = tallySuite(tests, rules);
  return {
    ...testReward({ tally, history, candidateLoads: options.loads ?? true, reply: "assert", rules }),
    code: codeReward([tally], history, rules),
  };
}

describe("validity", () => {
  it.each([
    ["8 good tests", times(8, passed), 1],
    ["8 tests, 1 with a wrong answer", [...times(7, passed), wrong], 1 - 1 / 8],
    ["8 tests, 3 with wrong answers", [...times(5, passed), ...times(3, wrong)], 1 - 3 / 8],
    ["8 tests, all with wrong answers", times(8, wrong), 0],
    ["4 good tests only", times(4, passed), 0.5],
    ["16 good tests", times(16, passed), 1],
    ["8 times the same test", [passed, ...times(7, invalid)], 1 / 8],
    ["nothing", [], 0],
    ["20 invalid", times(20, invalid), 0],
  ])("%s", (_, tests, expected) => {
    expect(suite(tests).validity).toBeCloseTo(expected, 12);
  });
});

describe("the worked example of the paper's figure: suites of three, one of two old mistakes failed again", () => {
  const rules = { testsPerSuite: 3 };
  const history = { total: 2, passed: 1 };
  it("gives 0.417 and a test reward of 0.708 for one failure", () => {
    const { adversarial, reward } = suite([failed, passed, passed], { history, rules });
    expect(adversarial).toBeCloseTo((1 / 3 - 1 / 2 + 1) / 2, 12);
    expect(adversarial).toBeCloseTo(0.417, 3);
    expect(reward).toBeCloseTo(0.708, 3);
  });
  it("gives 0.583 for two failures", () => {
    expect(suite([failed, failed, passed], { history, rules }).adversarial).toBeCloseTo(0.583, 3);
  });
  it("gives 0.25 for no failure as the official code does, and 0 as the figure prints", () => {
    const tests = times(3, passed);
    expect(suite(tests, { history, rules }).adversarial).toBeCloseTo(0.25, 12);
    const asFigure = { ...rules, zeroFailureAdversarial: "zero" as const };
    expect(suite(tests, { history, rules: asFigure }).adversarial).toBe(0);
  });
});

describe("the four cases of the formulas: with and without history, with and without usable tests", () => {
  const [quarter, half] = [{ total: 8, passed: 2 }, [...times(4, passed), ...times(4, failed)]];
  it.each([
    ["history and tests", quarter, half, (0.25 + 0.5) / 2, (0.5 - 0.75 + 1) / 2],
    ["history alone", quarter, times(8, invalid), 0.25, 0],
    ["tests alone", none, half, 0.5, 0.5],
    ["neither", none, times(8, invalid), 0, 0],
  ])("%s", (_, history, tests, code, adversarial) => {
    const result = suite(tests, { history, rules: { emptySuites: "zero" } });
    expect(result.code).toBeCloseTo(code, 12);
    expect(result.adversarial).toBeCloseTo(adversarial, 12);
  });
  it("a suite earns more than half only if it breaks the program more often than history did", () => {
    const broken = (count: number) => [...times(count, failed), ...times(8 - count, passed)];
    const adversarial = (count: number) => suite(broken(count), { history: quarter }).adversarial;
    expect([5, 6, 7].map(adversarial).map((value) => Math.sign(value - 0.5))).toEqual([-1, 0, 1]);
  });
});

describe("the code reward", () => {
  it("is half the history and half the mean over the suites, as the paper's figure has it", () => {
    const tallies = [[passed, passed], [passed, failed], [failed]].map((tests) =>
      tallySuite(tests, codeA1Rules),
    );
    const expected = (0.5 + (1 + 0.5 + 0) / 3) / 2;
    expect(codeReward(tallies, { total: 4, passed: 2 }, codeA1Rules)).toBeCloseTo(expected, 12);
  });
  it("is the pass rate over all kept tests when the book is empty", () => {
    expect(suite([...times(9, passed), failed]).code).toBeCloseTo(0.9, 12);
  });
  it("weighs history and new tests equally", () => {
    expect(suite([passed, failed], { history: { total: 4, passed: 1 } }).code).toBeCloseTo(
      (0.25 + 0.5) / 2,
      12,
    );
  });
  it("leaves a suite without a usable test out, and can count it as zero like the official code", () => {
    const tallies = [tallySuite([passed], codeA1Rules), tallySuite([invalid], codeA1Rules)];
    expect(codeReward(tallies, none, codeA1Rules)).toBe(1);
    expect(codeReward(tallies, none, { ...codeA1Rules, emptySuites: "zero" })).toBe(0.5);
  });
  it("falls back to history, and to nothing at all", () => {
    const empty = [tallySuite([], codeA1Rules)];
    expect(codeReward(empty, { total: 2, passed: 1 }, codeA1Rules)).toBe(0.5);
    expect(codeReward(empty, none, codeA1Rules)).toBeUndefined();
  });
  it("is the gold pass rate for the golden baseline, zero if the program does not load", () => {
    expect(goldenReward({ loads: true, passed: 3, total: 4 })).toBe(0.75);
    expect(goldenReward({ loads: false, passed: 3, total: 4 })).toBe(0);
  });
});

describe("the test reward", () => {
  it("counts failures only among the first K kept tests, over K", () => {
    expect(suite([...times(8, passed), ...times(8, failed)]).adversarial).toBe(0);
    expect(suite([...times(2, failed), ...times(2, passed)]).adversarial).toBe(2 / 8);
  });
  it("is zero for a candidate that does not load", () => {
    expect(suite(times(8, failed), { loads: false }).reward).toBe(0);
  });
  it.each([0, 0.25, 0.5, 0.75, 1])("weighs validity with α = %d", (alpha) => {
    const tests = [...times(2, failed), ...times(4, passed), ...times(2, wrong)];
    expect(suite(tests, { rules: { alpha } }).reward).toBeCloseTo(alpha * 0.75 + (1 - alpha) * 0.25, 12);
  });
  it("loses the share of unprintable characters even where nothing was earned", () => {
    const tally = tallySuite(times(8, passed), codeA1Rules);
    const given = { tally, history: none, rules: codeA1Rules, reply: "ass\u0007" };
    expect(testReward({ ...given, candidateLoads: true }).reward).toBeCloseTo(0.5 - 1 / 4, 12);
    expect(testReward({ ...given, candidateLoads: false }).reward).toBeCloseTo(-1 / 4, 12);
  });
  it("keeps a test with a wrong answer in the attack, or drops it", () => {
    const tests: JudgedTest[] = [{ kind: "kept", answer: "wrong", result: "failed" }];
    expect(suite(tests).adversarial).toBe(1 / 8);
    expect(suite(tests, { rules: { wrongAnswerTests: "drop" } }).adversarial).toBe(0);
    expect(suite(tests).validity).toBe(1 / 8);
  });
  it("loses the share of unprintable characters", () => {
    expect(unprintableShare("ab\u0000\u{1f600}")).toBe(0.5);
    expect(unprintableShare("")).toBe(0);
    expect(unprintableShare("assert f(1) == 2\n\t")).toBe(0);
  });
});

describe("bounds", () => {
  const test = fc.constantFrom(passed, failed, wrong, invalid, {
    kind: "kept",
    answer: "wrong",
    result: "failed",
  } as const);
  const history = fc.nat(8).chain((total) => fc.record({ total: fc.constant(total), passed: fc.nat(total) }));
  it("keeps every part between 0 and 1, and more failures never cost the tester", () => {
    fc.assert(
      fc.property(
        fc.array(test, { maxLength: 20 }),
        history,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (tests, old, alpha) => {
          const result = suite(tests, { history: old, rules: { alpha } });
          for (const part of [result.validity, result.adversarial, result.reward, result.code ?? 0]) {
            expect(part).toBeGreaterThanOrEqual(0);
            expect(part).toBeLessThanOrEqual(1);
          }
          const broken = tests.map((entry) =>
            entry.kind === "kept" ? { ...entry, result: "failed" as const } : entry,
          );
          expect(suite(broken, { history: old, rules: { alpha } }).adversarial).toBeGreaterThanOrEqual(
            result.adversarial,
          );
        },
      ),
    );
  });
});

describe("attackSignal", () => {
  const kept = (answer: "right" | "wrong", result: "passed" | "failed") =>
    ({ kind: "kept", answer, result }) as const;
  const rewardOf = (attackSignal: "share" | "kill", ...tests: JudgedTest[]) => {
    const rules = { ...codeA1Rules, testsPerSuite: 4, attackSignal };
    const tally = tallySuite(tests, rules);
    const history = { total: 0, passed: 0 };
    return testReward({ tally, history, candidateLoads: true, reply: "x", rules }).adversarial;
  };

  it("share: every failing test counts, whoever gave the answer", () => {
    expect(rewardOf("share", kept("right", "failed"), kept("wrong", "failed"))).toBe(0.5);
  });
  it("field: the share of the opponents that were killed, and a kill where there was none", () => {
    const rules = { ...codeA1Rules, testsPerSuite: 4, attackSignal: "field" } as const;
    const tally = tallySuite([kept("right", "failed"), kept("right", "passed")], rules);
    const options = { tally, history: { total: 0, passed: 0 }, candidateLoads: true, reply: "x", rules };
    expect(testReward({ ...options, field: { killed: 1, of: 4 } }).adversarial).toBe(0.25);
    expect(testReward({ ...options, field: { killed: 0, of: 0 } }).adversarial).toBe(1);
    expect(testReward(options).adversarial).toBe(1);
  });
  it("kill: one failing test with a right answer is as good as four, one with a wrong answer is none", () => {
    expect(rewardOf("kill", kept("right", "failed"), kept("right", "passed"))).toBe(1);
    expect(rewardOf("kill", ...Array.from({ length: 4 }, () => kept("right", "failed")))).toBe(1);
    expect(rewardOf("kill", kept("wrong", "failed"), kept("right", "passed"))).toBe(0);
  });
});
