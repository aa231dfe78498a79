import { expect, test } from "vitest";
import type { PythonValue } from "../../values/python-value.ts";
import type { FunctionCase, Problem, StdioCase } from "../problem.ts";
import { arenaProblems } from "./arena.ts";
import { callFunctions, havePython, runScriptsOn } from "./real-python.test.support.ts";
import { wrongPrograms } from "./wrong-programs.ts";

function plain(value: PythonValue): unknown {
  if (value.type === "int") return Number(value.value);
  if (value.type === "str") return value.value;
  if (value.type === "list") return value.items.map(plain);
  throw new Error(`an arena problem has no ${value.type}`);
}

const inputOf = ({ call }: FunctionCase) => plain(call.args[0]!) as number[] | string;

/** For each program, how many gold tests of its problem it fails in real Python. */
function failures(works: readonly { problem: Problem; source: string }[]): number[] {
  const answers = callFunctions(
    works.map(({ problem, source }) => ({
      source,
      inputs: (problem.goldTests as FunctionCase[]).map(inputOf),
    })),
  );
  return works.map(({ problem }, index) => {
    const expected = (problem.goldTests as FunctionCase[]).map((gold) => plain(gold.expected));
    return expected.filter(
      (value, place) => JSON.stringify(answers[index]![place]) !== JSON.stringify({ kind: "value", value }),
    ).length;
  });
}

const splits = ["train", "held-out"] as const;

test.runIf(havePython)("every reference passes its gold tests in real Python", () => {
  const problems = splits.flatMap((split) => arenaProblems({ split }));
  const failed = failures(problems.map((problem) => ({ problem, source: problem.reference })));
  expect(failed.every((count) => count === 0)).toBe(true);
});

test.runIf(havePython)("every reference in stdio style prints its gold answers in real Python", () => {
  const problems = splits.flatMap((split) => arenaProblems({ split, style: "stdio" }));
  const printed = runScriptsOn(
    problems.map(({ reference, goldTests }) => ({
      source: reference,
      inputs: (goldTests as StdioCase[]).map(({ input }) => input),
    })),
  );
  problems.forEach(({ goldTests }, index) => {
    expect(printed[index]).toEqual((goldTests as StdioCase[]).map(({ expected }) => expected));
  });
});

test.runIf(havePython)(
  "every wrong program that a tester is measured against is wrong in real Python",
  () => {
    const wrong = wrongPrograms({ split: "held-out" });
    expect(wrong.length).toBe(arenaProblems({ split: "held-out" }).length);
    expect(failures(wrong).every((count) => count > 0)).toBe(true);
  },
);

test("gold tests cover the empty input, single items, repeats, zero and negative numbers", () => {
  const problems = arenaProblems({ split: "held-out", families: ["numbers"] });
  for (const { goldTests } of problems) {
    const inputs = (goldTests as FunctionCase[]).map((gold) => inputOf(gold) as number[]);
    expect(inputs.length).toBeGreaterThanOrEqual(10);
    expect(inputs.some((input) => input.length === 0)).toBe(true);
    expect(inputs.some((input) => input.length === 1)).toBe(true);
    expect(inputs.some((input) => input.includes(0))).toBe(true);
    expect(inputs.some((input) => input.some((value) => value < 0))).toBe(true);
    expect(inputs.some((input) => new Set(input).size < input.length)).toBe(true);
    expect(new Set(inputs.map((input) => JSON.stringify(input))).size).toBe(inputs.length);
  }
});

test("problems can be chosen by difficulty, family and number; a prefix stays a prefix", () => {
  const all = arenaProblems({ split: "held-out" });
  expect(arenaProblems({ split: "held-out", limit: 20 })).toEqual(all.slice(0, 20));
  const hard = arenaProblems({ split: "held-out", difficulties: ["hard"], families: ["words"] });
  expect(hard.length).toBeGreaterThan(0);
  for (const { difficulty, metadata } of hard) {
    expect(difficulty).toBe("hard");
    expect(metadata.family).toBe("words");
  }
  const sample = arenaProblems({ split: "train", limit: 100 });
  expect(new Set(sample.map(({ difficulty }) => difficulty)).size).toBe(3);
});

test("both styles share the question and differ in id, reference and tests", () => {
  const [called] = arenaProblems({ split: "train", limit: 1 });
  const [script] = arenaProblems({ split: "train", limit: 1, style: "stdio" });
  expect(script!.question).toBe(called!.question);
  expect(script!.id).not.toBe(called!.id);
  expect(called!.entryPoint).toBe("f");
  expect(script!.entryPoint).toBeUndefined();
  expect(called!.goldTests[0]!.style).toBe("function");
  expect(script!.goldTests[0]!.style).toBe("stdio");
});
