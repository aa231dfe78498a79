import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseProblems } from "../problems/read-problem.ts";
import { defaultLimits } from "../sandbox/limits.ts";
import { createNativeSandbox } from "../sandbox/native/native-sandbox.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { scriptedSandbox } from "../sandbox/scripted-sandbox.test.support.ts";
import { createWasmSandbox } from "../sandbox/wasm/wasm-sandbox.ts";
import { validateReference } from "./validate-references.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createNativeSandbox({ workers: 1, demand: "limits" }).catch(() =>
    createWasmSandbox({ workers: 1 }),
  );
});
afterAll(() => sandbox?.close());

const plain = {
  id: "plus",
  question: "Add one.",
  style: "function",
  entryPoint: "plus",
  reference: "def plus(x):\n    return x + 1\n",
  goldTests: ["assert plus(1) == 2", "assert plus(2) == 3"],
};
const problemOf = (changes: object) => parseProblems(JSON.stringify({ ...plain, ...changes }), "p.json")[0]!;
const validate = (changes: object) =>
  validateReference({ sandbox, problem: problemOf(changes), limits: defaultLimits });
const check = (body: string) => ({ form: "check", source: `def check(candidate):\n    ${body}\n` });

describe("a reference", () => {
  it("passes", async () => {
    expect(await validate({})).toEqual({ kind: "passes" });
    expect(await validate({ goldTests: [], check: check("assert abs(candidate(1) - 2) < 0.1") })).toEqual({
      kind: "passes",
    });
  });

  it.each([
    [
      "a wrong test",
      { goldTests: ["assert plus(1) == 2", "assert plus(2) == 4", "assert plus(3) == 5"] },
      "goldTests[1]",
      "the reference gives 3, the test wants 4: assert plus(2) == 4",
      2,
    ],
    [
      "an error",
      { goldTests: ["assert plus(None) == 2"] },
      "goldTests[0]",
      "the reference raises TypeError",
      1,
    ],
    ["no tests", { goldTests: [] }, "goldTests", "the problem has no test", 0],
    ["another function", { reference: "def minus(x): pass" }, "entryPoint", "does not define plus", 2],
    ["nonsense", { reference: "def plus(" }, "reference", "the reference does not load: SyntaxError", 2],
    [
      "a check that it fails",
      { check: check("assert candidate(1) > 5") },
      "check",
      "it does not accept the reference: plus(1) gave 2; line 2: assert candidate(1) > 5",
      1,
    ],
    [
      "a broken check",
      { check: check("import pandas") },
      "check",
      "it cannot be used: ModuleNotFoundError",
      1,
    ],
    [
      "its own limits",
      { reference: "def plus(x):\n    while True: pass", limits: { caseCpuSeconds: 0.2 } },
      "goldTests[0]",
      "the reference runs into the cpu time limit",
      2,
    ],
  ])("fails with %s, and the field and reason are said", async (_, changes, field, reason, tests) => {
    const finding = await validate(changes);
    expect(finding).toMatchObject({ kind: "fails", field, tests });
    expect((finding as { reason: string }).reason).toContain(reason);
  });

  it("of a stdio problem is compared by what it prints", async () => {
    const stdio = { style: "stdio", entryPoint: undefined, reference: "print(int(input()) + 1)" };
    const goldTests = [
      { input: "1\n", output: "2\n" },
      { input: "2\n", output: "9\n" },
    ];
    expect(await validate({ ...stdio, goldTests })).toMatchObject({
      field: "goldTests[1]",
      reason: 'the reference gives "3\\n", the test wants "9\\n": input "2\\n"',
    });
  });

  it("does not break the message with its own line breaks", async () => {
    const reference = 'def plus(x):\n    raise ValueError("one\\r\\ntwo")\n';
    const finding = await validate({ reference });
    expect(finding).toMatchObject({
      reason: expect.stringContaining("raises ValueError: one\\r\\ntwo (line 2)"),
    });
  });

  it("passes with a warning where the check would accept anything", async () => {
    const finding = await validate({ goldTests: [], check: check("candidate(1) == 2") });
    expect(finding).toMatchObject({ kind: "passes", warning: expect.stringContaining("always answers") });
  });

  it("is neither right nor wrong when the sandbox fails", async () => {
    const lost = scriptedSandbox(() => [
      { kind: "infrastructure", message: "lost" },
      { kind: "infrastructure", message: "lost" },
    ]);
    const request = { sandbox: lost, problem: problemOf({}), limits: defaultLimits };
    expect(await validateReference(request)).toEqual({ kind: "infrastructure", message: "lost" });
  });
});
