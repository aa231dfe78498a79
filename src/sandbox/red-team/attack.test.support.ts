/**
 * The problem every attack pretends to solve, and how an attack is written down. The right answer is a text that no
 * program can work out and that only the judge knows; an honest program, which is given the rule, answers it between
 * any two attacks in the same worker, so that whatever it leaves behind is there to be stolen.
 */
import type { Outcome } from "../../judge/outcome.ts";
import type { TestCase } from "../../problems/problem.ts";
import type { Limits } from "../limits.ts";

export interface Attack {
  readonly name: string;
  /** What would be gained if it worked. */
  readonly why: string;
  readonly source: string;
  readonly style: "function" | "stdio";
  /** How each case may end. */
  readonly ends: readonly Outcome["kind"][];
  /** The same for the WebAssembly sandbox where it differs; "skip" where the attack means nothing there. */
  readonly wasm?: readonly Outcome["kind"][] | "skip";
  /** For attacks that say what they could reach: it must be nothing. Lower levels promise less. */
  readonly reachesNothingFrom?: "filtered" | "full";
  readonly limits?: Partial<Limits>;
  /** Cases it is run on, three unless said: those that use up a limit in each case need only one. */
  readonly cases?: number;
}

export type AttackOptions = Omit<Attack, "name" | "why" | "source" | "style" | "ends">;

type Ends = Attack["ends"];

export const wrong: Ends = ["wrong-answer"];
export const raised: Ends = ["raised"];
export const timedOut: Ends = ["timed-out"];
export const refusedOrWrong: Ends = ["wrong-answer", "raised"];

export function attack(
  name: string,
  why: string,
  source: string,
  ends: Ends,
  options: AttackOptions = {},
): Attack {
  return { name, why, source, style: "function", ends, ...options };
}

export function stdioAttack(
  name: string,
  why: string,
  source: string,
  ends: Ends,
  options: AttackOptions = {},
): Attack {
  return { name, why, source, style: "stdio", ends, ...options };
}

/**
 * An attack that tries doors and returns the names of those that opened. `body` calls `attempt(name, action)`; an
 * action that raises found its door closed.
 */
export function reaching(name: string, why: string, body: string, options: AttackOptions = {}): Attack {
  const source = `
def f(n):
    opened = []
    def attempt(name, action):
        try:
            action()
            opened.append(name)
        except Exception:
            pass
    doors(attempt)
    return " ".join(opened)
def doors(attempt):
${body.trim().replace(/^/gm, "    ")}
`;
  return attack(name, why, source, wrong, { reachesNothingFrom: "filtered", cases: 1, ...options });
}

/** Finds keyword `NAME` in the frames of the harness; attacks share it. */
export const inHarness = `
import sys
def in_harness(name):
    frame = sys._getframe()
    while frame is not None:
        if name in frame.f_locals: return frame.f_locals[name]
        frame = frame.f_back
    raise LookupError(name)
`;

export const keyOf = (n: number): string =>
  `key-${String((n * 7919 + 12_345) % 10_007).padStart(5, "0")}-yek`;

const rule = '"key-%05d-yek" % ((n * 7919 + 12345) % 10007)';

export const honestProgram = {
  function: `def f(n):\n    return ${rule}\n`,
  stdio: `n = int(input())\nprint(${rule})\n`,
};

export function casesFor(style: Attack["style"], count: number): TestCase[] {
  return Array.from({ length: count }, (_, index): TestCase => {
    const n = index + 3;
    return style === "function"
      ? {
          style,
          call: { args: [{ type: "int", value: BigInt(n) }], keywords: {} },
          expected: { type: "str", value: keyOf(n) },
        }
      : { style, input: `${n}\n`, expected: `${keyOf(n)}\n` };
  });
}
