/**
 * What an assert claims, read as one call of the entry point and the literal it must equal:
 *
 *   f(1) == 2    2 == f(1)    result == 2 (after `result = f(1)`)
 *   f(1) is True    f(1) is None        as `==` with that constant
 *   f(1)                                as `f(1) == True`
 *   not f(1)                            as `f(1) == False`
 *
 * The last two are weaker in Python (any true or false value will do); as a test they are taken for what their
 * author meant, an answer of True or False. Everything else is refused: other operators, tolerances, other
 * functions around the call, two calls compared with each other, expressions that have to be computed.
 */
import type { FunctionCase } from "../problems/problem.ts";
import type { PythonValue } from "../values/python-value.ts";
import { readLiteral, unwrap } from "./python-literal.ts";
import { childrenOf, excerpt, type Refused, type SyntaxNode, textOf } from "./python-syntax.ts";
import { isEntryCall, literalContext, readEntryCall, type TestContext } from "./read-call.ts";

export type CaseResult = { readonly ok: true; readonly case: FunctionCase } | Refused;

export function readCondition(outer: SyntaxNode, context: TestContext): CaseResult {
  const node = unwrap(outer);
  if (isEntryCall(node, context)) return caseOf(node, { type: "bool", value: true }, context);
  switch (node.name) {
    case "UnaryExpression":
      return readNegation(node, context);
    case "BinaryExpression":
      return readComparison(node, context);
    case "TupleExpression":
      return refuse("asserts a tuple, which is always true");
    case "CallExpression":
      return refuse(
        `calls \`${excerpt(textOf(node.firstChild!, context.source))}\`, not \`${context.entryPoint}\``,
      );
    default:
      return refuse(`does not compare a call of \`${context.entryPoint}\` with a literal`);
  }
}

function readNegation(node: SyntaxNode, context: TestContext): CaseResult {
  const [operator, operand] = childrenOf(node);
  if (operator?.name !== "not" || !operand || !isEntryCall(operand, context)) {
    return refuse(`negates something other than a call of \`${context.entryPoint}\``);
  }
  return caseOf(operand, { type: "bool", value: false }, context);
}

function readComparison(node: SyntaxNode, context: TestContext): CaseResult {
  const children = childrenOf(node);
  const [left, operator, right] = children;
  if (children.length !== 3 || !left || !operator || !right) return otherOperator(node, context);
  if (operator.name === "is") return readIdentity({ left, right }, context);
  if (operator.name !== "CompareOp" || textOf(operator, context.source) !== "==")
    return otherOperator(node, context);
  return readEquality({ left, right }, context);
}

function otherOperator(node: SyntaxNode, context: TestContext): Refused {
  const operators = childrenOf(node).slice(1, -1);
  const text = operators.map((operator) => textOf(operator, context.source)).join(" ");
  return refuse(`uses \`${excerpt(text)}\`: only equality is a test`);
}

export interface Sides {
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
}

export function readEquality({ left, right }: Sides, context: TestContext): CaseResult {
  const [leftCalls, rightCalls] = [isEntryCall(left, context), isEntryCall(right, context)];
  if (leftCalls && rightCalls) return refuse("compares two calls with each other");
  if (!leftCalls && !rightCalls) return refuse(`neither side is a call of \`${context.entryPoint}\``);
  const literal = readLiteral(leftCalls ? right : left, literalContext(context));
  if (!literal.ok) return refuse(`in the expected value: ${literal.reason}`);
  return caseOf(leftCalls ? left : right, literal.value, context);
}

/** `is` asks for the very object; only the three constants have just one. */
export function readIdentity(sides: Sides, context: TestContext): CaseResult {
  const result = readEquality(sides, context);
  if (result.ok && result.case.expected.type !== "none" && result.case.expected.type !== "bool") {
    return refuse("uses `is` with something other than True, False or None");
  }
  return result;
}

export function caseOf(node: SyntaxNode, expected: PythonValue, context: TestContext): CaseResult {
  const result = readEntryCall(node, context);
  return result.ok ? { ok: true, case: { style: "function", call: result.call, expected } } : result;
}

function refuse(reason: string): Refused {
  return { ok: false, reason };
}
