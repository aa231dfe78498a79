/** Real programs in a real sandbox. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeProposal } from "../adversaries/accept-program.ts";
import type { StdioCase } from "../problems/problem.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { checkPairs } from "./attack/check-pairs.ts";
import { courtWith, doubling, openTestSandbox } from "./court.test.support.ts";
import { judgeOn } from "./judge-candidate.ts";
import { judgeEach, judgeFully, judgeGoldFully } from "./judge-each.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
});
afterAll(() => sandbox.close());

const cases = Array.from(
  { length: 12 },
  (_, number): StdioCase => ({ style: "stdio", input: `${number}\n`, expected: `${2 * number}\n` }),
);
const problem = { ...doubling, goldTests: cases };
/** Right, and quick enough for each case, but not for all of them together. */
const slow = `import time
started = time.process_time()
while time.process_time() < started + 0.1: pass
print(2 * int(input()))`;
const limits = { caseCpuSeconds: 0.4, programCpuSeconds: 0.9 };

describe("a right program that is slow in all", () => {
  it("is timed out as one candidate, but right in each case", async () => {
    const court = courtWith(sandbox, limits);
    const together = await judgeOn(court, problem, slow, cases);
    expect(together.outcomes.at(-1)).toMatchObject({ kind: "timed-out", limit: "program" });
    const trial = { problem, source: slow, cases };
    const passed = cases.map(() => "passed");
    expect((await judgeEach(court, trial)).map(({ kind }) => kind)).toEqual(passed);
    expect((await judgeFully(court, trial)).outcomes.map(({ kind }) => kind)).toEqual(passed);
    const gold = await judgeGoldFully(court, problem, slow);
    expect(gold.outcomes.map(({ kind }) => kind)).toEqual(passed);
  });

  it("is no adversary and no wrong program of a pair", async () => {
    const court = courtWith(sandbox, limits);
    expect(await judgeProposal(court, { problem, source: slow, tests: cases.slice(0, 1) })).toBe("right");
    const [finding] = await checkPairs({ ...court, pairs: [{ id: "slow", problem, buggy: slow }] });
    expect(finding).toMatchObject({ kind: "refused", reason: expect.stringContaining("passes all 12") });
  });
});
