/**
 * Python source to syntax tree, with the maintained parser @lezer/python in its strict mode: the first error ends
 * the parse, which keeps prose and garbage cheap (its error recovery costs up to 8 µs per character). Callers that
 * want to save the good statements of a broken text cut it into pieces themselves (split-statements.ts).
 *
 * The parser is a little wider than Python (`0777`, `'unfinished`, `f(a=1, 2)` get through): whoever reads values out
 * of the tree checks them. It is narrower in one place, floats such as `1.`, which are completed to `1.0` first.
 */
import { parser } from "@lezer/python";
import { scanPython } from "./scan-python.ts";

export type SyntaxNode = ReturnType<typeof parser.parse>["topNode"];

export interface PythonSource {
  readonly ok: true;
  /** The text that the tree's positions refer to. */
  readonly source: string;
  readonly root: SyntaxNode;
}

export interface Refused {
  readonly ok: false;
  readonly reason: string;
}

/** Python's own tokenizer refuses more. */
const maximumBrackets = 200;

const strictParser = parser.configure({ strict: true });

export function parsePython(text: string): PythonSource | Refused {
  const source = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  if (source.includes("\0")) return { ok: false, reason: "contains a null character" };
  const scan = scanPython(source);
  if (scan.brackets > maximumBrackets) {
    return { ok: false, reason: `brackets are nested more than ${maximumBrackets} deep` };
  }
  try {
    return { ok: true, source: scan.source, root: strictParser.parse(scan.source).topNode };
  } catch (error) {
    return { ok: false, reason: describeSyntaxError(error, scan.source) };
  }
}

function describeSyntaxError(error: unknown, source: string): string {
  const position = Number(/No parse at (\d+)/.exec(String(error))?.[1] ?? Number.NaN);
  if (Number.isNaN(position)) return "is not valid Python";
  const before = source.slice(0, position);
  const line = before.split("\n").length;
  return line === 1 ? "is not valid Python" : `is not valid Python (line ${line})`;
}

/** The children that mean something: comments may stand anywhere. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.name !== "Comment") children.push(child);
  }
  return children;
}

export function textOf(node: SyntaxNode, source: string): string {
  return source.slice(node.from, node.to);
}

/** A piece of source for a message: one line, not long. */
export function excerpt(text: string, most = 60): string {
  const line = text
    .slice(0, 4 * most)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
