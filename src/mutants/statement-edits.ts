/** Slips with whole statements. */
import { childrenOf, type SyntaxNode, textOf } from "../prompts/python-syntax.ts";
import type { Edit } from "./mutant.ts";
import { binaryParts, calledName } from "./syntax.ts";

/** What is known of the program where the statement stands. */
export interface Surroundings {
  readonly source: string;
  /** Names that occur before the statement. */
  readonly earlier: ReadonlySet<string>;
  /** Names that some inner function declares `nonlocal`: Python wants to see them bound outside. */
  readonly needed: ReadonlySet<string>;
}

export function* statementEdits(node: SyntaxNode, surroundings: Surroundings): Generator<Edit> {
  const { from, to } = node;
  switch (node.name) {
    case "AssignStatement":
    case "UpdateStatement":
    case "ExpressionStatement":
    case "DeleteStatement":
    case "RaiseStatement":
      if (canGo(node, surroundings)) yield { operator: "removed-statement", from, to, text: "pass" };
      if (node.name === "UpdateStatement") yield* updateEdits(node, surroundings.source);
      break;
    case "ReturnStatement":
      yield* returnEdits(node, surroundings.source);
      break;
    case "BreakStatement":
      for (const text of ["continue", "pass"]) yield { operator: "loop-exit", from, to, text };
      break;
    case "ContinueStatement":
      for (const text of ["break", "pass"]) yield { operator: "loop-exit", from, to, text };
      break;
    case "ForStatement":
    case "WhileStatement":
      yield* movedStatements(node, surroundings.source);
      break;
  }
}

/** Without its first assignment a name would be nothing but an error, and without any, Python may refuse the program. */
function canGo(node: SyntaxNode, { source, earlier, needed }: Surroundings): boolean {
  const children = childrenOf(node);
  if (node.name === "ExpressionStatement")
    return children[0]?.name !== "Ellipsis" && !binds(node, needed, source);
  if (node.name !== "AssignStatement" && node.name !== "UpdateStatement") return true;
  if (binds(node, needed, source)) return false;
  const end = children.findLastIndex(({ name }) => name === "AssignOp" || name === "UpdateOp");
  if (end < 0) return false; // an annotation alone
  return children
    .slice(0, end)
    .every((target) => target.name !== "VariableName" || earlier.has(textOf(target, source)));
}

function binds(node: SyntaxNode, needed: ReadonlySet<string>, source: string): boolean {
  if (needed.size === 0) return false;
  const names = textOf(node, source).match(/[\p{ID_Start}_]\p{ID_Continue}*/gu) ?? [];
  return names.some((name) => needed.has(name));
}

const otherUpdates: Readonly<Record<string, string>> = {
  "+=": "-=",
  "-=": "+=",
  "*=": "+=",
  "/=": "//=",
  "//=": "/=",
  "%=": "//=",
  "**=": "*=",
  "|=": "&=",
  "&=": "|=",
  "^=": "|=",
  "<<=": ">>=",
  ">>=": "<<=",
};

function* updateEdits(node: SyntaxNode, source: string): Generator<Edit> {
  const update = childrenOf(node).find(({ name }) => name === "UpdateOp");
  if (!update) return;
  const { from, to } = update;
  const text = otherUpdates[textOf(update, source)];
  if (text !== undefined) yield { operator: "augmented-assignment", from, to, text };
  yield { operator: "augmented-assignment", from, to, text: "=" };
}

function* returnEdits(node: SyntaxNode, source: string): Generator<Edit> {
  const [word, value, ...rest] = childrenOf(node);
  if (!word || !value || value.name === "None") return;
  const from = value.from;
  yield { operator: "changed-return", from, to: node.to, text: "None" };
  if (rest.length === 0 && isTruth(value, source)) {
    const text = `not (${textOf(value, source)})`;
    yield { operator: "changed-return", from, to: value.to, text };
  }
}

/** Comparisons are turned round where they stand. */
function isTruth(value: SyntaxNode, source: string): boolean {
  const operator = binaryParts(value, source)?.operator;
  if (operator !== undefined) return operator === "and" || operator === "or";
  return (
    value.name === "CallExpression" &&
    /^(?:any|all|bool|isinstance|is[a-z_]+|has[a-z_]+|startswith|endswith)$/.test(calledName(value, source))
  );
}

/** Where the statement begins on its line, if nothing but white space is before it. */
function indentationOf(node: SyntaxNode, source: string): string | undefined {
  const start = source.lastIndexOf("\n", node.from - 1) + 1;
  const before = source.slice(start, node.from);
  return /^[ \t]*$/.test(before) ? before : undefined;
}

const movable = new Set(["AssignStatement", "UpdateStatement", "ExpressionStatement", "ReturnStatement"]);

/** The return after a loop slips into it; the last statement of a loop slips out of it. */
function* movedStatements(loop: SyntaxNode, source: string): Generator<Edit> {
  const parts = childrenOf(loop);
  const body = parts.at(-1);
  // An `else` of the loop would be torn off it.
  if (body?.name !== "Body" || parts.filter(({ name }) => name === "Body").length > 1) return;
  const statements = childrenOf(body).filter(({ name }) => name !== ":");
  const [first, last] = [statements[0], statements.at(-1)];
  const outer = indentationOf(loop, source);
  const inner = first && indentationOf(first, source);
  if (!first || !last || outer === undefined || inner === undefined || !inner.startsWith(outer)) return;
  let next = loop.nextSibling;
  while (next?.name === "Comment") next = next.nextSibling;
  if (next?.name === "ReturnStatement" && indentationOf(next, source) === outer) {
    yield { operator: "moved-statement", from: next.from, to: next.from, text: inner.slice(outer.length) };
  }
  if (last !== first && movable.has(last.name) && indentationOf(last, source) === inner) {
    const start = last.from - (inner.length - outer.length);
    yield { operator: "moved-statement", from: start, to: last.from, text: "" };
  }
}
