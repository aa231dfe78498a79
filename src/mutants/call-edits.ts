/** Slips in calls: another function, other arguments, none at all. */
import { childrenOf, type SyntaxNode, textOf } from "../prompts/python-syntax.ts";
import type { Edit } from "./mutant.ts";
import { rangeEdits } from "./range-edits.ts";
import { type Argument, argumentsOf, calledName } from "./syntax.ts";

export function* callEdits(node: SyntaxNode, source: string): Generator<Edit> {
  const [callee, argumentList] = childrenOf(node);
  if (node.name !== "CallExpression" || !callee || argumentList?.name !== "ArgList") return;
  const name = calledName(node, source);
  yield* nameEdits(callee, name);
  const given = argumentsOf(argumentList, source);
  if (!given) return;
  yield* removedCall({ node, callee, name, given }, source);
  if (name === "sorted" || name === "sort") yield* orderEdits(argumentList, given);
  if (name === "range") yield* rangeEdits(given, source);
  if (name === "pop") yield* popEdits(argumentList, given, source);
  if (!symmetric.has(name)) yield* swappedArguments(given, source);
}

/** Each with the one it is most easily taken for. */
const otherNames: Readonly<Record<string, string>> = {
  min: "max",
  max: "min",
  any: "all",
  all: "any",
  sum: "max",
  floor: "ceil",
  ceil: "floor",
  bisect_left: "bisect_right",
  bisect_right: "bisect_left",
  gcd: "lcm",
  permutations: "combinations",
  combinations: "permutations",
  popleft: "pop",
  appendleft: "append",
  union: "intersection",
  intersection: "union",
  startswith: "endswith",
  endswith: "startswith",
  find: "rfind",
  rfind: "find",
  lower: "upper",
  upper: "lower",
  islower: "isupper",
  isupper: "islower",
  isalpha: "isalnum",
  isalnum: "isalpha",
  isdigit: "isalnum",
  strip: "lstrip",
  lstrip: "rstrip",
  rstrip: "lstrip",
  ljust: "rjust",
  rjust: "ljust",
  keys: "values",
  values: "keys",
  add: "discard",
};

function* nameEdits(callee: SyntaxNode, name: string): Generator<Edit> {
  const text = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
  if (text === undefined) return;
  yield { operator: "swapped-function", from: callee.to - name.length, to: callee.to, text };
}

const removedFunctions = new Set(["abs", "sorted", "reversed", "set", "list", "round", "int"]);
const removedMethods = new Set(["strip", "lstrip", "rstrip", "lower", "upper", "copy", "title"]);

interface CallParts {
  readonly node: SyntaxNode;
  readonly callee: SyntaxNode;
  readonly name: string;
  readonly given: readonly Argument[];
}

function* removedCall({ node, callee, name, given }: CallParts, source: string): Generator<Edit> {
  const { from, to } = node;
  const [first] = given;
  if (callee.name === "VariableName" && removedFunctions.has(name) && first?.kind === "positional") {
    yield { operator: "removed-call", from, to, text: `(${textOf(first.value, source)})` };
  }
  const [object] = childrenOf(callee);
  if (callee.name === "MemberExpression" && removedMethods.has(name) && given.length === 0 && object) {
    yield { operator: "removed-call", from: object.to, to, text: "" };
  }
}

function* orderEdits(argumentList: SyntaxNode, given: readonly Argument[]): Generator<Edit> {
  for (const [index, { name, from, to }] of given.entries()) {
    if (name !== "reverse" && name !== "key") continue;
    const [before, after] = [given[index - 1], given[index + 1]];
    const place = before ? { from: before.to, to } : { from, to: after?.from ?? to };
    yield { operator: "sort-order", ...place, text: "" };
  }
  if (given.some(({ name, kind }) => name === "reverse" || kind === "starred")) return;
  const last = given.at(-1);
  const end = last?.to ?? argumentList.from + 1;
  yield { operator: "sort-order", from: end, to: end, text: `${last ? ", " : ""}reverse=True` };
}

/** The first item for the last, and the reverse. */
function* popEdits(argumentList: SyntaxNode, given: readonly Argument[], source: string): Generator<Edit> {
  const { from, to } = argumentList;
  if (given.length === 0) yield { operator: "swapped-function", from, to, text: "(0)" };
  if (given.length === 1 && textOf(given[0]!.value, source) === "0") {
    yield { operator: "swapped-function", from, to, text: "()" };
  }
}

/** The order makes no difference to these, or nothing but an error. */
const symmetric = new Set([
  "min",
  "max",
  "gcd",
  "lcm",
  "map",
  "filter",
  "reduce",
  "isinstance",
  "issubclass",
  "hasattr",
  "getattr",
  "setattr",
  "heappush",
  "bisect",
  "bisect_left",
  "bisect_right",
  "insort",
]);

function* swappedArguments(given: readonly Argument[], source: string): Generator<Edit> {
  for (const [index, left] of given.entries()) {
    const right = given[index + 1];
    if (left.kind !== "positional" || right?.kind !== "positional") continue;
    const [leftText, rightText] = [textOf(left.value, source), textOf(right.value, source)];
    if (leftText === rightText) continue;
    const between = source.slice(left.to, right.from);
    const text = `${rightText}${between}${leftText}`;
    yield { operator: "swapped-arguments", from: left.from, to: right.to, text };
  }
}
