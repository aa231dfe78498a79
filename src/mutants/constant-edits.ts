/** Slips in constants. */
import { type SyntaxNode, textOf } from "../prompts/python-syntax.ts";
import type { Edit, MutantOperator } from "./mutant.ts";
import { calledName } from "./syntax.ts";

export function* constantEdits(node: SyntaxNode, source: string): Generator<Edit> {
  const place = { from: node.from, to: node.to };
  const operator = operatorFor(node);
  switch (node.name) {
    case "Number":
      for (const text of otherNumbers(node, source)) yield { operator, ...place, text };
      break;
    case "Boolean":
      if (node.parent?.name === "WhileStatement") break;
      yield { operator, ...place, text: textOf(node, source) === "True" ? "False" : "True" };
      break;
    case "String":
      for (const text of otherStrings(node, source)) yield { operator, ...place, text };
      break;
  }
}

function operatorFor(node: SyntaxNode): MutantOperator {
  // A lambda's parameters are bare; a function's stand in brackets. Both hold their defaults.
  if (node.parent?.name === "ParamList") return "default-value";
  if (node.name === "Number") return "number-constant";
  return node.name === "Boolean" ? "boolean-constant" : "string-constant";
}

function otherNumbers(node: SyntaxNode, source: string): string[] {
  const text = textOf(node, source);
  const float = /^(\d{1,15})(\.\d+)$/.exec(text);
  if (float) return [`${Number(float[1]) + 1}${float[2]}`];
  if (!/^(?:0|[1-9]\d{0,14})$/.test(text)) return [];
  const value = Number(text);
  const fewer = value === 1 && mustNotBeZero(node, source) ? [] : [String(value - 1)];
  return [String(value + 1), ...fewer];
}

/** Where a zero says the same as another mutant, or only ever raises an error or hangs. */
function mustNotBeZero(number: SyntaxNode, source: string): boolean {
  const node = number.parent?.name === "UnaryExpression" ? number.parent : number;
  const { parent } = node;
  const before = node.prevSibling;
  switch (parent?.name) {
    case "BinaryExpression":
      return before?.name === "ArithOp" && textOf(before, source) !== "*";
    case "UpdateStatement":
      return true;
    case "MemberExpression": // the step of a slice
      return before?.name === ":" && (before.prevSibling?.name === ":" || hasColonBefore(before));
    case "ArgList":
      return parent.parent !== null && calledName(parent.parent, source) === "range" && isThird(node);
    default:
      return false;
  }
}

function hasColonBefore(colon: SyntaxNode): boolean {
  return colon.prevSibling?.prevSibling?.name === ":";
}

function isThird(node: SyntaxNode): boolean {
  let commas = 0;
  for (let before = node.prevSibling; before; before = before.prevSibling) {
    if (before.name === ",") commas += 1;
  }
  return commas === 2;
}

const opposite: Readonly<Record<string, string>> = { inf: "-inf", "-inf": "inf" };

function otherStrings(node: SyntaxNode, source: string): string[] {
  const found = /^(["'])([^\\\n]*)\1$/.exec(textOf(node, source));
  // The parts of a continued string are one constant, and three quotes are a text for people.
  if (!found || node.parent?.name === "ContinuedString" || /^["']{3}/.test(found[0])) return [];
  const [, quote, content] = found as unknown as [string, string, string];
  const quoted = (text: string) => `${quote}${text}${quote}`;
  const counterpart = opposite[content];
  if (counterpart !== undefined) return [quoted(counterpart)];
  if (content === "") return [quoted(" ")];
  if (/^[A-Za-z0-9]$/.test(content)) return [quoted(neighbour(content))];
  const lower = content.toLowerCase();
  const isTemplate = /[%{]/.test(content); // `%d` in capitals is nothing but an error
  const otherCase = isTemplate ? content : content === lower ? content.toUpperCase() : lower;
  return [
    ...(isSeparator(node, source) ? [] : [quoted("")]),
    ...(otherCase === content ? [] : [quoted(otherCase)]),
  ];
}

/** The next letter or digit, or the one before the last. */
function neighbour(character: string): string {
  const step = /[zZ9]/.test(character) ? -1 : 1;
  return String.fromCharCode(character.charCodeAt(0) + step);
}

/** An empty separator is an error, whatever the input. */
function isSeparator({ parent }: SyntaxNode, source: string): boolean {
  return (
    parent?.name === "ArgList" &&
    parent.parent !== null &&
    /^r?(?:split|partition)$/.test(calledName(parent.parent, source))
  );
}
