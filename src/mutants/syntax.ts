/** What the operators ask of a syntax tree. */
import { childrenOf, type SyntaxNode, textOf } from "../prompts/python-syntax.ts";

const arithmeticSafe = new Set([
  "VariableName",
  "Number",
  "CallExpression",
  "MemberExpression",
  "ParenthesizedExpression",
]);

/** The text of a node such that an operator may stand beside it. */
export function asOperand(node: SyntaxNode, source: string): string {
  const text = textOf(node, source);
  return arithmeticSafe.has(node.name) ? text : `(${text})`;
}

/** Texts and lists: what is done with them is not arithmetic. */
const sequences = new Set([
  "String",
  "FormatString",
  "ContinuedString",
  "ArrayExpression",
  "ArrayComprehensionExpression",
  "TupleExpression",
]);

export function isSequence(node: SyntaxNode | undefined): boolean {
  return node !== undefined && sequences.has(node.name);
}

export interface BinaryParts {
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
  /** From the first to the last word of the operator: `not in` has two. */
  readonly from: number;
  readonly to: number;
  /** With single spaces. */
  readonly operator: string;
}

export function binaryParts(node: SyntaxNode, source: string): BinaryParts | undefined {
  const children = childrenOf(node);
  if (node.name !== "BinaryExpression" || children.length < 3) return undefined;
  const [left, right] = [children[0]!, children.at(-1)!];
  const words = children.slice(1, -1);
  return {
    left,
    right,
    from: words[0]!.from,
    to: words.at(-1)!.to,
    operator: words.map((word) => textOf(word, source)).join(" "),
  };
}

export interface Argument {
  readonly kind: "positional" | "named" | "starred";
  readonly name: string;
  readonly value: SyntaxNode;
  readonly from: number;
  readonly to: number;
}

/** The arguments of a call; undefined where it has a generator for its only one, or none can be told apart. */
export function argumentsOf(argumentList: SyntaxNode, source: string): Argument[] | undefined {
  const children = childrenOf(argumentList).slice(1, -1);
  const found: Argument[] = [];
  let part: SyntaxNode[] = [];
  const close = (): boolean => {
    if (part.length === 0) return true;
    const argument = argumentFrom(part, source);
    if (!argument) return false;
    found.push(argument);
    part = [];
    return true;
  };
  for (const child of children) {
    if (child.name === ",") {
      if (!close()) return undefined;
    } else part.push(child);
  }
  return close() ? found : undefined;
}

function argumentFrom(part: readonly SyntaxNode[], source: string): Argument | undefined {
  const value = part.at(-1)!;
  const place = { value, from: part[0]!.from, to: value.to };
  if (part.length === 1) return { kind: "positional", name: "", ...place };
  if (part.length === 2 && (part[0]!.name === "*" || part[0]!.name === "**")) {
    return { kind: "starred", name: "", ...place };
  }
  if (part.length === 3 && part[1]!.name === "AssignOp" && textOf(part[1]!, source) === "=") {
    return { kind: "named", name: textOf(part[0]!, source), ...place };
  }
  return undefined;
}

/** The last word of what is called: `sort` of `rows.sort(…)`. */
export function calledName(call: SyntaxNode, source: string): string {
  const [callee] = childrenOf(call);
  const name = callee?.name === "MemberExpression" ? childrenOf(callee).at(-1) : callee;
  return name?.name === "PropertyName" || name?.name === "VariableName" ? textOf(name, source) : "";
}

const comparisons = new Set(["<", "<=", ">", ">=", "==", "!=", "in", "not in", "is", "is not"]);

export function isComparison(operator: string): boolean {
  return comparisons.has(operator);
}
