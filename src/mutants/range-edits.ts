/** Slips in what is counted: bounds of ranges and slices, and indices. */
import { childrenOf, type SyntaxNode, textOf } from "../prompts/python-syntax.ts";
import type { Edit, MutantOperator } from "./mutant.ts";
import { type Argument, asOperand, binaryParts } from "./syntax.ts";

export function* rangeEdits(given: readonly Argument[], source: string): Generator<Edit> {
  if (given.length < 1 || given.length > 3 || given.some(({ kind }) => kind !== "positional")) return;
  const [first, second, third] = given.map(({ value }) => value) as [SyntaxNode, SyntaxNode?, SyntaxNode?];
  for (const bound of second ? [first, second] : [first]) yield* shifted(bound, "range-bound", source);
  if (!second) yield { operator: "range-bound", from: first.from, to: first.from, text: "1, " };
  if (second && third) yield { operator: "range-bound", from: second.to, to: third.to, text: "" };
}

export function* subscriptEdits(node: SyntaxNode, source: string): Generator<Edit> {
  const children = childrenOf(node);
  if (node.name !== "MemberExpression" || children[1]?.name !== "[") return;
  const inside = children.slice(2, -1);
  if (inside.some(({ name }) => name === ",")) return;
  if (inside.some(({ name }) => name === ":")) yield* sliceEdits(children[0]!, inside, { node, source });
  else if (inside.length === 1) yield* indexEdits(inside[0]!, source);
}

function* sliceEdits(
  object: SyntaxNode,
  inside: readonly SyntaxNode[],
  { node, source }: { node: SyntaxNode; source: string },
): Generator<Edit> {
  const bounds = inside.filter(({ name }) => name !== ":");
  // The copy that a full slice makes is often what keeps a program right.
  if (bounds.length === 0) yield { operator: "slice-bound", from: object.to, to: node.to, text: "" };
  for (const bound of bounds) {
    yield { operator: "slice-bound", from: bound.from, to: bound.to, text: "" };
    yield* shifted(bound, "slice-bound", source);
  }
}

/** One more and one less. Constants, and what ends in one, are changed by the operators for constants. */
function* shifted(bound: SyntaxNode, operator: MutantOperator, source: string): Generator<Edit> {
  const parts = binaryParts(bound, source);
  if (bound.name === "Number" || bound.name === "UnaryExpression" || parts?.right.name === "Number") return;
  const { from, to } = bound;
  for (const step of [" + 1", " - 1"]) yield { operator, from, to, text: asOperand(bound, source) + step };
}

/** Names that look like positions: of a key, one less would be nothing but an error. */
const position =
  /^(?:[a-z]\d?|\w*(?:index|idx|pos|left|right|low|high|lo|hi|mid|start|end|row|col|ptr|pointer))$/;

function* indexEdits(index: SyntaxNode, source: string): Generator<Edit> {
  if (index.name !== "VariableName" || !position.test(textOf(index, source))) return;
  const { from, to } = index;
  yield { operator: "index-shift", from, to, text: `${textOf(index, source)} - 1` };
}
