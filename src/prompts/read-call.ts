/** Recognises a call of the entry point with literal arguments: `f(1, key=[2])`, `Solution().f(1)`. */
import type { Call, PythonValue } from "../values/python-value.ts";
import type { AssignedNames } from "./assigned-names.ts";
import { readLiteral, unwrap } from "./python-literal.ts";
import { childrenOf, excerpt, type Refused, type SyntaxNode, textOf } from "./python-syntax.ts";

export interface TestContext {
  readonly source: string;
  /** A function's name, or `Class().method`. */
  readonly entryPoint: string;
  readonly names: AssignedNames;
}

export type CallResult = { readonly ok: true; readonly call: Call } | Refused;

/** Whether the node calls the entry point, or is a name that holds the result of such a call. */
export function isEntryCall(outer: SyntaxNode, context: TestContext): boolean {
  const node = unwrap(outer);
  if (node.name === "VariableName") {
    return context.names.find(textOf(node, context.source))?.kind === "result";
  }
  const callee = node.name === "CallExpression" ? node.firstChild : null;
  return callee !== null && isEntryPoint(callee, context);
}

/** The call, once `isEntryCall` has said that it is one. */
export function readEntryCall(outer: SyntaxNode, context: TestContext): CallResult {
  const node = unwrap(outer);
  if (node.name === "VariableName") {
    const assigned = context.names.find(textOf(node, context.source));
    return assigned?.kind === "result"
      ? { ok: true, call: assigned.call }
      : { ok: false, reason: `does not call \`${context.entryPoint}\`` };
  }
  return readArguments(node, context);
}

function isEntryPoint(callee: SyntaxNode, context: TestContext): boolean {
  const { entryPoint, source } = context;
  if (callee.name === "VariableName") return textOf(callee, source) === entryPoint;
  const method = /^(.+)\(\)\.(.+)$/.exec(entryPoint);
  if (!method || callee.name !== "MemberExpression") return false;
  const [object, dot, property] = childrenOf(callee);
  if (!object || dot?.name !== "." || !property || textOf(property, source) !== method[2]) return false;
  return isNewInstance(object, context) || isHeldInstance(object, context);
}

/** `Solution()`, where the entry point is `Solution().method`. */
export function isNewInstance(outer: SyntaxNode, context: TestContext): boolean {
  const node = unwrap(outer);
  if (node.name !== "CallExpression" || node.to - node.from > 200) return false;
  return context.entryPoint.startsWith(`${textOf(node, context.source).replace(/\s/g, "")}.`);
}

function isHeldInstance(node: SyntaxNode, context: TestContext): boolean {
  return (
    node.name === "VariableName" && context.names.find(textOf(node, context.source))?.kind === "instance"
  );
}

function readArguments(node: SyntaxNode, context: TestContext): CallResult {
  const argumentList = node.lastChild;
  if (argumentList?.name !== "ArgList")
    return { ok: false, reason: `does not call \`${context.entryPoint}\`` };
  const args: PythonValue[] = [];
  const keywords = new Map<string, PythonValue>();
  for (const part of splitAtCommas(childrenOf(argumentList).slice(1, -1))) {
    const [first, operator, last] = part;
    const keyword =
      part.length === 3 && operator?.name === "AssignOp" && textOf(operator, context.source) === "=";
    if (!first || (part.length !== 1 && !keyword)) {
      const text = part.length === 0 ? "," : context.source.slice(first!.from, part.at(-1)!.to);
      return { ok: false, reason: `the argument \`${excerpt(text)}\` is not a literal` };
    }
    const literal = readLiteral(keyword ? last! : first, literalContext(context));
    if (!literal.ok) return { ok: false, reason: `in the arguments: ${literal.reason}` };
    if (!keyword) {
      if (keywords.size > 0) return { ok: false, reason: "a positional argument follows a keyword argument" };
      args.push(literal.value);
      continue;
    }
    const name = textOf(first, context.source);
    if (keywords.has(name)) return { ok: false, reason: `the argument \`${excerpt(name)}\` is given twice` };
    keywords.set(name, literal.value);
  }
  return { ok: true, call: { args, keywords: Object.fromEntries(keywords) } };
}

export function splitAtCommas(nodes: readonly SyntaxNode[]): SyntaxNode[][] {
  const parts: SyntaxNode[][] = [];
  let part: SyntaxNode[] = [];
  for (const node of nodes) {
    if (node.name !== ",") part.push(node);
    else {
      parts.push(part);
      part = [];
    }
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

export function literalContext(context: TestContext): Parameters<typeof readLiteral>[1] {
  return { source: context.source, lookUp: (name, depth) => context.names.literal(name, depth) };
}
