/**
 * The same for two programs that differ in nothing but layout, comments and docstrings. A model that is asked thirty
 * times writes the same program with other remarks; only one of them is worth keeping.
 */
import { childrenOf, parsePython, type SyntaxNode, textOf } from "../prompts/python-syntax.ts";

export function programKey(source: string): string {
  const parsed = parsePython(source);
  if (!parsed.ok) return `text ${source.replace(/\s+/g, " ").trim()}`;
  const pieces: string[] = [];
  // Statements are told apart by where blocks begin and end, which no white space can change.
  const waiting: (SyntaxNode | "end")[] = [parsed.root];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next === "end") {
      pieces.push(")");
      continue;
    }
    if (isDocstring(next)) continue;
    // Of a formatted text, only what is calculated in it are nodes.
    if (!next.firstChild || next.name === "FormatString") pieces.push(textOf(next, parsed.source));
    else {
      pieces.push(`(${next.name}`);
      waiting.push("end", ...childrenOf(next).reverse());
    }
  }
  return pieces.join(" ");
}

/** A text that stands alone as a statement does nothing, wherever it is. */
export function isDocstring(node: SyntaxNode): boolean {
  if (node.name !== "ExpressionStatement") return false;
  const [only, ...others] = childrenOf(node);
  return others.length === 0 && (only?.name === "String" || only?.name === "ContinuedString");
}
