import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEmbeddedEngine } from "../../engine/embedded/embedded-engine.ts";
import { packageRoot } from "../../package-root.ts";
import { arenaPairs } from "../../problems/arena/attack-pairs.ts";
import { arenaDialect, chatDialect } from "../../prompts/dialect.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { courtWith, doubling, doublingFunction, openTestSandbox } from "../court.test.support.ts";
import { judgeOn } from "../judge-candidate.ts";
import { type AttackProgress, evaluateAttack } from "./evaluate-attack.ts";
import { promptText, type ScriptedReply, scriptedPolicy } from "./scripted-policy.test.support.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
});
afterAll(() => sandbox?.close());

const sampling = { temperature: 0, topP: 1, maxTokens: 64, seed: 1 };
const answered = (answer: unknown): ScriptedReply => ({
  text: `<think>so</think><answer>${typeof answer === "string" ? answer : JSON.stringify(answer)}</answer>`,
});
const pairs = [
  { id: "stdio#1", problem: doubling, buggy: "print(abs(int(input())) * 2)" },
  { id: "stdio#2", problem: doubling, buggy: "print(int(input()) ** 2)" },
  { id: "function#1", problem: doublingFunction, buggy: "def double(x):\n    return abs(x) * 2" },
];
const evaluate = (
  replyTo: Parameters<typeof scriptedPolicy>[0],
  changed: Partial<Parameters<typeof evaluateAttack>[0]> = {},
) => {
  const policy = scriptedPolicy(replyTo);
  const court = courtWith(sandbox);
  const options = { policy, pairs, dialect: chatDialect, court, samples: 1, sampling, ...changed };
  return { policy, evaluation: evaluateAttack(options) };
};
const attackEverything = ({ key }: { key?: string }) =>
  key!.includes("function") ? answered("assert double(-1) == -2") : answered({ input: "-1", output: "-2" });

describe("evaluateAttack", () => {
  it("shows every wrong program and every reference once, and judges what comes back", async () => {
    const { policy, evaluation } = evaluate(attackEverything);
    const { attacks, alarms, pairs: evaluated, correctPrograms } = await evaluation;
    expect(evaluated.map(({ pair }) => pair.id)).toEqual(["stdio#1", "stdio#2", "function#1"]);
    expect(correctPrograms.map(({ program }) => program.problem.id)).toEqual(["double", "double-function"]);
    expect(attacks).toMatchObject({ pairs: 3, attackRate: { count: 3, of: 3 }, ioAccuracy: { count: 3 } });
    expect(alarms).toMatchObject({ programs: 2, falseAlarms: { count: 0, of: 2 } });
    const prompts = policy.asked[0]!.requests.map(({ prompt }) => promptText(prompt));
    const shown = [...pairs.map(({ buggy }) => buggy), doubling.reference, doublingFunction.reference];
    expect(prompts.every((text, index) => text.includes(shown[index]!))).toBe(true);
    expect(new Set(policy.asked[0]!.requests.map(({ key }) => key)).size).toBe(5);
  });

  it("takes a reply that was cut off for no test, however good its beginning", async () => {
    const { evaluation } = evaluate((request) => ({ ...attackEverything(request), stopReason: "length" }));
    const { attacks, alarms } = await evaluation;
    expect(attacks.formatWrong).toMatchObject({ count: 3, of: 3 });
    expect(attacks.formatReasons).toEqual([
      { reason: "the reply was cut off at the length limit", replies: 3 },
    ]);
    expect(alarms.falseAlarms).toBeUndefined();
  });

  it("counts a test that a correct program fails as a false alarm: a wrong answer, or an impossible input", async () => {
    const { evaluation } = evaluate(({ key }) =>
      key!.includes("function")
        ? answered("assert double(None) == 1")
        : answered({ input: "1", output: "3" }),
    );
    const { alarms, correctPrograms } = await evaluation;
    expect(alarms.falseAlarms).toMatchObject({ count: 2, of: 2 });
    expect(correctPrograms.map(({ replies }) => replies[0]!.judged)).toMatchObject([
      { reached: "false-alarm", outcome: { kind: "wrong-answer" }, testCase: { expected: "3" } },
      { reached: "false-alarm", outcome: { kind: "raised" } },
    ]);
  });

  it("measures false alarms on the programs it is given, or on none", async () => {
    const other = {
      problem: doubling,
      source: "x = int(input())\nprint(x + x)",
      origin: "solution",
    } as const;
    const wrongAnswer = () => answered({ input: "1", output: "3" });
    const withOther = await evaluate(wrongAnswer, { pairs: [], correctPrograms: [other] }).evaluation;
    expect(withOther.alarms).toMatchObject({ programs: 1, onSolutions: { count: 1, of: 1 } });
    expect(withOther.alarms.onReferences).toBeUndefined();
    const without = await evaluate(attackEverything, { correctPrograms: [] }).evaluation;
    expect(without.alarms).toMatchObject({ programs: 0, falseAlarms: undefined });
  });

  it("keeps the replies of several samples in their order", async () => {
    const outputs = ["-2", "7", "-2"];
    const { evaluation } = evaluate((_, sample) => answered({ input: "-1", output: outputs[sample] }), {
      pairs: pairs.slice(0, 1),
      samples: 3,
    });
    const [pair] = (await evaluation).pairs;
    expect(pair!.replies.map(({ judged }) => judged.kind === "judged" && judged.reached)).toEqual([
      "attack",
      "answer-wrong",
      "attack",
    ]);
  });

  it("masks replies that the model's server did not give", async () => {
    const { evaluation } = evaluate(
      (request, sample) =>
        request.key === "attack/stdio#1" || (request.key === "attack/stdio#2" && sample === 0)
          ? "lost"
          : attackEverything(request),
      { samples: 2 },
    );
    const { attacks, pairs: evaluated } = await evaluation;
    expect(attacks).toMatchObject({
      pairs: 2,
      maskedPairs: 1,
      maskedReplies: 3,
      attackRate: { count: 2, of: 2 },
    });
    expect(evaluated[1]!.replies.map(({ judged }) => judged.kind)).toEqual(["masked", "judged"]);
  });

  it("tells what is done as it is done", async () => {
    const progress: AttackProgress[] = [];
    await evaluate(attackEverything, { onProgress: (each) => progress.push(each) }).evaluation;
    expect(progress.map(({ done, total }) => `${done} of ${total}`)).toEqual([
      "1 of 5",
      "2 of 5",
      "3 of 5",
      "4 of 5",
      "5 of 5",
    ]);
    expect(progress.filter(({ finished }) => finished.kind === "pair").length).toBe(3);
  });

  it("stops when it is told to", async () => {
    const controller = new AbortController();
    const { evaluation } = evaluate(
      (request) => {
        controller.abort(new DOMException("interrupted", "AbortError"));
        return attackEverything(request);
      },
      { signal: controller.signal },
    );
    await expect(evaluation).rejects.toThrow("interrupted");
  });

  it("uses the dialect's stop strings unless others are given", async () => {
    const { policy, evaluation } = evaluate(() => ({ text: "x" }), { dialect: arenaDialect });
    await evaluation;
    expect(policy.asked[0]!.settings.stopStrings).toEqual(arenaDialect.attackStopStrings);
  });

  it("asks nothing where there is nothing to ask", async () => {
    const { policy, evaluation } = evaluate(attackEverything, { pairs: [] });
    expect(await evaluation).toMatchObject({ pairs: [], attacks: { pairs: 0, attackRate: undefined } });
    expect(policy.asked).toEqual([]);
  });
});

it("the shipped model's attacks are attacks: each fails the wrong program and passes the reference", async () => {
  const engine = await openEmbeddedEngine({ threads: 1 });
  try {
    const model = { kind: "folder", path: path.join(packageRoot, "models", "arena") } as const;
    const policy = await engine.openFrozen({ role: "test", model, seed: 0 });
    const court = courtWith(sandbox);
    const some = arenaPairs({ split: "held-out", perProblem: 2, limit: 20 });
    const ask = () =>
      evaluateAttack({ policy, pairs: some, dialect: arenaDialect, court, samples: 1, sampling });
    const evaluation = await ask();
    expect(evaluation.attacks).toMatchObject({ pairs: some.length, maskedPairs: 0 });
    const found = evaluation.pairs.flatMap(({ pair, replies: [reply] }) =>
      reply!.judged.kind === "judged" && reply!.judged.reached === "attack"
        ? [{ pair, testCase: reply!.judged.testCase! }]
        : [],
    );
    expect(found.length).toBeGreaterThan(0);
    for (const { pair, testCase } of found) {
      const [wrong] = (await judgeOn(court, pair.problem, pair.buggy, [testCase])).outcomes;
      const [right] = (await judgeOn(court, pair.problem, pair.problem.reference, [testCase])).outcomes;
      expect(wrong!.kind).not.toBe("passed");
      expect(right!.kind).toBe("passed");
    }
    expect((await ask()).attacks).toEqual(evaluation.attacks);
  } finally {
    await engine.close();
  }
}, 60_000);
