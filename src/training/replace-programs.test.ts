/** When a pair is due for a harder program, and what becomes of the search: real sandbox, scripted adversaries. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Adversary } from "../adversaries/adversary.ts";
import { AttackPool } from "../adversaries/attack-pool.ts";
import { SparringError } from "../errors.ts";
import { courtWith, openTestSandbox } from "../evaluation/court.test.support.ts";
import type { JudgedAttack } from "../evaluation/judge-attack.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import { arenaPairs } from "../problems/arena/attack-pairs.ts";
import type { TestCase } from "../problems/problem.ts";
import { type AttackClass, attackClasses } from "../rewards/atgen.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { checkConfig } from "./load-config.ts";
import { isDue, type ReplacementOptions, replacePrograms } from "./replace-programs.ts";

const [pair] = arenaPairs({ split: "train", limit: 1, perProblem: 1 });
const [firstTest, secondTest] = pair!.problem.goldTests as [TestCase, TestCase];
const judged = (reached: AttackClass, testCase?: TestCase): JudgedAttack => ({
  kind: "judged",
  reached,
  ...(testCase && { testCase }),
});
const masked: JudgedAttack = { kind: "masked", message: "lost" };

describe("isDue", () => {
  const {
    "0": wrong,
    "1": answerWrong,
    "2": harmless,
    "3": attack,
  } = attackClasses.map((each) => judged(each));
  const due = (
    mode: "none" | "unconditional" | "adaptive",
    trigger: "any" | "majority" | "all",
    ...attacks: JudgedAttack[]
  ) => isDue({ attacks }, { mode, trigger });

  it("never is without an adversary, and always is unconditionally", () => {
    expect(due("none", "any", attack!)).toBe(false);
    expect(due("unconditional", "all", wrong!)).toBe(true);
  });
  it("adaptively is when enough of the tests attack", () => {
    expect(due("adaptive", "any", wrong!, answerWrong!, harmless!)).toBe(false);
    expect(due("adaptive", "any", harmless!, attack!)).toBe(true);
    expect(due("adaptive", "majority", harmless!, attack!)).toBe(false);
    expect(due("adaptive", "majority", harmless!, attack!, attack!)).toBe(true);
    expect(due("adaptive", "all", harmless!, attack!)).toBe(false);
    expect(due("adaptive", "all", attack!, attack!)).toBe(true);
  });
  it("does not count what was lost", () => {
    expect(due("adaptive", "all", attack!, masked)).toBe(true);
    expect(due("adaptive", "all", masked)).toBe(false);
    expect(due("unconditional", "any", masked)).toBe(false);
  });
});

describe("replacePrograms", () => {
  let sandbox: Sandbox;
  let court: Court;
  beforeAll(async () => {
    sandbox = await openTestSandbox();
    court = courtWith(sandbox);
  });
  afterAll(() => sandbox.close());

  const rollout = {
    met: { pair: pair!, generation: 0 },
    completions: [],
    attacks: [judged("attack", firstTest)],
  };
  const writes = (...sources: string[]): Adversary => ({
    kind: "sampling",
    async *propose() {
      yield* sources;
    },
  });
  const optionsWith = (adversary: Adversary): ReplacementOptions => ({
    config: checkConfig({ method: { kind: "atgen" }, atgen: { maxTries: 3 } }, "test"),
    adversary,
    pool: new AttackPool([pair!]),
    court,
    step: 0,
    fits: () => true,
    signal: new AbortController().signal,
  });
  const { reference } = pair!.problem;

  it("replaces the program by the first that is accepted", async () => {
    // The reference for the first gold test's input, and nothing for any other.
    const cheat = `${reference.replace("def f(", "def right(")}\ndef f(a):\n answer=right(list(a))\n return answer if a==KNOWN else None\n`;
    const known = firstTest.style === "function" ? firstTest.call.args[0]! : undefined;
    const items = known?.type === "list" ? known.items : [];
    const literal = `[${items.map((item) => (item.type === "int" ? item.value : 0)).join(",")}]`;
    const [replacement] = await replacePrograms(
      [rollout],
      optionsWith(writes(reference, cheat.replace("KNOWN", literal))),
    );
    expect(replacement!.search).toMatchObject({ tries: 2, verdicts: { right: 1, accepted: 1 } });
    expect(replacement!.change).toMatchObject({ pair: pair!.id, kind: "replaced" });
  });

  it("keeps the program when nothing is found, and lets the pair rest next time", async () => {
    const options = optionsWith(writes(reference, reference, reference, reference));
    const [first] = await replacePrograms([rollout], options);
    expect(first).toMatchObject({ search: { tries: 3 }, change: { kind: "exhausted" } });
    options.pool.apply(first!.change!);
    const [second] = await replacePrograms([rollout], options);
    expect(second).toEqual({
      pairId: pair!.id,
      search: undefined,
      change: { pair: pair!.id, kind: "rested" },
    });
  });

  it("shows what it must pass: right tests, else all inputs, with the reference's answers", async () => {
    const asked: (readonly TestCase[])[] = [];
    const adversary: Adversary = {
      kind: "instruction",
      async *propose({ tests }) {
        asked.push(tests);
        yield reference;
      },
    };
    const attacks = {
      some: [
        judged("format-wrong"),
        judged("answer-wrong", firstTest),
        judged("harmless", secondTest),
        judged("harmless", secondTest),
        masked,
      ],
      wrong: [judged("answer-wrong", firstTest), judged("answer-wrong")],
      none: [judged("format-wrong"), judged("answer-wrong")],
    };
    const options = optionsWith(adversary);
    const search = (referenceTests: "all-correct" | "all-inputs" | "one-attack", group: JudgedAttack[]) => {
      const atgen = { ...options.config.atgen, mode: "unconditional" as const, referenceTests };
      const config = { ...options.config, atgen };
      return replacePrograms([{ ...rollout, attacks: group }], { ...options, config });
    };
    await search("all-correct", attacks.some);
    await search("all-inputs", attacks.some);
    await search("one-attack", attacks.some);
    await search("all-correct", attacks.wrong);
    expect(asked).toEqual([[secondTest], [firstTest, secondTest], [secondTest], [firstTest]]);
    // Any wrong program would do: that is no search for a harder one.
    expect(await search("all-correct", attacks.none)).toEqual([]);
  });

  it("adaptively keeps a program that was not attacked, though an earlier one was", async () => {
    const options = optionsWith(writes(reference));
    options.pool.apply({ pair: pair!.id, kind: "replaced", source: "def f(a): return 7" });
    expect(await replacePrograms([rollout], options)).toEqual([]);
    const present = { ...rollout, met: { ...rollout.met, generation: 1 } };
    expect(await replacePrograms([present], options)).toHaveLength(1);
  });

  it("does not replace a program by itself, or by one that is too long to be shown", async () => {
    const harmless = { ...rollout, attacks: [judged("harmless", secondTest)] };
    const options = optionsWith(writes(pair!.buggy));
    const unconditional = {
      ...options.config,
      atgen: { ...options.config.atgen, mode: "unconditional" as const },
    };
    const [replacement] = await replacePrograms([harmless], { ...options, config: unconditional });
    expect(replacement).toMatchObject({
      search: { verdicts: { unwanted: 1 } },
      change: { kind: "exhausted" },
    });
    const long = {
      ...options,
      config: unconditional,
      adversary: writes("def f(a): return 7"),
      fits: () => false,
    };
    expect((await replacePrograms([harmless], long))[0]!.search!.verdicts).toEqual({ unwanted: 1 });
  });

  it("gives a program that two pairs of a problem find in the same step to the first of them", async () => {
    const sibling = { ...pair!, id: "sibling", buggy: "def f(a): return 7" };
    const passes = { ...rollout, attacks: [judged("harmless", secondTest)] };
    const known = secondTest.style === "function" ? secondTest.call.args[0]! : undefined;
    const items = known?.type === "list" ? known.items : [];
    const literal = `[${items.map((item) => (item.type === "int" ? item.value : 0)).join(",")}]`;
    const renamed = reference.replace("def f(", "def right(");
    const cheat = `${renamed}\ndef f(a):\n answer=right(list(a))\n return answer if a==${literal} else None\n`;
    const options = optionsWith(writes(cheat));
    const config = {
      ...options.config,
      atgen: { ...options.config.atgen, mode: "unconditional" as const },
    };
    const both = [passes, { ...passes, met: { pair: sibling, generation: 0 } }];
    const pool = new AttackPool([pair!, sibling]);
    const replacements = await replacePrograms(both, { ...options, config, pool });
    expect(replacements.map(({ change }) => change?.kind)).toEqual(["replaced", undefined]);
    expect(replacements[1]!.search).toMatchObject({ source: undefined, verdicts: { accepted: 1 } });
  });

  it("counts an adversary that fails, and changes nothing", async () => {
    const broken: Adversary = {
      kind: "sampling",
      propose: () => {
        throw new SparringError({ code: "engine-endpoint", message: "no connection" });
      },
    };
    const [replacement] = await replacePrograms([rollout], optionsWith(broken));
    expect(replacement).toMatchObject({ search: { failure: "no connection" }, change: undefined });
  });
});
