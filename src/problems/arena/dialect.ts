/**
 * The compact dialect in which tiny character-level models see the arena. Tokens are characters and every sampled
 * one costs time, so it says only what matters:
 *
 *     code prompt     @largest of values over 3; 0 if none$
 *     completion       b=[x for x in a if x>3]⏎ return max(b,default=0)~
 *     test prompt     @largest of values over 3; 0 if none$ b=[x for x in a if x>=3]⏎ return max(b,default=0)^
 *     black-box       @largest of values over 3; 0 if none^
 *     completion      [3,4]=4⏎[]=0⏎[-1]=0⏎[9,5,9]=9~
 *
 * `@` opens a question, `$` a function body, `&` a script's body (stdio style), `^` a suite; `~` ends a completion.
 * The first line of a program, `def f(a):` or the line that reads the input, is implied by the marker.
 * These five never occur in questions, programs or cases: text that is put into a prompt is cut to length and has
 * every character outside the content alphabet replaced by `?`, so a program cannot open a section of its own.
 */
import type { Problem } from "../problem.ts";
import { type Family, headerOf } from "./render-python.ts";

export const questionMark = "@";
export const functionMark = "$";
export const scriptMark = "&";
export const suiteMark = "^";
export const endMark = "~";
const replacement = "?";

const contentCharacters =
  "\n 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"%'()*+,-./:;<=>[]_";

/** Every character a prompt or a completion can hold; its place in this text can serve as its token id. */
export const arenaAlphabet = `${questionMark}${functionMark}${scriptMark}${suiteMark}${endMark}${replacement}${contentCharacters}`;

export const casesPerSuite = 4;

/** In characters, and so in tokens; completions include the end mark. */
export const dialectLimits = {
  question: 72,
  /** What a test prompt shows of a candidate. */
  candidate: 96,
  codePrompt: 74,
  testPrompt: 171,
  program: 96,
  suite: 112,
  /** The longest prompt and completion together: what a model's context must hold. */
  context: 283,
} as const;

/** The part of a problem that a prompt can show, and what decides its form. */
export type Statement = Pick<Problem, "question" | "style" | "metadata">;

export function codePrompt(problem: Statement): string {
  return `${opening(problem)}${bodyMark(problem)}`;
}

/** White-box: the tester sees the candidate. */
export function testPrompt(problem: Statement, candidate: string): string {
  const header = headerOf(problem.style, familyOf(problem));
  const body = candidate.startsWith(header) ? candidate.slice(header.length) : candidate;
  return `${opening(problem)}${bodyMark(problem)}${content(body.trimEnd(), dialectLimits.candidate)}${suiteMark}`;
}

/** Black-box: the tester sees only the question, as in self-play. */
export function blackBoxTestPrompt(problem: Statement): string {
  return `${opening(problem)}${suiteMark}`;
}

/** The whole program that a completion stands for. Any text gives one; whether it runs is the sandbox's affair. */
export function programOf(problem: Statement, completion: string): string {
  return `${headerOf(problem.style, familyOf(problem))}${beforeEnd(completion)}\n`;
}

/** A completion up to its end mark; one that was cut off has none. */
export function beforeEnd(completion: string): string {
  const end = completion.indexOf(endMark);
  return end < 0 ? completion : completion.slice(0, end);
}

function opening(problem: Statement): string {
  return `${questionMark}${content(problem.question, dialectLimits.question)}`;
}

function bodyMark(problem: Statement): string {
  return problem.style === "function" ? functionMark : scriptMark;
}

function familyOf(problem: Statement): Family {
  return problem.metadata.family === "words" ? "words" : "numbers";
}

const known: ReadonlySet<string> = new Set(contentCharacters);

function content(text: string, longest: number): string {
  let result = "";
  for (let index = 0; index < Math.min(text.length, longest); index += 1) {
    const character = text[index]!;
    result += known.has(character) ? character : replacement;
  }
  return result;
}
