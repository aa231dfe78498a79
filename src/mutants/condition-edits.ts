/** Slips in what is asked by `if`, `elif`, `while`, conditional expressions and comprehensions. */
import { childrenOf, type SyntaxNode, textOf } from "../prompts/python-syntax.ts";
import type { Edit } from "./mutant.ts";
import { binaryParts, isComparison } from "./syntax.ts";

export function* conditionEdits(node: SyntaxNode, source: string): Generator<Edit> {
  switch (node.name) {
    case "IfStatement":
    case "WhileStatement":
      yield* statementEdits(node, source);
      break;
    case "ConditionalExpression":
      yield* conditionalEdits(node, source);
      break;
    case "ArgList": // a generator without brackets of its own
    case "ArrayComprehensionExpression":
    case "SetComprehensionExpression":
    case "DictionaryComprehensionExpression":
    case "ComprehensionExpression":
      yield* comprehensionEdits(node, source);
      break;
  }
}

/** `if __name__ == "__main__"` is no condition about the problem. */
export function asksForMain(node: SyntaxNode, source: string): boolean {
  const [, condition] = childrenOf(node);
  return (
    node.name === "IfStatement" && condition !== undefined && textOf(condition, source).includes("__name__")
  );
}

function* statementEdits(node: SyntaxNode, source: string): Generator<Edit> {
  const children = childrenOf(node);
  for (const [index, word] of children.entries()) {
    const condition = children[index + 1];
    if (!condition || !["if", "elif", "while"].includes(word.name)) continue;
    yield* negated(condition, source);
    if (word.name === "while") continue;
    for (const text of ["True", "False"]) {
      if (condition.name !== "Boolean") {
        yield { operator: "dropped-condition", from: condition.from, to: condition.to, text };
      }
    }
  }
}

function* conditionalEdits(node: SyntaxNode, source: string): Generator<Edit> {
  const [yes, , condition, , no] = childrenOf(node);
  if (!yes || !condition || !no) return;
  yield* negated(condition, source);
  for (const kept of [yes, no]) {
    yield { operator: "dropped-condition", from: node.from, to: node.to, text: textOf(kept, source) };
  }
}

function* comprehensionEdits(node: SyntaxNode, source: string): Generator<Edit> {
  const children = childrenOf(node);
  for (const [index, word] of children.entries()) {
    const [before, condition] = [children[index - 1], children[index + 1]];
    if (word.name !== "if" || !before || !condition) continue;
    yield* negated(condition, source);
    yield { operator: "dropped-condition", from: before.to, to: condition.to, text: "" };
  }
}

/** The contrary of a comparison, and of a negation, is found where these are. */
function* negated(condition: SyntaxNode, source: string): Generator<Edit> {
  const operator = binaryParts(condition, source)?.operator;
  if (condition.name === "UnaryExpression" || condition.name === "Boolean") return;
  if (operator !== undefined && isComparison(operator)) return;
  const { from, to } = condition;
  yield { operator: "negated-condition", from, to, text: `not (${textOf(condition, source)})` };
}
