/** `name = literal`, `result = f(1)`, `a, b = 1, 2`: takes note of what names stand for. */
import type { PythonValue } from "../values/python-value.ts";
import type { Assigned } from "./assigned-names.ts";
import { readExpressions } from "./python-literal.ts";
import { childrenOf, type SyntaxNode, textOf } from "./python-syntax.ts";
import { isEntryCall, isNewInstance, literalContext, readEntryCall, type TestContext } from "./read-call.ts";

export function readAssignment(statement: SyntaxNode, context: TestContext): void {
  const groups = splitAtAssignments(childrenOf(statement));
  const valueNodes = groups.pop();
  // `x: int` alone assigns nothing.
  if (!valueNodes || groups.length === 0) return;
  const value = readValue(valueNodes, context);
  if (value.kind === "unknown") forgetIfMentioned(statement, context);
  for (const group of groups) {
    const targets = group.filter((node) => node.name !== ",");
    if (targets.every((node) => node.name === "VariableName")) assignNames(targets, value, context);
    else forgetIfMentioned(statement, context);
  }
}

/** Forgets all names if this code, which is not understood, mentions one that is known. */
export function forgetIfMentioned(node: SyntaxNode, context: TestContext): void {
  if (mentions(node, (name) => context.names.isKnown(name), context)) context.names.forgetAll();
}

export function mentions(node: SyntaxNode, wanted: (name: string) => boolean, context: TestContext): boolean {
  let found = false;
  node.cursor().iterate((inner) => {
    if (!found && inner.name === "VariableName") found = wanted(context.source.slice(inner.from, inner.to));
    return !found;
  });
  return found;
}

function splitAtAssignments(nodes: readonly SyntaxNode[]): SyntaxNode[][] {
  const groups: SyntaxNode[][] = [[]];
  for (const node of nodes) {
    if (node.name === "AssignOp") groups.push([]);
    else if (node.name !== "TypeDef") groups.at(-1)!.push(node);
  }
  return groups;
}

function readValue(nodes: readonly SyntaxNode[], context: TestContext): Assigned {
  const literal = readExpressions(nodes, literalContext(context));
  if (literal.ok) return { kind: "literal", value: literal.value };
  const [node] = nodes;
  if (nodes.length !== 1 || !node) return { kind: "unknown" };
  if (isNewInstance(node, context)) return { kind: "instance" };
  const result = isEntryCall(node, context) ? readEntryCall(node, context) : undefined;
  return result?.ok ? { kind: "result", call: result.call } : { kind: "unknown" };
}

function assignNames(targets: readonly SyntaxNode[], value: Assigned, context: TestContext): void {
  const names = targets.map((target) => textOf(target, context.source));
  if (names.length === 1) {
    context.names.assign(names[0]!, value);
    return;
  }
  const items = value.kind === "literal" ? sequenceItems(value.value) : undefined;
  for (const [index, name] of names.entries()) {
    const item = items?.length === names.length ? items[index] : undefined;
    context.names.assign(name, item ? { kind: "literal", value: item } : { kind: "unknown" });
  }
}

function sequenceItems(value: PythonValue): readonly PythonValue[] | undefined {
  return value.type === "list" || value.type === "tuple" ? value.items : undefined;
}
