/**
 * Answers that independent solutions agree on. A reference prints something for almost any input, also for one that
 * the problem does not allow; a test with such an input would be paid for as an attack if it crashes the wrong program
 * alone. Problems rarely come with a validator, but some sets have several accepted solutions: where two of them
 * disagree on an input, or one has no answer, the input is not one to test with.
 *
 * A solution that does not pass the gold tests itself is no witness.
 */
import { otherReferences, withReference } from "../problems/other-references.ts";
import type { Problem, TestCase } from "../problems/problem.ts";
import { sameValue } from "../values/compare.ts";
import { type AnswerSource, type Question, questionOf, type ReferenceAnswer } from "./reference-answers.ts";
import { sameOutput } from "./same-output.ts";

type Lost = Extract<ReferenceAnswer, { kind: "infrastructure" }>;

export class AgreedAnswers implements AnswerSource {
  readonly #answers: AnswerSource;
  readonly #most: number;
  /** By problem: the same for as long as the run lasts. */
  readonly #witnesses = new WeakMap<Problem, Promise<Problem[] | Lost>>();

  /** `witnesses`: solutions besides the reference that have to agree, where there are as many. */
  constructor(answers: AnswerSource, { witnesses }: { readonly witnesses: number }) {
    this.#answers = answers;
    this.#most = witnesses;
  }

  async answer(problem: Problem, questions: readonly Question[]): Promise<ReferenceAnswer[]> {
    const witnesses = await this.#witnessesOf(problem);
    if (!Array.isArray(witnesses)) return questions.map(() => witnesses);
    let answers = await this.#answers.answer(problem, questions);
    for (const witness of witnesses) {
      const asked = [...answers.keys()].filter((index) => isAnswer(answers[index]!));
      const others = await this.#answers.answer(
        witness,
        asked.map((index) => questions[index]!),
      );
      const agreed = [...answers];
      for (const [position, index] of asked.entries())
        agreed[index] = agree(answers[index]!, others[position]!, problem);
      answers = agreed;
    }
    return answers;
  }

  async #witnessesOf(problem: Problem): Promise<Problem[] | Lost> {
    const known = this.#witnesses.get(problem) ?? this.#findWitnesses(problem);
    this.#witnesses.set(problem, known);
    try {
      const found = await known;
      if (!Array.isArray(found)) this.#witnesses.delete(problem); // and looked for again
      return found;
    } catch (error) {
      this.#witnesses.delete(problem);
      throw error;
    }
  }

  async #findWitnesses(problem: Problem): Promise<Problem[] | Lost> {
    const { goldTests } = problem;
    const found: Problem[] = [];
    for (const source of otherReferences(problem)) {
      if (found.length >= this.#most || goldTests.length === 0) break;
      const witness = withReference(problem, source);
      const answers = await this.#answers.answer(witness, goldTests.map(questionOf));
      const lost = answers.find((answer) => answer.kind === "infrastructure");
      if (lost) return lost;
      if (answers.every((answer, index) => isRight(answer, goldTests[index]!, problem))) found.push(witness);
    }
    return found;
  }
}

function agree(own: ReferenceAnswer, other: ReferenceAnswer, { comparison }: Problem): ReferenceAnswer {
  if (other.kind === "infrastructure") return other;
  if (own.kind === "value" && other.kind === "value" && sameValue(own.value, other.value, comparison))
    return own;
  if (own.kind === "output" && other.kind === "output" && sameOutput(own.stdout, other.stdout, comparison))
    return own;
  return {
    kind: "none",
    reason: "undecided",
    detail:
      "another solution of the problem does not agree: most likely not an input that the problem allows",
  };
}

function isAnswer({ kind }: ReferenceAnswer): boolean {
  return kind === "value" || kind === "output";
}

function isRight(answer: ReferenceAnswer, test: TestCase, { comparison }: Problem): boolean {
  if (answer.kind === "value" && test.style === "function")
    return sameValue(test.expected, answer.value, comparison);
  return (
    answer.kind === "output" && test.style === "stdio" && sameOutput(test.expected, answer.stdout, comparison)
  );
}
