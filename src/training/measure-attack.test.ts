/** A scripted generator; its tests are judged in the real sandbox. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ScriptedReply, scriptedPolicy } from "../evaluation/attack/scripted-policy.test.support.ts";
import { courtWith, doubling, openTestSandbox } from "../evaluation/court.test.support.ts";
import { chatDialect } from "../prompts/dialect.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { checkConfig } from "./load-config.ts";
import { measureAttack } from "./measure-attack.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
});
afterAll(() => sandbox.close());

const pairs = ["a", "b", "z"].map((id) => ({ id, problem: doubling, buggy: "print(abs(int(input())) * 2)" }));
const answered = (test: object): ScriptedReply => ({
  text: `<think>so</think><answer>${JSON.stringify(test)}</answer>`,
});
const attack = answered({ input: "-1", output: "-2" });
const harmless = answered({ input: "1", output: "2" });

/** `replies` are those to the pairs that are attacked at all. */
function measured(replies: Readonly<Record<string, ScriptedReply>>, hard?: readonly string[]) {
  const policy = scriptedPolicy(({ key }) => replies[key!.replace("attack/", "")] ?? "lost");
  const context = {
    config: checkConfig({ method: { kind: "atgen" } }, "a test"),
    players: { code: policy, test: policy, codeLearner: undefined, testLearner: undefined },
    problemSet: {
      training: [],
      heldOut: [],
      targets: [],
      dialect: chatDialect,
      pairs: { training: [], heldOut: pairs },
    },
    court: courtWith(sandbox),
    signal: new AbortController().signal,
  };
  return measureAttack(context, hard ? 1 : 0, hard);
}

describe("measureAttack", () => {
  it("finds the hard third at the beginning", async () => {
    const { attack: figures } = await measured({ a: attack, b: harmless, z: attack });
    expect(figures).toMatchObject({ attackRate: 2 / 3, hardPairs: ["b"], hard: { attackRate: 0 } });
  });

  it("does not take a pair that was lost to our infrastructure for a hard one", async () => {
    const { attack: figures } = await measured({ a: attack, b: harmless });
    expect(figures).toMatchObject({ attackRate: 1 / 2, hardPairs: ["b"] });
  });

  it("ranks nothing where nothing is known", async () => {
    expect((await measured({})).attack).toEqual({ hard: {}, hardPairs: [] });
  });

  it("keeps to the third that was found", async () => {
    const { attack: figures } = await measured({ a: attack, b: harmless, z: attack }, ["a"]);
    expect(figures).toMatchObject({ hardPairs: ["a"], hard: { attackRate: 1 } });
  });
});
