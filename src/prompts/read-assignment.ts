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
  if (value.kind === "unknown" && runsCode(statement, context)) context.names.forgetAll();
  for (const group of groups) {
    const targets = group.filter((node) => node.name !== ",");
    if (targets.every((node) => node.name === "VariableName")) assignNames(targets, value, context);
    else forgetIfTouched(statement, context);
  }
}

/** Forgets all names if code that is not understood mentions one that is known, or might reach it by a call. */
export function forgetIfTouched(node: SyntaxNode, context: TestContext): void {
  const isKnown = (name: string) => context.names.isKnown(name);
  if (mentions(node, isKnown, context) || runsCode(node, context)) context.names.forgetAll();
}

/** Functions that change nothing, neither their arguments nor anything else. */
const harmless: ReadonlySet<string> = new Set(
  "abs bool bytes complex dict float frozenset int len list max min range reversed round set sorted str sum tuple zip".split(
    " ",
  ),
);

/** Whether evaluating this might change something: a call of anything but a harmless function, or a `:=`. */
function runsCode(node: SyntaxNode, context: TestContext): boolean {
  let found = false;
  node.cursor().iterate((inner) => {
    if (inner.name === "NamedExpression" || inner.name === "AwaitExpression") found = true;
    if (inner.name === "AssignOp" && context.source.slice(inner.from, inner.to) === ":=") found = true;
    if (inner.name === "CallExpression") {
      const callee = inner.node.firstChild!;
      found ||= callee.to - callee.from > 20 || !harmless.has(textOf(callee, context.source));
    }
    return !found;
  });
  return found;
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
