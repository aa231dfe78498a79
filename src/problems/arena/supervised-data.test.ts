import { expect, test } from "vitest";
import { sameValue } from "../../values/compare.ts";
import type { FunctionCase } from "../problem.ts";
import { selectTasks } from "./arena.ts";
import { arenaAlphabet, casesPerSuite, dialectLimits, endMark } from "./dialect.ts";
import { casesOf } from "./dialect-cases.ts";
import { compileProgram } from "./evaluate.ts";
import type { ArenaInput } from "./program.ts";
import { renderBody } from "./render-python.ts";
import { codeExamples, type Example, suiteExamples } from "./supervised-data.ts";
import { testCase } from "./test-case.ts";

const trainingTasks = new Map(selectTasks({ split: "train" }).map((task) => [task.question, task]));
const heldOutQuestions = new Set(selectTasks({ split: "held-out" }).map(({ question }) => question));

function take(stream: Iterator<Example, never>, count: number): Example[] {
  return Array.from({ length: count }, () => stream.next().value);
}

const questionIn = ({ prompt }: Example) => prompt.slice(1).split(/[$^]/)[0]!;

/** The share of answers that are right, by the evaluator. */
function rightShare(examples: readonly Example[]): number {
  const verdicts = examples.flatMap((example) => {
    const { family, program } = trainingTasks.get(questionIn(example))!;
    const run = compileProgram(program);
    const statement = { question: "", style: "function", metadata: { family } } as const;
    return (casesOf(statement, example.completion).cases as FunctionCase[]).map(({ call, expected }) => {
      const [argument] = call.args;
      const input: ArenaInput =
        argument!.type === "list"
          ? argument!.items.map((each) => (each.type === "int" ? Number(each.value) : Number.NaN))
          : argument!.type === "str"
            ? argument!.value
            : expect.unreachable("an input is a list or a word");
      const answer = run(input);
      if (answer.kind === "raised") return false;
      const right = testCase({ input, expected: answer.value }, "function") as FunctionCase;
      return sameValue(right.expected, expected);
    });
  });
  return verdicts.filter(Boolean).length / verdicts.length;
}

test("the same seed gives the same examples, another seed others", () => {
  expect(take(codeExamples({ seed: 3 }), 50)).toEqual(take(codeExamples({ seed: 3 }), 50));
  expect(take(suiteExamples({ seed: 3 }), 50)).toEqual(take(suiteExamples({ seed: 3 }), 50));
  expect(take(codeExamples({ seed: 3 }), 50)).not.toEqual(take(codeExamples({ seed: 4 }), 50));
});

test("no held-out question is ever in it", () => {
  const examples = [
    ...take(codeExamples({ seed: 1 }), 5000),
    ...take(suiteExamples({ seed: 2 }), 3000),
    ...take(suiteExamples({ seed: 3, view: "black-box" }), 3000),
  ];
  const questions = new Set(examples.map(questionIn));
  expect([...questions].filter((question) => heldOutQuestions.has(question))).toEqual([]);
  expect([...questions].filter((question) => !trainingTasks.has(question))).toEqual([]);
  // Nearly every training problem has come up: the stream is not stuck in a corner.
  expect(questions.size).toBeGreaterThan(0.9 * trainingTasks.size);
});

test("nearly half of the programs are wrong, unless told otherwise", () => {
  const wrongShare = (examples: readonly Example[]) =>
    examples.filter(
      (example) =>
        example.completion !==
        `${renderBody(trainingTasks.get(questionIn(example))!.program, "function")}${endMark}`,
    ).length / examples.length;
  expect(wrongShare(take(codeExamples({ seed: 1 }), 2000))).toBeCloseTo(0.46, 1);
  const slipsOnly = { seed: 1, misconceivedShare: 0, slipShare: 0.3 };
  expect(wrongShare(take(codeExamples(slipsOnly), 2000))).toBeCloseTo(0.3, 1);
  expect(wrongShare(take(codeExamples({ ...slipsOnly, slipShare: 0 }), 500))).toBe(0);
});

test("a misconception is given in to more often than not, wherever it can be", () => {
  const misled = (examples: readonly Example[], right: string, wrong: string) => {
    const about = examples.filter(
      ({ completion }) => completion.includes(right) || completion.includes(wrong),
    );
    return about.filter(({ completion }) => completion.includes(wrong)).length / about.length;
  };
  const examples = take(codeExamples({ seed: 2 }), 6000);
  for (const [right, wrong] of [
    ["x//2", "int(x/2)"],
    ["fromkeys(a)", "sorted(set(a))"],
  ] as const) {
    expect(misled(examples, right, wrong)).toBeGreaterThan(0.55);
    expect(misled(examples, right, wrong)).toBeLessThan(0.75);
  }
});

test("about 15 % of the answers in suites are wrong, unless told otherwise", () => {
  expect(rightShare(take(suiteExamples({ seed: 5 }), 1000))).toBeCloseTo(0.85, 1);
  expect(rightShare(take(suiteExamples({ seed: 5, wrongAnswerShare: 0, habit: "broad" }), 500))).toBe(1);
});

test.each(["function", "stdio"] as const)("%s examples fit the dialect", (style) => {
  const alphabet = new Set(arenaAlphabet);
  const outside = ({ prompt, completion }: Example) =>
    [...prompt, ...completion].some((character) => !alphabet.has(character)) || !completion.endsWith(endMark);
  const suites = take(suiteExamples({ seed: 6, style }), 1000);
  const programs = take(codeExamples({ seed: 7, style }), 1000);
  expect([...suites, ...programs].filter(outside)).toEqual([]);
  expect(Math.max(...programs.map(({ completion }) => completion.length))).toBeLessThanOrEqual(
    dialectLimits.program,
  );
  expect(Math.max(...suites.map(({ completion }) => completion.length))).toBeLessThanOrEqual(
    dialectLimits.suite,
  );
  const different = suites.map(
    ({ completion }) => new Set(completion.split("\n").map((line) => line.split("=")[0])).size,
  );
  expect(new Set(different)).toEqual(new Set([casesPerSuite]));
});
