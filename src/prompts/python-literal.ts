/**
 * Python source to value, without running anything: what `ast.literal_eval` takes, and besides it the only spellings
 * that some values have: `frozenset(…)`, `float('inf')`, `float('nan')`, `math.inf`, `math.nan`, with a sign, and
 * `complex(x, y)`. Everything else is refused with a reason.
 *
 * Two things are decided here and not by Python: values nested more than `maximumDepth` deep are refused, because
 * they could not cross the wire, and equal members of a set or equal keys are merged by our comparison, to which
 * nan equals nan.
 */
import { maximumDepth, type PythonValue } from "../values/python-value.ts";
import { complexOf, frozenSet, hashKey, namedFloat, realPart, setOf, withSign } from "./built-values.ts";
import { readNumber } from "./python-number.ts";
import { joinStrings, readString } from "./python-string.ts";
import { childrenOf, excerpt, parsePython, type Refused, type SyntaxNode, textOf } from "./python-syntax.ts";

export type LiteralResult = { readonly ok: true; readonly value: PythonValue } | Refused;

export interface LiteralContext {
  readonly source: string;
  /** The value of a name that was assigned a literal before, standing inside `depth` containers, or why it has none. */
  readonly lookUp?: (name: string, depth: number) => PythonValue | string;
}

/** Longer literals are refused: they would take seconds. */
const maximumCharacters = 4_000_000;

/**
 * The value of one literal. Never throws.
 *
 * @example
 * parseLiteral("[1, 2.5]"); // { ok: true, value: { type: "list", items: [...] } }
 * parseLiteral("open('x')"); // { ok: false, reason: "`open('x')` is not a literal" }
 */
export function parseLiteral(text: string): LiteralResult {
  if (text.length > maximumCharacters) {
    return refuse(`a literal of more than ${maximumCharacters} characters`);
  }
  const parsed = parsePython(text.trim());
  if (!parsed.ok) return parsed;
  const statements = childrenOf(parsed.root);
  const [statement] = statements;
  if (statements.length !== 1 || statement?.name !== "ExpressionStatement")
    return refuse("is not one expression");
  return readExpressions(childrenOf(statement), { source: parsed.source });
}

/** The value of an expression in a tree. */
export function readLiteral(node: SyntaxNode, context: LiteralContext): LiteralResult {
  return new Reader(context).read(node, 0);
}

/** What stands on one side of an assignment: one expression, or several with commas, which make a tuple. */
export function readExpressions(nodes: readonly SyntaxNode[], context: LiteralContext): LiteralResult {
  const reader = new Reader(context);
  if (nodes.length === 1) return reader.read(nodes[0]!, 0);
  const items = reader.items(nodes, 0);
  return Array.isArray(items) ? accept({ type: "tuple", items }) : items;
}

function accept(value: PythonValue): LiteralResult {
  return { ok: true, value };
}

function refuse(reason: string): Refused {
  return { ok: false, reason };
}

function acceptUnlessReason(built: PythonValue | string): LiteralResult {
  return typeof built === "string" ? refuse(built) : accept(built);
}

class Reader {
  readonly #context: LiteralContext;

  constructor(context: LiteralContext) {
    this.#context = context;
  }

  read(outer: SyntaxNode, depth: number): LiteralResult {
    const node = unwrap(outer);
    switch (node.name) {
      case "Number":
        return acceptUnlessReason(readNumber(this.#text(node)));
      case "String":
      case "ContinuedString":
        return this.#strings(node);
      case "None":
        return accept({ type: "none" });
      case "Boolean":
        return accept({ type: "bool", value: this.#text(node) === "True" });
      case "ArrayExpression":
        return this.#container("list", node, depth);
      case "TupleExpression":
        return this.#container("tuple", node, depth);
      case "SetExpression":
        return this.#container("set", node, depth);
      case "DictionaryExpression":
        return this.#dict(node, depth);
      case "UnaryExpression":
        return this.#signed(node);
      case "BinaryExpression":
        return this.#complexSum(node);
      case "CallExpression":
        return this.#call(node, depth);
      case "MemberExpression":
        return this.#constant(node);
      case "VariableName": {
        const name = this.#text(node);
        return acceptUnlessReason(
          this.#context.lookUp?.(name, depth) ?? `\`${excerpt(name)}\` is not a literal`,
        );
      }
      case "FormatString":
        return refuse("an f-string is not a literal");
      default:
        return this.#notLiteral(node);
    }
  }

  /** The values between commas; `*` and anything else between them is refused. */
  items(nodes: readonly SyntaxNode[], depth: number): PythonValue[] | Refused {
    if (depth >= maximumDepth) return refuse(`nested more than ${maximumDepth} deep`);
    const items: PythonValue[] = [];
    for (const [index, node] of nodes.entries()) {
      if (index % 2 === 1) {
        if (node.name !== ",")
          return refuse(`\`${excerpt(this.#text(node))}\` between the items of a literal`);
        continue;
      }
      const item = this.read(node, depth + 1);
      if (!item.ok) return item;
      items.push(item.value);
    }
    return items;
  }

  #text(node: SyntaxNode): string {
    return textOf(node, this.#context.source);
  }

  #notLiteral(node: SyntaxNode): Refused {
    return refuse(`\`${excerpt(this.#text(node))}\` is not a literal`);
  }

  #strings(node: SyntaxNode): LiteralResult {
    if (node.name === "String") return acceptUnlessReason(readString(this.#text(node)));
    const parts = [];
    for (const child of childrenOf(node)) {
      if (child.name !== "String") return refuse("an f-string is not a literal");
      const part = readString(this.#text(child));
      if (typeof part === "string") return refuse(part);
      parts.push(part);
    }
    return acceptUnlessReason(joinStrings(parts));
  }

  #container(type: "list" | "tuple" | "set", node: SyntaxNode, depth: number): LiteralResult {
    const items = this.items(childrenOf(node).slice(1, -1), depth);
    if (!Array.isArray(items)) return items;
    return type === "set" ? acceptUnlessReason(setOf("set", items)) : accept({ type, items });
  }

  #dict(node: SyntaxNode, depth: number): LiteralResult {
    if (depth >= maximumDepth) return refuse(`nested more than ${maximumDepth} deep`);
    const nodes = childrenOf(node).slice(1, -1);
    const entries = new Map<string, [PythonValue, PythonValue]>();
    for (let index = 0; index < nodes.length; index += 4) {
      const [keyNode, colon, itemNode] = nodes.slice(index, index + 3);
      if (!keyNode || colon?.name !== ":" || !itemNode) return this.#notLiteral(node);
      const key = this.read(keyNode, depth + 1);
      if (!key.ok) return key;
      const item = this.read(itemNode, depth + 1);
      if (!item.ok) return item;
      const text = hashKey(key.value);
      if (text === undefined) return refuse(`a ${key.value.type} as a key of a dict`);
      // As in Python, the first of two equal keys stays, with the last value.
      entries.set(text, [entries.get(text)?.[0] ?? key.value, item.value]);
    }
    return accept({ type: "dict", entries: [...entries.values()] });
  }

  #signed(node: SyntaxNode): LiteralResult {
    const [operator, operand] = childrenOf(node);
    const sign = operator && this.#text(operator);
    if (!operand || (sign !== "-" && sign !== "+")) return this.#notLiteral(node);
    const inner = unwrap(operand);
    const isNumber =
      inner.name === "Number" || inner.name === "CallExpression" || inner.name === "MemberExpression";
    const number = isNumber ? this.read(inner, 0) : this.#notLiteral(node);
    if (!number.ok) return number;
    const signed = withSign(number.value, sign);
    return signed ? accept(signed) : this.#notLiteral(node);
  }

  /** `1+2j`: a real number with its sign, then an imaginary one. */
  #complexSum(node: SyntaxNode): LiteralResult {
    const [left, operator, right] = childrenOf(node);
    const sign = operator && this.#text(operator);
    if (!left || !right || (sign !== "+" && sign !== "-")) return this.#notLiteral(node);
    const [leftNode, rightNode] = [unwrap(left), unwrap(right)];
    if ((leftNode.name !== "Number" && leftNode.name !== "UnaryExpression") || rightNode.name !== "Number") {
      return this.#notLiteral(node);
    }
    const [real, imaginary] = [this.read(leftNode, 0), this.read(rightNode, 0)];
    if (!real.ok) return real;
    if (!imaginary.ok) return imaginary;
    const part = realPart(real.value);
    if (part === undefined || imaginary.value.type !== "complex") return this.#notLiteral(node);
    // Both operands as complex numbers, as Python does it: `0 ±` decides the sign of zeros.
    const tail = imaginary.value.imaginary;
    return accept({
      type: "complex",
      real: sign === "+" ? part + 0 : part - 0,
      imaginary: sign === "+" ? 0 + tail : 0 - tail,
    });
  }

  #call(node: SyntaxNode, depth: number): LiteralResult {
    const [callee, argumentList] = childrenOf(node);
    if (callee?.name !== "VariableName" || !argumentList) return this.#notLiteral(node);
    const name = this.#text(callee);
    const argumentNodes = childrenOf(argumentList).slice(1, -1);
    if (name === "set" && argumentNodes.length === 0) return accept({ type: "set", items: [] });
    if (name !== "frozenset" && name !== "float" && name !== "complex") return this.#notLiteral(node);
    const values = this.items(argumentNodes, depth);
    if (!Array.isArray(values)) return values;
    const build = { frozenset: frozenSet, float: namedFloat, complex: complexOf }[name];
    const value = build(values);
    return value === undefined ? this.#notLiteral(node) : acceptUnlessReason(value);
  }

  #constant(node: SyntaxNode): LiteralResult {
    switch (this.#text(node)) {
      case "math.inf":
        return accept({ type: "float", value: Number.POSITIVE_INFINITY });
      case "math.nan":
        return accept({ type: "float", value: Number.NaN });
      default:
        return this.#notLiteral(node);
    }
  }
}

/** Parentheses around one expression mean nothing. */
export function unwrap(outer: SyntaxNode): SyntaxNode {
  let node = outer;
  while (node.name === "ParenthesizedExpression") {
    const inside = childrenOf(node);
    if (inside.length !== 3) return node;
    node = inside[1]!;
  }
  return node;
}
