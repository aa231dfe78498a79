import { expect, test } from "vitest";
import { dialectLimits } from "./dialect.ts";
import { compileProgram } from "./evaluate.ts";
import { inputPool } from "./inputs.ts";
import { partsOf } from "./parts.ts";
import { hashText } from "./random.ts";
import { renderBody } from "./render-python.ts";
import { arenaTasks } from "./tasks.ts";

const tasks = arenaTasks();
const training = tasks.filter(({ split }) => split === "train");
const heldOut = tasks.filter(({ split }) => split === "held-out");

test("the arena is what it always was", () => {
  // Weights are trained on one side of this split and measured on the other: it must never shift unnoticed.
  expect(training.length).toBe(2355);
  expect(heldOut.length).toBe(334);
  expect(hashText(tasks.map(({ slug, split }) => `${slug} ${split}`).join("\n"))).toBe(3071377691);
});

test("no two tasks have the same name, question or behaviour", () => {
  expect(new Set(tasks.map(({ slug }) => slug)).size).toBe(tasks.length);
  expect(new Set(tasks.map(({ question }) => question)).size).toBe(tasks.length);
  const behaviours = tasks.map(({ family, program }) => {
    const run = compileProgram(program);
    return `${family} ${JSON.stringify(inputPool(family).map(run))}`;
  });
  expect(new Set(behaviours).size).toBe(tasks.length);
});

test("a held-out task is made of parts that training knows, of every difficulty and both families", () => {
  for (const family of ["numbers", "words"] as const) {
    const known = training.filter((task) => task.family === family);
    const { picks, changes, endings } = partsOf(family);
    for (const { words } of picks) expect(known.some(({ parts }) => parts.pick === words)).toBe(true);
    for (const { words } of changes) expect(known.some(({ parts }) => parts.change === words)).toBe(true);
    for (const { words } of endings) expect(known.some(({ parts }) => parts.ending === words)).toBe(true);
    expect(heldOut.some((task) => task.family === family)).toBe(true);
  }
  expect(new Set(heldOut.map(({ difficulty }) => difficulty))).toEqual(new Set(["easy", "medium", "hard"]));
});

test("questions and programs are short enough for the dialect", () => {
  expect(Math.max(...tasks.map(({ question }) => question.length))).toBeLessThanOrEqual(
    dialectLimits.question,
  );
  for (const style of ["function", "stdio"] as const) {
    const lengths = tasks.map(({ program }) => renderBody(program, style).length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(80);
  }
});
