/**
 * The parts that problems are made of: which items to pick, how to change each, what to make of the rest. Each has
 * its words and its meaning. The words of two parts never mean the same, so a problem cannot be in the training
 * set under another name.
 */
import {
  arithmetic,
  type Comparator,
  compare,
  type Expression,
  type FinishKind,
  item,
  itemBefore,
  number,
  type Source,
  text,
  wholeInput,
} from "./program.ts";
import type { Family } from "./render-python.ts";

/** 1: values looked at one by one. 2: order and position matter, or text. 3: items are compared with each other. */
export type Level = 1 | 2 | 3;

export interface Pick {
  readonly words: string;
  readonly source: Source;
  readonly filter: Expression | undefined;
  readonly level: Level;
}

export interface Change {
  /** Empty for "as it is". */
  readonly words: string;
  readonly expression: Expression;
}

export interface Ending {
  /** Stands before the words of the pick. */
  readonly words: string;
  readonly kind: FinishKind;
  /** Possible answers when nothing is left; each task has one of them. Empty where the ending needs none. */
  readonly fallbacks: readonly (number | string)[];
  /** Whether changing the items can change the answer. A count does not see it. */
  readonly seesChange: "yes" | "no";
  readonly level: Level;
}

export interface Parts {
  readonly picks: readonly Pick[];
  readonly changes: readonly Change[];
  readonly endings: readonly Ending[];
}

export function partsOf(family: Family): Parts {
  return family === "numbers" ? numberParts : wordParts;
}

const comparisons = [
  ["over", ">"],
  ["at least", ">="],
  ["under", "<"],
  ["at most", "<="],
] as const satisfies readonly (readonly [string, Comparator])[];

function slice(start: number | undefined, stop: number | undefined, step?: number): Source {
  return { kind: "slice", start, stop, step };
}

function byValue(words: string, filter: Expression | undefined): Pick {
  return { words, source: wholeInput, filter, level: 1 };
}

/** Picks that do not care what the items are: `thing` is "value" or "letter". */
function structuralPicks(thing: string): Pick[] {
  const occurrences: Expression = { kind: "occurrences", operand: item };
  const byPlace = (words: string, source: Source): Pick => ({ words, source, filter: undefined, level: 2 });
  return [
    byPlace(`odd-place ${thing}s`, slice(undefined, undefined, 2)),
    byPlace(`even-place ${thing}s`, slice(1, undefined, 2)),
    byPlace(`${thing}s but the first`, slice(1, undefined)),
    byPlace(`${thing}s but the last`, slice(undefined, -1)),
    byPlace(`the first 3 ${thing}s`, slice(undefined, 3)),
    byPlace(`the last 2 ${thing}s`, slice(-2, undefined)),
    {
      words: `${thing}s seen once`,
      source: wholeInput,
      filter: compare(occurrences, "==", number(1)),
      level: 3,
    },
    {
      words: `${thing}s seen more than once`,
      source: wholeInput,
      filter: compare(occurrences, ">", number(1)),
      level: 3,
    },
    { words: `${thing}s without repeats`, source: { kind: "distinct" }, filter: undefined, level: 3 },
  ];
}

function neighbourPick(words: string, operator: Comparator): Pick {
  return { words, source: { kind: "neighbours" }, filter: compare(item, operator, itemBefore), level: 3 };
}

const remainder = (divisor: number) => arithmetic(item, "%", number(divisor));

const numberPicks: readonly Pick[] = [
  byValue("values", undefined),
  ...[-2, 0, 3, 5].flatMap((bound) =>
    comparisons.map(([words, operator]) =>
      byValue(`values ${words} ${bound}`, compare(item, operator, number(bound))),
    ),
  ),
  byValue("even values", compare(remainder(2), "==", number(0))),
  byValue("odd values", compare(remainder(2), "==", number(1))),
  byValue("multiples of 3", compare(remainder(3), "==", number(0))),
  byValue("nonzero values", compare(item, "!=", number(0))),
  ...structuralPicks("value"),
  neighbourPick("values over the one before", ">"),
  neighbourPick("values under the one before", "<"),
  neighbourPick("values equal to the one before", "=="),
];

const unchanged: Change = { words: "", expression: item };

const numberChanges: readonly Change[] = [
  unchanged,
  { words: "plus 1", expression: arithmetic(item, "+", number(1)) },
  { words: "minus 1", expression: arithmetic(item, "-", number(1)) },
  { words: "doubled", expression: arithmetic(item, "*", number(2)) },
  { words: "negated", expression: { kind: "negated", operand: item } },
  { words: "absolute", expression: { kind: "absolute", operand: item } },
  { words: "squared", expression: arithmetic(item, "*", item) },
  { words: "floor-halved", expression: arithmetic(item, "//", number(2)) },
  { words: "mod 3", expression: arithmetic(item, "%", number(3)) },
];

function ending(words: string, kind: FinishKind, level: Level): Ending {
  return { words, kind, fallbacks: [], seesChange: kind === "count" ? "no" : "yes", level };
}

function endingOr(words: string, kind: FinishKind, fallbacks: readonly (number | string)[]): Ending {
  return { words, kind, fallbacks, seesChange: "yes", level: 1 };
}

const numberEndings: readonly Ending[] = [
  ending("sum of", "sum", 1),
  ending("number of", "count", 1),
  endingOr("largest of", "largest", [0, -1]),
  endingOr("smallest of", "smallest", [0, -1]),
  endingOr("first of", "first", [0, -1]),
  endingOr("last of", "last", [0, -1]),
  ending("list of", "list", 2),
  ending("sorted list of", "sorted-list", 2),
  ending("reversed list of", "reversed-list", 2),
  ending("number of distinct", "distinct-count", 3),
];

const vowels = text("aeiou");

const wordPicks: readonly Pick[] = [
  byValue("letters", undefined),
  byValue("vowels", compare(item, "in", vowels)),
  byValue("consonants", compare(item, "not in", vowels)),
  byValue("letters after h", compare(item, ">", text("h"))),
  byValue("letters from h on", compare(item, ">=", text("h"))),
  byValue("letters before h", compare(item, "<", text("h"))),
  byValue("letters up to h", compare(item, "<=", text("h"))),
  ...structuralPicks("letter"),
  neighbourPick("letters after the one before", ">"),
  neighbourPick("letters equal to the one before", "=="),
  neighbourPick("letters unlike the one before", "!="),
];

const wordChanges: readonly Change[] = [
  unchanged,
  { words: "in capitals", expression: { kind: "upper", operand: item } },
  { words: "doubled", expression: arithmetic(item, "*", number(2)) },
];

const wordEndings: readonly Ending[] = [
  ending("text of", "joined", 2),
  ending("number of", "count", 2),
  ending("sorted text of", "sorted-joined", 2),
  ending("reversed text of", "reversed-joined", 2),
  endingOr("first of", "first", ["-", "*"]),
  endingOr("last of", "last", ["-", "*"]),
  ending("number of distinct", "distinct-count", 3),
];

const numberParts: Parts = { picks: numberPicks, changes: numberChanges, endings: numberEndings };
const wordParts: Parts = { picks: wordPicks, changes: wordChanges, endings: wordEndings };
