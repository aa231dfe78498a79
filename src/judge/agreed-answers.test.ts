/** Real programs in a real sandbox. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { courtWith, doubling, openTestSandbox } from "../evaluation/court.test.support.ts";
import type { Problem } from "../problems/problem.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { AgreedAnswers } from "./agreed-answers.ts";
import type { AnswerSource } from "./reference-answers.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
});
afterAll(() => sandbox.close());

/** All of them right for the numbers of the gold tests, 0 and −3. */
const strict = "n = int(input())\nassert n < 100\nprint(2 * n)";
const odd = "n = int(input())\nprint(2 * n if n != 7 else 0)";
const wrong = "print(0)";

const solvedBy = (...others: string[]): Problem => ({ ...doubling, metadata: { otherReferences: others } });
const kindsOf = async (problem: Problem, questions: readonly string[], witnesses = 1) => {
  const agreed = new AgreedAnswers(courtWith(sandbox).answers, { witnesses });
  return (await agreed.answer(problem, questions)).map(({ kind }) => kind);
};

describe("AgreedAnswers", () => {
  it("takes an answer that another solution gives too", async () => {
    expect(await kindsOf(solvedBy(strict), ["5", "500"])).toEqual(["output", "none"]);
    expect(await kindsOf(solvedBy(odd), ["5", "7"])).toEqual(["output", "none"]);
  });

  it("asks as many as it is told to", async () => {
    expect(await kindsOf(solvedBy(strict, odd), ["7", "500"], 0)).toEqual(["output", "output"]);
    expect(await kindsOf(solvedBy(strict, odd), ["7", "500"], 1)).toEqual(["output", "none"]);
    expect(await kindsOf(solvedBy(strict, odd), ["7", "500"], 2)).toEqual(["none", "none"]);
  });

  it("does not listen to a solution that fails the gold tests", async () => {
    expect(await kindsOf(solvedBy(wrong, "print("), ["5"])).toEqual(["output"]);
    expect(await kindsOf(solvedBy(wrong, strict), ["5", "500"])).toEqual(["output", "none"]);
  });

  it("says nothing while our own infrastructure fails, and asks again", async () => {
    const { answers } = courtWith(sandbox);
    let isDown = true;
    const unsteady: AnswerSource = {
      answer: async (problem, questions) =>
        isDown && problem.reference === strict
          ? questions.map(() => ({ kind: "infrastructure", message: "down" }))
          : answers.answer(problem, questions),
    };
    const agreed = new AgreedAnswers(unsteady, { witnesses: 1 });
    const problem = solvedBy(strict);
    expect(await agreed.answer(problem, ["5"])).toEqual([{ kind: "infrastructure", message: "down" }]);
    isDown = false;
    expect(await agreed.answer(problem, ["5"])).toMatchObject([{ kind: "output" }]);
  });
});
