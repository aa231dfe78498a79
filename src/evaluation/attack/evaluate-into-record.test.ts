import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AttackPair } from "../../problems/attack-pair.ts";
import { chatDialect } from "../../prompts/dialect.ts";
import { defaultLimits } from "../../sandbox/limits.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { courtWith, doubling, openTestSandbox } from "../court.test.support.ts";
import { AttackRecord } from "./attack-record.ts";
import { attackReport } from "./attack-report.ts";
import { type AttackStage, evaluateIntoRecord } from "./evaluate-into-record.ts";
import type { RecordHeader } from "./record-format.ts";
import { type ScriptedReply, scriptedPolicy } from "./scripted-policy.test.support.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
});
afterAll(() => sandbox?.close());

const sampling = { temperature: 0, topP: 1, maxTokens: 64, seed: 1 };
const header: RecordHeader = {
  kind: "attack-evaluation",
  version: 1,
  model: "script",
  pairs: "these",
  samples: 1,
  sampling,
  limits: defaultLimits,
  sandbox: { kind: "native", python: "3" },
};
const reply: ScriptedReply = { text: '<think>so</think><answer>{"input": "-1", "output": "-2"}</answer>' };
const wrong: AttackPair = { id: "wrong", problem: doubling, buggy: "print(abs(int(input())) * 2)" };
const alsoWrong: AttackPair = { id: "also-wrong", problem: doubling, buggy: "print(int(input()) * 3)" };
const right: AttackPair = { id: "right", problem: doubling, buggy: "print(2 * int(input()))" };

function evaluator(
  replyTo: Parameters<typeof scriptedPolicy>[0] = () => reply,
  model: Parameters<typeof scriptedPolicy>[1] = {},
) {
  const policy = scriptedPolicy(replyTo, model);
  const record = AttackRecord.inMemory(header);
  const stages: AttackStage[] = [];
  const run = (pairs: readonly AttackPair[], changed = {}) =>
    evaluateIntoRecord({
      record,
      pairs,
      policy,
      dialect: chatDialect,
      court: courtWith(sandbox),
      samples: 1,
      sampling,
      pairCheck: "sandbox",
      falseAlarms: "measured",
      onStage: (stage) => stages.push(stage),
      ...changed,
    });
  const keys = () =>
    policy.asked.map(({ requests }) => requests.map(({ key }) => key!.split("/").slice(0, 2).join("/")));
  return { run, keys, stages, record };
}

describe("evaluateIntoRecord", () => {
  it("names and skips pairs that are not what they claim, and measures on the others", async () => {
    const { run, keys, stages } = evaluator();
    const evaluation = await run([wrong, right]);
    expect(keys()).toEqual([["attack/wrong", "correct/double"]]);
    expect(evaluation.pairs.map(({ id }) => id)).toEqual(["wrong"]);
    const skipped = [
      {
        kind: "skipped",
        id: "right",
        reason: expect.stringContaining("passes all 2 gold tests"),
        digest: expect.stringMatching(/^[0-9a-f]{16}$/),
      },
    ];
    expect(evaluation.skipped).toEqual(skipped);
    expect(stages).toEqual([
      { kind: "checking", pairs: 2, known: 0 },
      { kind: "checks", done: 1, pairs: 2 },
      { kind: "checks", done: 2, pairs: 2 },
      { kind: "checked", skipped, unchecked: 0 },
      { kind: "asking", pairs: 1, correctPrograms: 1 },
    ]);
    const { overall, alarms } = attackReport(evaluation);
    expect(overall).toMatchObject({ pairs: 1, attackRate: { count: 1 } });
    expect(alarms).toMatchObject({ programs: 1, falseAlarms: { count: 0, of: 1 } });
  });

  it("names and skips programs that are too long to be shown, checked or not", async () => {
    const long = { ...wrong, id: "long", buggy: `${wrong.buggy}${"\n# long".repeat(2000)}` };
    for (const pairCheck of ["sandbox", "none"]) {
      const { run, keys } = evaluator(() => reply, { contextLength: 8000 });
      const { pairs, skipped } = await run([long, wrong], { pairCheck });
      expect(keys()).toEqual([["attack/wrong", "correct/double"]]);
      expect(pairs.map(({ id }) => id)).toEqual(["wrong"]);
      expect(skipped).toMatchObject([
        { kind: "skipped", id: "long", reason: "the wrong program is too long to be shown to the model" },
      ]);
    }
  });

  it("records what was asked for, what could not be read, and what nobody could check", async () => {
    const untested = { ...alsoWrong, problem: { ...doubling, id: "untested", goldTests: [] } };
    const refused = [{ row: 3, reason: "no pair" }];
    const { run, record } = evaluator();
    const evaluation = await run([wrong, untested, right], { refused });
    const gaps = { refused, unchecked: { "no-gold-tests": 1 }, torn: false };
    for (const told of [attackReport(evaluation), attackReport(record)]) {
      expect(told).toMatchObject(gaps);
      expect(told).not.toHaveProperty("unfinished");
    }
    expect(record.asked).toMatchObject({ pairs: 3, correctPrograms: 2, refused });
    const unwanted = evaluator();
    expect(attackReport(await unwanted.run([wrong], { pairCheck: "none" })).unchecked).toEqual({
      "not-asked": 1,
    });
  });

  it("leaves a record that tells how much is missing where it is stopped", async () => {
    const controller = new AbortController();
    const { run, record } = evaluator();
    await expect(
      run([wrong, alsoWrong], {
        signal: controller.signal,
        onStage: ({ kind }: AttackStage) => kind === "asking" && controller.abort(),
      }),
    ).rejects.toThrow();
    expect(attackReport(record).unfinished).toMatchObject({
      pairs: { done: 0, asked: 2 },
      correctPrograms: { done: 0, asked: 1 },
    });
  });

  it("asks only for what the record does not hold, and reports only on what was asked for", async () => {
    const { run, keys } = evaluator();
    await run([wrong, right]);
    await run([wrong, right, alsoWrong]);
    expect(keys()).toEqual([["attack/wrong", "correct/double"], ["attack/also-wrong"]]);
    const again = await run([alsoWrong]);
    expect(keys().length).toBe(2);
    expect(again.pairs.map(({ id }) => id)).toEqual(["also-wrong"]);
    expect(again.skipped).toEqual([]);
  });

  it("checks a skipped pair again only when it has changed, be it in a gold test", async () => {
    const { run, keys, stages } = evaluator();
    const wrongGold = { style: "stdio", input: "1\n", expected: "3\n" } as const;
    const spoiled = { ...wrong, problem: { ...doubling, goldTests: [...doubling.goldTests, wrongGold] } };
    expect((await run([spoiled])).skipped.map(({ id }) => id)).toEqual(["wrong"]);
    stages.length = 0;
    expect((await run([spoiled])).skipped.map(({ id }) => id)).toEqual(["wrong"]);
    expect(stages[0]).toEqual({ kind: "checking", pairs: 1, known: 1 });
    expect(stages.some(({ kind }) => kind === "checks")).toBe(false);
    const mended = await run([wrong]);
    expect(mended.pairs.map(({ id }) => id)).toEqual(["wrong"]);
    expect(mended.skipped).toEqual([]);
    expect(mended.correctPrograms.length).toBe(1);
    expect(keys().at(-1)).toEqual(["attack/wrong", "correct/double"]);
  });

  it("checks once more what a record of an earlier version skipped without a digest", async () => {
    const { run, stages, record } = evaluator();
    for (const { id } of [wrong, right]) record.add({ kind: "skipped", id, reason: "as it was then" });
    const evaluation = await run([wrong, right]);
    expect(evaluation.pairs.map(({ id }) => id)).toEqual(["wrong"]);
    expect(evaluation.correctPrograms.length).toBe(1);
    expect(evaluation.skipped).toMatchObject([{ id: "right", digest: expect.any(String) }]);
    stages.length = 0;
    await run([wrong, right]);
    expect(stages[0]).toEqual({ kind: "checking", pairs: 2, known: 2 });
  });

  it("asks again for replies that were lost", async () => {
    let isDown = true;
    const { run, keys } = evaluator(({ key }) => (isDown && key === "attack/wrong" ? "lost" : reply));
    expect(attackReport(await run([wrong, alsoWrong])).overall).toMatchObject({ pairs: 1, maskedPairs: 1 });
    isDown = false;
    expect(attackReport(await run([wrong, alsoWrong])).overall).toMatchObject({ pairs: 2, maskedPairs: 0 });
    expect(keys()[1]).toEqual(["attack/wrong"]);
  });

  it("refuses a record of other pairs, or of another prompt", async () => {
    const { run } = evaluator();
    await run([wrong]);
    await expect(run([{ ...wrong, buggy: alsoWrong.buggy }])).rejects.toThrow(
      "'attack/wrong' is another pair by that name",
    );
    const dialect = { ...chatDialect, attackPrompt: () => ({ kind: "text" as const, text: "Test this." }) };
    await expect(run([wrong], { dialect })).rejects.toThrow("'attack/wrong' was asked with another prompt");
  });

  it("takes pairs as they are where nobody wants them checked, and leaves false alarms out where nobody asks", async () => {
    const { run, keys } = evaluator();
    const evaluation = await run([right], { pairCheck: "none", falseAlarms: "left-out" });
    expect(keys()).toEqual([["attack/right"]]);
    expect(attackReport(evaluation)).toMatchObject({
      overall: { attackRate: { count: 0 }, ioAccuracy: { count: 1 } },
      alarms: { programs: 0 },
    });
  });

  it("shows other solutions too, but only those that are correct", async () => {
    const metadata = {
      otherReferences: [
        "x = int(input())\nprint(x + x)",
        "print(0)",
        doubling.reference,
        "print(int(input()) << 1)",
      ],
    };
    const problem = { ...doubling, metadata };
    const { run } = evaluator(() => ({ text: reply.text.replace("-2", "5") }));
    const { alarms } = attackReport(await run([{ ...wrong, problem }]));
    expect(alarms).toMatchObject({
      programs: 2,
      onReferences: { count: 1, of: 1 },
      onSolutions: { count: 1, of: 1 },
    });
  });
});
