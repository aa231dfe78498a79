/** A real, untrained model: whatever it writes is wrong, and must be found wrong by whatever tests there are. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { openEmbeddedEngine } from "../engine/embedded/embedded-engine.ts";
import type { Engine, FrozenPolicy } from "../engine/engine.ts";
import { MemoryAnswerCache } from "../judge/answer-cache.ts";
import { ReferenceAnswers } from "../judge/reference-answers.ts";
import type { Problem } from "../problems/problem.ts";
import { chatDialect } from "../prompts/dialect.ts";
import { createSandbox } from "../sandbox/create-sandbox.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import { exactComparison } from "../values/compare.ts";
import { evaluateCode } from "./evaluate-code.ts";
import type { Court } from "./judge-candidate.ts";

let engine: Engine;
let policy: FrozenPolicy;
let court: Court;
beforeAll(async () => {
  const shapes = { wide: { layers: 1, width: 32, hidden: 64, context: 512 } };
  engine = await openEmbeddedEngine({ threads: 1, shapes });
  policy = await engine.openFrozen({ role: "code", model: { kind: "named", name: "wide" }, seed: 1 });
  const sandbox = await createSandbox({ workers: 1 });
  const [limits, cache] = [defaultLimits, new MemoryAnswerCache()];
  court = { sandbox, limits, answers: new ReferenceAnswers({ sandbox, cache, limits }) };
});
afterAll(async () => {
  await engine.close();
  await court.sandbox.close();
});

const problem: Problem = {
  id: "p",
  question: "Twice the number.",
  style: "function",
  entryPoint: "f",
  reference: "def f(n):\n    return 2 * n\n",
  goldTests: [],
  difficulty: undefined,
  comparison: exactComparison,
  metadata: {},
};

it.each<[string, Partial<Problem>]>([
  ["gold tests", { goldTests: chatDialect.readSuite(problem, "assert f(1) == 2").cases }],
  [
    "a check program alone",
    { check: { form: "check", source: "def check(candidate):\n    assert candidate(1) == 2\n" } },
  ],
  ["no test at all", {}],
])("nonsense does not pass a problem with %s", async (_, fields) => {
  const { passAt1, masked } = await evaluateCode({
    policy,
    problems: [{ ...problem, ...fields }],
    dialect: chatDialect,
    court,
    samples: 2,
    sampling: { temperature: 1, topP: 1, maxTokens: 20, seed: 1 },
  });
  expect({ passAt1, masked }).toEqual({ passAt1: 0, masked: 0 });
});
