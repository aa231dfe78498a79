import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCase, encodeCase } from "../problems/case-codec.ts";
import type { TestCase } from "../problems/problem.ts";
import type { PythonValue } from "../values/python-value.ts";
import { type BookUpdate, MistakeBook } from "./mistake-book.ts";

const int = (value: number): PythonValue => ({ type: "int", value: BigInt(value) });
const test = (argument: PythonValue | number, expected: PythonValue = int(0)): TestCase => ({
  style: "function",
  call: { args: [typeof argument === "number" ? int(argument) : argument], keywords: {} },
  expected,
});
const times = (count: number, testCase: TestCase) => Array.from({ length: count }, () => testCase);
const update = (failures: TestCase[], replays: BookUpdate["replays"] = []): BookUpdate => ({
  problemId: "p",
  failures,
  replays,
});
const frequencies = (book: MistakeBook) => book.entries("p").map(({ frequency }) => frequency);

describe("the Mistake Book", () => {
  it("counts occurrences and replays the most frequent first, ties in order of arrival", () => {
    const book = new MistakeBook({ mostPerProblem: 100 });
    book.update(update([test(1), ...times(3, test(2)), test(3), ...times(3, test(4))]));
    expect(book.replay("p", 3)).toEqual([test(2), test(4), test(1)]);
    expect(book.replay("other", 3)).toEqual([]);
    expect(book.size).toBe(4);
  });

  it("replays eight of ten at the paper's setting, the same ones every time", () => {
    const book = new MistakeBook({ mostPerProblem: 100 });
    const numbers = Array.from({ length: 10 }, (_, index) => index);
    book.update(
      update(numbers.flatMap((number) => times(number === 4 ? 3 : number % 2 === 0 ? 1 : 2, test(number)))),
    );
    const expected = [4, 1, 3, 5, 7, 9, 0, 2].map((number) => test(number));
    expect(book.replay("p", 8)).toEqual(expected);
    expect(book.replay("p", 8)).toEqual(expected);
    expect(book.size).toBe(10);
  });

  it("decreases by the candidates that passed, forgets at zero, and only then increases", () => {
    const book = new MistakeBook({ mostPerProblem: 100 });
    book.update(update([...times(2, test(1)), ...times(5, test(2))]));
    book.update(
      update(
        [test(1)],
        [
          { testCase: test(1), passes: 8 },
          { testCase: test(2), passes: 3 },
        ],
      ),
    );
    expect(book.entries("p")).toEqual([
      { testCase: test(2), frequency: 2 },
      { testCase: test(1), frequency: 1 },
    ]);
  });

  it("does not increase a replayed test that fails again", () => {
    const book = new MistakeBook({ mostPerProblem: 100 });
    book.update(update([test(1)]));
    book.update(update([], [{ testCase: test(1), passes: 0 }]));
    expect(frequencies(book)).toEqual([1]);
  });

  it("makes room by dropping the least frequent, oldest test", () => {
    const book = new MistakeBook({ mostPerProblem: 2 });
    book.update(update([test(1), ...times(2, test(2)), test(3)]));
    expect(book.entries("p").map(({ testCase }) => testCase)).toEqual([test(2), test(3)]);
    expect(book.size).toBe(2);
  });

  it("is not poisoned by quotes, backslashes, infinities, sets or nested values", () => {
    const odd: PythonValue[] = [
      { type: "str", value: `a\\'b"\n\\` },
      { type: "float", value: Number.POSITIVE_INFINITY },
      { type: "float", value: Number.NaN },
      { type: "set", items: [int(1)] },
      { type: "list", items: [{ type: "tuple", items: [{ type: "bytes", hex: "00ff" }] }] },
    ];
    const book = new MistakeBook({ mostPerProblem: 100 });
    for (const value of odd) book.update(update(times(2, test(value, value))));
    expect(frequencies(book)).toEqual([2, 2, 2, 2, 2]);
    for (const { testCase } of book.entries("p")) {
      expect(decodeCase(JSON.parse(JSON.stringify(encodeCase(testCase))))).toEqual(testCase);
      book.update(update([], [{ testCase, passes: 2 }]));
    }
    expect(book.size).toBe(0);
  });

  it("tells True, 1 and 1.0 apart as arguments", () => {
    const book = new MistakeBook({ mostPerProblem: 100 });
    book.update(update([test({ type: "bool", value: true }), test(1), test({ type: "float", value: 1 })]));
    expect(book.size).toBe(3);
  });

  it("can be made again from its changes, from all of them or from its state", () => {
    const step = fc.record({
      problemId: fc.constantFrom("p", "q"),
      failures: fc.array(
        fc.nat(5).map((value) => test(value)),
        { maxLength: 8 },
      ),
      replays: fc.array(fc.record({ testCase: fc.nat(5).map((value) => test(value)), passes: fc.nat(3) }), {
        maxLength: 4,
      }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const book = new MistakeBook({ mostPerProblem: 4 });
        const [replayed, restored] = [
          new MistakeBook({ mostPerProblem: 4 }),
          new MistakeBook({ mostPerProblem: 4 }),
        ];
        for (const one of steps) for (const change of book.update(one)) replayed.apply(change);
        for (const change of book.changes()) restored.apply(change);
        for (const problem of ["p", "q"]) {
          expect(restored.entries(problem)).toEqual(book.entries(problem));
          expect(replayed.entries(problem)).toEqual(book.entries(problem));
          expect(replayed.replay(problem, 3)).toEqual(book.replay(problem, 3));
        }
        expect([replayed.size, restored.size]).toEqual([book.size, book.size]);
      }),
    );
  });
});
