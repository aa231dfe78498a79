/** A court with a real sandbox, for tests of everything that judges. */
import { MemoryAnswerCache } from "../judge/answer-cache.ts";
import { ReferenceAnswers } from "../judge/reference-answers.ts";
import type { Problem } from "../problems/problem.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import { defaultLimits, type Limits } from "../sandbox/limits.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { exactComparison } from "../values/compare.ts";
import type { Court } from "./judge-candidate.ts";

export function openTestSandbox(): Promise<Sandbox> {
  return createSandbox({ workers: 2 });
}

export function courtWith(sandbox: Sandbox, changed: Partial<Limits> = {}): Court {
  const limits = { ...defaultLimits, ...changed };
  return {
    sandbox,
    limits,
    answers: new ReferenceAnswers({ sandbox, cache: new MemoryAnswerCache(), limits }),
  };
}

const common = { question: "Double it.", difficulty: undefined, comparison: exactComparison, metadata: {} };

/** Twice the number on the only line. */
export const doubling: Problem = {
  ...common,
  id: "double",
  style: "stdio",
  entryPoint: undefined,
  reference: "print(int(input()) * 2)",
  goldTests: [
    { style: "stdio", input: "0\n", expected: "0\n" },
    { style: "stdio", input: "-3\n", expected: "-6\n" },
  ],
};

/** The same as a function. */
export const doublingFunction: Problem = {
  ...common,
  id: "double-function",
  style: "function",
  entryPoint: "double",
  reference: "def double(x):\n    return x * 2",
  goldTests: [
    {
      style: "function",
      call: { args: [{ type: "int", value: -3n }], keywords: {} },
      expected: { type: "int", value: -6n },
    },
  ],
};
