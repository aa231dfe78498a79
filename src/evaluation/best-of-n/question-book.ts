/**
 * Numbers for the questions that tests ask and for the answers given to them, so that everything after this is
 * counting. A question is the input half of a test. Two answers to it have the same number when the problem's own
 * comparison says that they are the same; where its tolerance would allow several, the first seen takes it.
 *
 * What a program answers gets the number of a test's answer if it is the same, and otherwise one of its own by its
 * exact text: programs may answer with megabytes, and of those only a digest is kept.
 */
import { createHash } from "node:crypto";
import { sameOutput } from "../../judge/same-output.ts";
import { questionKey } from "../../problems/case-codec.ts";
import type { TestCase } from "../../problems/problem.ts";
import type { Observation } from "../../sandbox/sandbox.ts";
import { type Comparison, sameValue } from "../../values/compare.ts";
import { isLiteral } from "../../values/python-value.ts";
import { encodeWire } from "../../values/wire.ts";

/** A test as numbers. */
export interface NumberedTest {
  readonly question: number;
  readonly answer: number;
}

/** Of a program that raised, hung, printed too much or returned no plain data. */
export const noAnswer = -1;
/** Lost to our own infrastructure: neither right nor wrong. */
export const lostAnswer = -2;

interface Entry {
  /** One case for each distinct answer of a test, in the order seen. */
  readonly cases: TestCase[];
  /** Answers of programs that are no test's, by digest. */
  readonly others: Map<string, number>;
}

export class QuestionBook {
  readonly #comparison: Comparison;
  readonly #entries: Entry[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(comparison: Comparison) {
    this.#comparison = comparison;
  }

  /** Numbers a test. All tests come before the first program's answer. */
  enter(testCase: TestCase): NumberedTest {
    const key = questionKey(testCase);
    const question = this.#numbers.get(key) ?? this.#entries.length;
    if (question === this.#entries.length) {
      this.#numbers.set(key, question);
      this.#entries.push({ cases: [], others: new Map() });
    }
    const { cases } = this.#entries[question]!;
    const known = cases.findIndex((other) => sameAnswer(other, testCase, this.#comparison));
    if (known !== -1) return { question, answer: known };
    cases.push(testCase);
    return { question, answer: cases.length - 1 };
  }

  /** How many distinct questions there are. */
  get size(): number {
    return this.#entries.length;
  }

  /** How many distinct answers tests give to a question; a program's other answers have numbers from there on. */
  answersTo(question: number): number {
    return this.#entries[question]!.cases.length;
  }

  /** The test that was numbered so. */
  caseOf({ question, answer }: NumberedTest): TestCase {
    return this.#entries[question]!.cases[answer]!;
  }

  /** What a program did with a question, as the number of an answer. */
  answerOf(question: number, observation: Observation): number {
    if (observation.kind === "infrastructure") return lostAnswer;
    const { cases, others } = this.#entries[question]!;
    const given = answerIn(observation, cases[0]!);
    if (given === undefined) return noAnswer;
    const known = cases.findIndex((other) => sameAnswer(other, given, this.#comparison));
    if (known !== -1) return known;
    const digest = digestOf(given);
    const number = others.get(digest) ?? cases.length + others.size;
    others.set(digest, number);
    return number;
  }
}

/** The observation as a case of its own, or undefined where it holds no answer. */
function answerIn(observation: Observation, asked: TestCase): TestCase | undefined {
  if (observation.kind === "returned" && asked.style === "function") {
    return isLiteral(observation.value) ? { ...asked, expected: observation.value } : undefined;
  }
  if (observation.kind === "printed" && asked.style === "stdio") {
    return observation.exitCode === 0 ? { ...asked, expected: observation.stdout } : undefined;
  }
  return undefined;
}

function sameAnswer(left: TestCase, right: TestCase, comparison: Comparison): boolean {
  if (left.style === "function" && right.style === "function") {
    return sameValue(left.expected, right.expected, comparison);
  }
  return (
    left.style === "stdio" && right.style === "stdio" && sameOutput(left.expected, right.expected, comparison)
  );
}

function digestOf(given: TestCase): string {
  const text =
    given.style === "function"
      ? JSON.stringify(encodeWire(given.expected))
      : given.expected
          .split("\n")
          .map((line) => line.trimEnd())
          .join("\n")
          .trimEnd();
  return createHash("sha256").update(text).digest("base64");
}
