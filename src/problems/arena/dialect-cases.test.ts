import fc from "fast-check";
import { expect, test } from "vitest";
import { arenaProblems } from "./arena.ts";
import { casesOf, suiteText } from "./dialect-cases.ts";
import { testCase } from "./test-case.ts";

const [problem] = arenaProblems({ split: "train", limit: 1 });
const [script] = arenaProblems({ split: "train", limit: 1, style: "stdio" });

test("a suite reads as the tests it stands for", () => {
  const { cases, invalid } = casesOf(problem!, '[3,-1]=4\n[]=[]\n"ab"="A"\n');
  expect(invalid).toEqual([]);
  expect(cases).toEqual([
    testCase({ input: [3, -1], expected: 4 }, "function"),
    testCase({ input: [], expected: [] }, "function"),
    testCase({ input: "ab", expected: "A" }, "function"),
  ]);
});

test("in stdio style the literals become the line read and the line printed", () => {
  const { cases } = casesOf(script!, '[3,-1]=4\n[]=0\n"ab"="A"\n[1]=[1,2]~');
  expect(cases).toEqual([
    { style: "stdio", input: "3 -1\n", expected: "4\n" },
    { style: "stdio", input: "\n", expected: "0\n" },
    { style: "stdio", input: "ab\n", expected: "A\n" },
    { style: "stdio", input: "1\n", expected: "1 2\n" },
  ]);
});

test("what is no case says why; what follows the end mark does not count", () => {
  const { cases, invalid } = casesOf(problem!, "[1]\n[1,]=1\n[1]=x\n[[1]]=1\n[1]=1.5\n\n[2]=2~[3]=3");
  expect(cases).toEqual([testCase({ input: [2], expected: 2 }, "function")]);
  expect(invalid).toEqual([
    { text: "[1]", reason: "no '=' between input and answer" },
    { text: "[1,]=1", reason: "input or answer is not a literal" },
    { text: "[1]=x", reason: "input or answer is not a literal" },
    { text: "[[1]]=1", reason: "input or answer is not a literal" },
    { text: "[1]=1.5", reason: "input or answer is not a literal" },
  ]);
});

test("what is written reads back", () => {
  const word = fc.string({ unit: fc.constantFrom(..."abzAZ=[],-1 "), maxLength: 6 });
  const integer = fc.integer({ min: -999, max: 999 });
  const literal = fc.oneof(
    integer,
    word,
    fc.array(integer, { maxLength: 6 }),
    fc.array(word, { maxLength: 4 }),
  );
  const someCases = fc.array(fc.record({ input: fc.oneof(fc.array(integer), word), expected: literal }));
  fc.assert(
    fc.property(someCases, (written) => {
      const { cases, invalid } = casesOf(problem!, suiteText(written));
      expect(invalid).toEqual([]);
      expect(cases).toEqual(written.map((each) => testCase(each, "function")));
    }),
  );
});

test("any text is read, every line once", () => {
  const line = fc.string({ unit: fc.constantFrom(...'[]",-=01a~?\u0000'), maxLength: 20 });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(line).map((lines) => lines.join("\n")),
      ),
      (text) => {
        for (const each of [problem!, script!]) {
          const { cases, invalid } = casesOf(each, text);
          const lines = text.split("~")[0]!.split("\n");
          const filled = lines.filter((written) => written.trim() !== "");
          if (lines.length <= 64) expect(cases.length + invalid.length).toBe(filled.length);
        }
      },
    ),
  );
});

test("a flood of lines and a long line are cut off, not followed", () => {
  const { cases, invalid } = casesOf(problem!, "[1]=1\n".repeat(100_000));
  expect(cases.length).toBe(64);
  expect(invalid).toEqual([{ text: "", reason: "more than 64 lines" }]);
  expect(casesOf(problem!, `[${"1,".repeat(200_000)}`).cases).toEqual([]);
  expect(casesOf(problem!, `${'"a",'.repeat(100_000)}=${"-".repeat(100_000)}`).cases).toEqual([]);
});
