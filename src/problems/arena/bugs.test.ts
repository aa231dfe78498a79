import { expect, test } from "vitest";
import { type BugKind, bugKinds, bugsOf, chooseBug } from "./bugs.ts";
import { dialectLimits } from "./dialect.ts";
import { compileProgram, sameAnswer } from "./evaluate.ts";
import { goldCases } from "./gold-tests.ts";
import { seededRandom } from "./random.ts";
import { renderBody } from "./render-python.ts";
import { arenaTasks } from "./tasks.ts";

const tasks = arenaTasks().map((task) => ({ task, bugs: bugsOf(task.program, task.family) }));

test("every planted bug of every task fails at least one gold test", () => {
  for (const { task, bugs } of tasks) {
    const gold = goldCases(task);
    for (const { kind, program } of bugs) {
      const run = compileProgram(program);
      const revealed = gold.some(
        ({ input, expected }) => !sameAnswer(run(input), { kind: "value", value: expected }),
      );
      if (!revealed) expect.unreachable(`${task.slug}: '${kind}' passes all gold tests`);
    }
  }
});

test("every task can go wrong, and every kind of bug occurs", () => {
  for (const { bugs } of tasks) expect(bugs.length).toBeGreaterThan(0);
  const kinds = new Set(tasks.flatMap(({ bugs }) => bugs.map(({ kind }) => kind)));
  expect([...kinds].sort()).toEqual([...bugKinds].sort());
});

test("a bug is another program, and short enough to be shown to a tester", () => {
  for (const { task, bugs } of tasks) {
    const right = renderBody(task.program, "function");
    const wrong = bugs.map(({ program }) => renderBody(program, "function"));
    expect(wrong).not.toContain(right);
    expect(Math.max(...wrong.map((body) => body.length))).toBeLessThan(dialectLimits.program);
  }
});

test("crude bugs are drawn less often than subtle ones", () => {
  const { bugs } = tasks.find(({ task }) => task.question.startsWith("largest of values over 3, doubled"))!;
  const random = seededRandom(1);
  const drawn = Array.from({ length: 3000 }, () => chooseBug(random, bugs).kind);
  const count = (kind: BugKind) => drawn.filter((each) => each === kind).length;
  expect(count("boundary")).toBeGreaterThan(2 * count("dropped filter"));
  expect(count("dropped filter")).toBeGreaterThan(0);
});
