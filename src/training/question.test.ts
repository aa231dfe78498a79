/** Scripted models, real programs in the real sandbox. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { promptText, scriptedPolicy } from "../evaluation/attack/scripted-policy.test.support.ts";
import { courtWith, doubling, openTestSandbox } from "../evaluation/court.test.support.ts";
import { chatDialect } from "../prompts/dialect.ts";
import { codeA1Rules } from "../rewards/code-a1.ts";
import type { ProgramJob, Sandbox } from "../sandbox/sandbox.ts";
import { rollOut } from "./roll-out.ts";
import type { RollOutSettings } from "./rollout.ts";
import { scoreQuestion } from "./score-question.ts";
import { StageTimes } from "./stage-times.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
});
afterAll(() => sandbox.close());

const sampling = { temperature: 1, topP: 1, maxTokens: 64, seed: 1 };
const right = "print(2 * int(input()))";
const wrong = "print(abs(2 * int(input())))";
const fenced = (source: string) => `\`\`\`python\n${source}\n\`\`\`\n`;
const replayed = [{ style: "stdio", input: "-4\n", expected: "-8\n" } as const];

/** Writes down what the programs under test were asked to do. */
function watched() {
  const jobs: ProgramJob[] = [];
  const watching: Sandbox = {
    describe: () => sandbox.describe(),
    close: () => sandbox.close(),
    run: (job, options) => {
      if (job.source !== doubling.reference) jobs.push(job);
      return sandbox.run(job, options);
    },
  };
  return { jobs, court: courtWith(watching) };
}

function settingsWith(programs: readonly string[], court: RollOutSettings["court"]): RollOutSettings {
  return {
    dialect: chatDialect,
    court,
    codePolicy: scriptedPolicy((_, sample) => ({ text: fenced(programs[sample]!) })),
    candidates: programs.length,
    codeSampling: sampling,
    tester: undefined,
    suiteOf: undefined,
    opponents: undefined,
    field: "left-out",
    signal: new AbortController().signal,
    stages: new StageTimes(() => 0),
  };
}

it("runs a program that was written several times once, and gives each the verdict", async () => {
  const { jobs, court } = watched();
  const settings = settingsWith([right, wrong, right, wrong, right], court);
  const [rollout] = await rollOut([{ problem: doubling, replayed }], settings);
  const passes = rollout!.candidates.map(({ history, verdict }) => ({
    history: history!.outcomes.map(({ kind }) => kind),
    gold: verdict.outcomes.every(({ kind }) => kind === "passed"),
  }));
  const good = { history: ["passed"], gold: true };
  const bad = { history: ["wrong-answer"], gold: false };
  expect(passes).toEqual([good, bad, good, bad, good]);
  expect(jobs.length).toBe(4); // two programs, each on the replayed and on the gold tests
});

it("leaves out the suites of a program that is too long for the tester, and nothing else", async () => {
  const { court } = watched();
  const long = `${right}${"\n# long".repeat(2000)}`;
  const suite = "```\nInput:\n3\nOutput:\n6\n```";
  const tester = scriptedPolicy(() => ({ text: suite }), { contextLength: 8000 });
  const settings = settingsWith([long, wrong], court);
  const [rollout] = await rollOut([{ problem: doubling, replayed: [] }], {
    ...settings,
    tester: { policy: tester, suites: 2, testsPerSuite: 1, sampling, view: "white-box" },
  });
  expect(rollout!.candidates.map(({ suites }) => suites.length)).toEqual([0, 2]);
  expect(tester.asked[0]!.requests.map(({ prompt }) => promptText(prompt).includes(wrong))).toEqual([true]);
  const scores = scoreQuestion(rollout!, codeA1Rules);
  expect(scores.code[0]).toBeUndefined();
  expect(scores.test[0]).toEqual([]);
});

it("goes on where the tester has room for none of the programs", async () => {
  const { court } = watched();
  const long = `${right}${"\n# long".repeat(2000)}`;
  const tester = scriptedPolicy(() => ({ text: "" }), { contextLength: 8000 });
  const [rollout] = await rollOut([{ problem: doubling, replayed }], {
    ...settingsWith([long, long], court),
    tester: { policy: tester, suites: 2, testsPerSuite: 1, sampling, view: "white-box" },
  });
  expect(tester.asked).toEqual([]);
  // Old mistakes are still something to judge by.
  expect(scoreQuestion(rollout!, codeA1Rules).code).toEqual([1, 1]);
});
