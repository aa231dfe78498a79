import fc from "fast-check";
import { expect, test } from "vitest";
import { arenaProblems, selectTasks, statementOf } from "./arena.ts";
import { bugsOf } from "./bugs.ts";
import {
  arenaAlphabet,
  blackBoxTestPrompt,
  codePrompt,
  dialectLimits,
  endMark,
  functionMark,
  programOf,
  questionMark,
  scriptMark,
  suiteMark,
  testPrompt,
} from "./dialect.ts";
import { renderBody, renderProgram } from "./render-python.ts";

const styles = ["function", "stdio"] as const;
const [problem] = arenaProblems({ split: "train", limit: 1 });
const marks = [questionMark, functionMark, scriptMark, suiteMark, endMark];

test("the prompts are what the header says", () => {
  const statement = { question: "sum of odd values", style: "function", metadata: {} } as const;
  const candidate = "def f(a):\n b=[x for x in a]\n return sum(b)\n";
  expect(codePrompt(statement)).toBe("@sum of odd values$");
  expect(testPrompt(statement, candidate)).toBe("@sum of odd values$ b=[x for x in a]\n return sum(b)^");
  expect(blackBoxTestPrompt(statement)).toBe("@sum of odd values^");
  expect(codePrompt({ ...statement, style: "stdio" })).toBe("@sum of odd values&");
});

test("a written program reads back as the program, in both styles", () => {
  for (const style of styles) {
    for (const task of selectTasks({ split: "train", limit: 300 })) {
      const statement = statementOf(task, style);
      const completion = `${renderBody(task.program, style)}${endMark}`;
      expect(programOf(statement, completion)).toBe(renderProgram(task.program, style, task.family));
    }
  }
});

test("everything the arena writes is inside the alphabet and the limits", () => {
  const alphabet = new Set(arenaAlphabet);
  expect(alphabet.size).toBe(arenaAlphabet.length);
  const prompts = styles.flatMap((style) =>
    selectTasks({ split: "train", limit: 200 }).flatMap((task) =>
      bugsOf(task.program, task.family).map(({ program }) =>
        testPrompt(statementOf(task, style), renderProgram(program, style, task.family)),
      ),
    ),
  );
  // Nothing had to be replaced or cut.
  expect(prompts.filter((prompt) => prompt.includes("?"))).toEqual([]);
  expect(prompts.filter((prompt) => [...prompt].some((character) => !alphabet.has(character)))).toEqual([]);
  expect(Math.max(...prompts.map((prompt) => prompt.length))).toBeLessThan(dialectLimits.testPrompt);
  expect(dialectLimits.testPrompt).toBe(dialectLimits.codePrompt + dialectLimits.candidate + 1);
  expect(dialectLimits.context).toBe(dialectLimits.testPrompt + dialectLimits.suite);
});

test("no candidate and no question can open a section of its own, or outgrow the prompt", () => {
  const hostile = fc.string({
    unit: fc.oneof(fc.constantFrom(...marks, "\n"), fc.string({ unit: "binary", maxLength: 3 })),
    maxLength: 300,
  });
  fc.assert(
    fc.property(hostile, hostile, (question, candidate) => {
      const statement = { ...problem!, question };
      const prompt = testPrompt(statement, candidate);
      expect(prompt.length).toBeLessThanOrEqual(dialectLimits.testPrompt);
      expect([...prompt].filter((character) => marks.includes(character)).join("")).toBe("@$^");
      expect([...prompt].every((character) => arenaAlphabet.includes(character))).toBe(true);
    }),
  );
});

test("any reply gives a program that begins with the header", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (reply) => {
      const program = programOf(problem!, reply);
      expect(program.startsWith("def f(a):\n")).toBe(true);
      expect(program).not.toContain(endMark);
    }),
  );
});
