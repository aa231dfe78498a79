import { expect, test } from "vitest";
import { compileProgram, sameAnswer } from "./evaluate.ts";
import { goldCases } from "./gold-tests.ts";
import { misconceptions } from "./misconceptions.ts";
import { arenaTasks } from "./tasks.ts";

test.each(misconceptions)(
  "'$name' shows on both sides of the split, and gold tests reveal it",
  (misconception) => {
    const tasks = arenaTasks().filter(misconception.concerns);
    expect(new Set(tasks.map(({ split }) => split)).size).toBe(2);
    const revealed = tasks.filter((task) => {
      const run = compileProgram(misconception.apply(task.program));
      return goldCases(task).some(
        ({ input, expected }) => !sameAnswer(run(input), { kind: "value", value: expected }),
      );
    });
    // Here and there it does no harm: `sum` does not care about order, values over 3 are never negative.
    expect(revealed.length).toBeGreaterThan(0.5 * tasks.length);
  },
);

test("some tasks invite none, some several", () => {
  const counts = arenaTasks().map((task) => misconceptions.filter(({ concerns }) => concerns(task)).length);
  expect(counts.filter((count) => count === 0).length).toBeGreaterThan(0.4 * counts.length);
  expect(counts.filter((count) => count > 1).length).toBeGreaterThan(0.05 * counts.length);
});
