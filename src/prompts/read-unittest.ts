/** Assertions of `unittest`: `self.assertEqual(f(1), 2)` and those others that mean equality. */
import { unwrap } from "./python-literal.ts";
import { childrenOf, type SyntaxNode, textOf } from "./python-syntax.ts";
import { isEntryCall, splitAtCommas, type TestContext } from "./read-call.ts";
import { type CaseResult, caseOf, readCondition, readEquality, readIdentity } from "./read-condition.ts";

const equalities: ReadonlySet<string> = new Set([
  "assertEqual",
  "assertEquals",
  "assertListEqual",
  "assertTupleEqual",
  "assertSetEqual",
  "assertDictEqual",
  "assertMultiLineEqual",
]);

/** The name after `self.` when an expression is such an assertion. */
export function unittestAssertion(outer: SyntaxNode, context: TestContext): string | undefined {
  const node = unwrap(outer);
  const callee = node.name === "CallExpression" ? node.firstChild : null;
  if (callee?.name !== "MemberExpression") return undefined;
  const text = textOf(callee, context.source);
  return /^self\.(assert\w*|fail\w*)$/.exec(text)?.[1];
}

export function readUnittestAssertion(outer: SyntaxNode, method: string, context: TestContext): CaseResult {
  const argumentList = unwrap(outer).lastChild!;
  const parts = splitAtCommas(childrenOf(argumentList).slice(1, -1));
  const positional = parts.filter((part) => part.length === 1).map((part) => part[0]!);
  const [left, right] = positional;
  if (left && right && equalities.has(method)) return readEquality({ left, right }, context);
  if (left && right && method === "assertIs") return readIdentity({ left, right }, context);
  if (left && method === "assertTrue") return readCondition(left, context);
  if (left && isEntryCall(left, context)) {
    if (method === "assertFalse") return caseOf(left, { type: "bool", value: false }, context);
    if (method === "assertIsNone") return caseOf(left, { type: "none" }, context);
  }
  return { ok: false, reason: `\`self.${method}\` with these arguments is not a test of equality` };
}
