/** Slips in operators: comparison, arithmetic, logic. */
import { childrenOf, type SyntaxNode, textOf } from "../prompts/python-syntax.ts";
import type { Edit, MutantOperator } from "./mutant.ts";
import { asOperand, type BinaryParts, binaryParts, isComparison, isSequence } from "./syntax.ts";

export function* expressionEdits(node: SyntaxNode, source: string): Generator<Edit> {
  if (node.name === "UnaryExpression") yield* unaryEdits(node, source);
  const parts = binaryParts(node, source);
  if (!parts) return;
  if (isComparison(parts.operator)) yield* replaceOperator(parts, comparisonSlips[parts.operator]!);
  else if (parts.operator === "and" || parts.operator === "or") yield* connectiveEdits(node, parts, source);
  else yield* arithmeticEdits(node, parts, source);
}

type Slip = readonly [MutantOperator, string];

const boundary = (text: string): Slip => ["comparison-boundary", text];
const direction = (text: string): Slip => ["comparison-direction", text];
const negation = (text: string): Slip => ["comparison-negation", text];

const comparisonSlips: Readonly<Record<string, readonly Slip[]>> = {
  "<": [boundary("<="), direction(">"), negation(">=")],
  "<=": [boundary("<"), direction(">="), negation(">")],
  ">": [boundary(">="), direction("<"), negation("<=")],
  ">=": [boundary(">"), direction("<="), negation("<")],
  "==": [negation("!=")],
  "!=": [negation("==")],
  in: [negation("not in")],
  "not in": [negation("in")],
  is: [negation("is not")],
  "is not": [negation("is")],
};

const arithmetic = (text: string): Slip => ["arithmetic", text];
const bits = (text: string): Slip => ["bit-operation", text];

const arithmeticSlips: Readonly<Record<string, readonly Slip[]>> = {
  "+": [arithmetic("-")],
  "-": [arithmetic("+")],
  "*": [arithmetic("+")],
  "/": [arithmetic("//")],
  "//": [arithmetic("/")],
  "%": [arithmetic("//")],
  "**": [arithmetic("*")],
  "&": [bits("|")],
  "|": [bits("&")],
  "^": [bits("|")],
  "<<": [bits(">>")],
  ">>": [bits("<<")],
};

function* replaceOperator({ from, to }: BinaryParts, slips: readonly Slip[]): Generator<Edit> {
  for (const [operator, text] of slips) yield { operator, from, to, text };
}

const ordered = new Set(["-", "/", "//", "%", "**"]);

function* arithmeticEdits(node: SyntaxNode, parts: BinaryParts, source: string): Generator<Edit> {
  const { left, right, operator } = parts;
  if (isSequence(left) || isSequence(right)) return;
  yield* replaceOperator(parts, arithmeticSlips[operator] ?? []);
  const [leftText, rightText] = [asOperand(left, source), asOperand(right, source)];
  if (ordered.has(operator) && leftText !== rightText) {
    const text = `${rightText} ${operator} ${leftText}`;
    yield { operator: "swapped-operands", from: node.from, to: node.to, text };
  }
  if (right.name === "Number") {
    yield { operator: "dropped-constant", from: left.to, to: right.to, text: "" };
  }
}

function* connectiveEdits({ from, to }: SyntaxNode, parts: BinaryParts, source: string): Generator<Edit> {
  const text = parts.operator === "and" ? "or" : "and";
  yield { operator: "boolean-connective", from: parts.from, to: parts.to, text };
  for (const kept of [parts.left, parts.right]) {
    yield { operator: "dropped-operand", from, to, text: textOf(kept, source) };
  }
}

function* unaryEdits(node: SyntaxNode, source: string): Generator<Edit> {
  const [sign, operand] = childrenOf(node);
  if (!sign || !operand) return;
  const operator = textOf(sign, source) === "not" ? "negated-condition" : "dropped-sign";
  yield { operator, from: sign.from, to: operand.from, text: "" };
}
