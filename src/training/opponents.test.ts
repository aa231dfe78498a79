import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeProposal } from "../adversaries/accept-program.ts";
import { ProgramBank } from "../adversaries/program-bank.ts";
import { courtWith, openTestSandbox } from "../evaluation/court.test.support.ts";
import type { Court } from "../evaluation/judge-candidate.ts";
import type { Outcome } from "../judge/outcome.ts";
import { arenaProblems } from "../problems/arena/arena.ts";
import { arenaDialect } from "../prompts/dialect.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { checkConfig } from "./load-config.ts";
import { hasOpponents, League, wrongCandidates } from "./opponents.ts";
import type { CandidateRollout } from "./rollout.ts";

const [problem] = arenaProblems({ split: "train", limit: 1 });
const { signal } = new AbortController();
const configWith = (opponents: object) => checkConfig({ method: { opponents } }, "test");

let sandbox: Sandbox;
let court: Court;
beforeAll(async () => {
  sandbox = await openTestSandbox();
  court = courtWith(sandbox);
});
afterAll(() => sandbox.close());

function leagueWith(opponents: object, bank = new ProgramBank({ mostPerProblem: 8 })) {
  return new League({ config: configWith(opponents), bank, court, dialect: arenaDialect, start: undefined });
}

describe("League", () => {
  it("is there only where somebody asks for opponents", () => {
    expect(hasOpponents(configWith({}))).toBe(false);
    expect(hasOpponents(configWith({ past: 1 }))).toBe(true);
  });

  it("gives mutants and past mistakes, the same for the same step", async () => {
    const bank = new ProgramBank({ mostPerProblem: 8 });
    bank.add({ problemId: problem!.id, source: "def f(a):\n return 1\n" });
    const league = leagueWith({ mutants: 3, past: 2 }, bank);
    const opponents = await league.opponents(4).known(problem!, signal);
    expect(opponents.map(({ origin }) => origin)).toEqual(["mutant", "mutant", "mutant", "past"]);
    expect(new Set(opponents.map(({ source }) => source)).size).toBe(4);
    expect(opponents.map(({ source }) => source)).not.toContain(problem!.reference);
    expect(await league.opponents(4).known(problem!, signal)).toEqual(opponents);
  });

  it("gives adversaries that pass the tests at hand and fail a gold test", async () => {
    const tests = problem!.goldTests.slice(0, 2);
    const adversaries = await leagueWith({ adversaries: 2 })
      .opponents(0)
      .adversaries(problem!, tests, signal);
    expect(adversaries.length).toBeGreaterThan(0);
    for (const { origin, source } of adversaries) {
      expect(origin).toBe("adversary");
      expect(await judgeProposal(court, { problem: problem!, source, tests })).toBe("accepted");
    }
  });

  it("does not play on without adversaries where looking for them is broken", async () => {
    const broken: Court = {
      ...court,
      sandbox: {
        describe: () => sandbox.describe(),
        run: () => Promise.reject(new Error("broken")),
        close: async () => {},
      },
    };
    const bank = new ProgramBank({ mostPerProblem: 8 });
    const config = configWith({ adversaries: 1 });
    const league = new League({ config, bank, court: broken, dialect: arenaDialect, start: undefined });
    const tests = problem!.goldTests.slice(0, 1);
    await expect(league.opponents(0).adversaries(problem!, tests, signal)).rejects.toThrow("broken");
  });

  it("gives none where the tests leave no room: every gold test is passed", async () => {
    const league = leagueWith({ adversaries: 1 });
    expect(await league.opponents(0).adversaries(problem!, problem!.goldTests, signal)).toEqual([]);
  });
});

it("remembers candidates that ran and were wrong, not broken or lost ones", () => {
  const candidate = (source: string, loads: boolean, ...outcomes: Outcome[]): CandidateRollout => ({
    completion: {
      text: source,
      tokenIds: [],
      logprobs: [],
      promptTokenIds: [],
      stopReason: "end",
      role: "code",
      policyVersion: 0,
    },
    source,
    history: undefined,
    verdict: { loads, outcomes, denied: 0 },
    suites: [],
  });
  const passed: Outcome = { kind: "passed", actual: "1" };
  const wrong: Outcome = { kind: "wrong-answer", actual: "2" };
  const lost: Outcome = { kind: "infrastructure", message: "gone" };
  const broken: Outcome = { kind: "did-not-load", error: { type: "SyntaxError", message: "no" } };
  const candidates = [
    candidate("right", true, passed, passed),
    candidate("wrong", true, passed, wrong),
    candidate("lost", true, passed, lost),
    candidate("broken", false, broken),
  ];
  expect(wrongCandidates({ problem: problem!, replayed: [], candidates, opponents: [] })).toEqual([
    { problemId: problem!.id, source: "wrong" },
  ]);
});
