import { expect, test } from "vitest";
import { bugsOf } from "./bugs.ts";
import { answerKey, compileProgram, sameAnswer } from "./evaluate.ts";
import { inputPool } from "./inputs.ts";
import type { ArenaInput, Program } from "./program.ts";
import { callFunctions, havePython } from "./real-python.test.support.ts";
import { type Family, renderProgram } from "./render-python.ts";
import { arenaTasks } from "./tasks.ts";

interface Case {
  readonly name: string;
  readonly program: Program;
  readonly family: Family;
  readonly inputs: readonly ArenaInput[];
}

function disagreements(cases: readonly Case[]): string[] {
  const found = callFunctions(
    cases.map(({ program, family, inputs }) => ({
      source: renderProgram(program, "function", family),
      inputs,
    })),
  );
  return cases.flatMap(({ name, program, inputs }, index) => {
    const run = compileProgram(program);
    return inputs.flatMap((input, place) => {
      const [mine, python] = [JSON.stringify(run(input)), JSON.stringify(found[index]![place])];
      return mine === python ? [] : [`${name} on ${JSON.stringify(input)}: ${mine}, Python ${python}`];
    });
  });
}

test.runIf(havePython)("every reference gives what Python gives, on the whole pool", () => {
  const cases = arenaTasks().map((task) => ({
    name: task.slug,
    program: task.program,
    family: task.family,
    inputs: inputPool(task.family),
  }));
  expect(disagreements(cases)).toEqual([]);
});

test.runIf(havePython)("every planted bug gives what Python gives, exceptions included", () => {
  // A different tenth of the pool for each bug keeps this short and still meets every input many times.
  let turn = 0;
  const cases = arenaTasks().flatMap((task) =>
    bugsOf(task.program, task.family).map((bug) => {
      turn += 1;
      const inputs = inputPool(task.family).filter((_, index) => index % 10 === turn % 10);
      return { name: `${task.slug}: ${bug.kind}`, program: bug.program, family: task.family, inputs };
    }),
  );
  expect(cases.length).toBeGreaterThan(10_000);
  expect(disagreements(cases)).toEqual([]);
});

test("answers are the same exactly when their keys are", () => {
  const answers = [
    { kind: "value", value: 1 },
    { kind: "value", value: "1" },
    { kind: "value", value: null },
    { kind: "value", value: [] },
    { kind: "value", value: [1] },
    { kind: "value", value: [1, 2] },
    { kind: "raised", type: "IndexError" },
  ] as const;
  for (const left of answers)
    for (const right of answers) expect(sameAnswer(left, right)).toBe(answerKey(left) === answerKey(right));
});
