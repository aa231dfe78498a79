/** Writes an arena program as Python, as a function `f(a)` or as a script that reads a line and prints the answer. */
import type { Comparator, Expression, Finish, Program, Source } from "./program.ts";

export type ArenaStyle = "function" | "stdio";
export type Family = "numbers" | "words";

export const entryPoint = "f";

/**
 * The first line of every program, the same for all problems of a family and style. It is no part of what a tiny
 * model writes: each sampled character costs time, and nothing could be learned from these.
 */
export function headerOf(style: ArenaStyle, family: Family): string {
  if (style === "function") return `def ${entryPoint}(a):\n`;
  return family === "numbers" ? "a=[int(x) for x in input().split()]\n" : "a=input()\n";
}

export function renderBody(program: Program, style: ArenaStyle): string {
  const lines = [...preparationLines(program), comprehension(program), finishLine(program.finish, style)];
  return style === "function" ? lines.map((line) => ` ${line}`).join("\n") : lines.join("\n");
}

export function renderProgram(program: Program, style: ArenaStyle, family: Family): string {
  return `${headerOf(style, family)}${renderBody(program, style)}\n`;
}

function preparationLines(program: Program): string[] {
  switch (program.preparation) {
    case "none":
      return [];
    case "sort-input":
      return ["a.sort()"];
    case "remove-in-place":
      return ["for x in a:", ` if ${renderExpression(opposite(program.filter))}:a.remove(x)`];
  }
}

function comprehension(program: Program): string {
  const names = program.source.kind === "neighbours" ? "x,y" : "x";
  // The loop before it has already done the filtering.
  const filtered = program.filter && program.preparation !== "remove-in-place";
  const condition = filtered ? ` if ${renderExpression(program.filter)}` : "";
  return `b=[${renderExpression(program.change)} for ${names} in ${renderSource(program.source)}${condition}]`;
}

function renderSource(source: Source): string {
  switch (source.kind) {
    case "slice": {
      const { start, stop, step } = source;
      if (start === undefined && stop === undefined && step === undefined) return "a";
      return `a[${start ?? ""}:${stop ?? ""}${step === undefined ? "" : `:${step}`}]`;
    }
    case "distinct":
      return "dict.fromkeys(a)";
    case "neighbours":
      return "zip(a[1:],a)";
    case "sorted-distinct":
      return "sorted(set(a))";
  }
}

function finishLine(finish: Finish, style: ArenaStyle): string {
  const answer = finishExpression(finish);
  if (style === "function") return `return ${answer}`;
  const isList = finish.kind === "list" || finish.kind === "sorted-list" || finish.kind === "reversed-list";
  return isList ? `print(*${answer})` : `print(${answer})`;
}

function finishExpression({ kind, fallback }: Finish): string {
  const literal = typeof fallback === "string" ? JSON.stringify(fallback) : String(fallback);
  const byDefault = fallback === undefined ? "" : `,default=${literal}`;
  const ifEmpty = fallback === undefined ? "" : ` if b else ${literal}`;
  switch (kind) {
    case "sum":
      return "sum(b)";
    case "count":
      return "len(b)";
    case "distinct-count":
      return "len(set(b))";
    case "largest":
      return `max(b${byDefault})`;
    case "smallest":
      return `min(b${byDefault})`;
    case "first":
      return `b[0]${ifEmpty}`;
    case "last":
      return `b[-1]${ifEmpty}`;
    case "list":
      return "b";
    case "sorted-list":
      return "sorted(b)";
    case "reversed-list":
      return "b[::-1]";
    case "joined":
      return '"".join(b)';
    case "sorted-joined":
      return '"".join(sorted(b))';
    case "reversed-joined":
      return '"".join(b[::-1])';
    case "sort-in-place":
      return "b.sort()";
  }
}

const precedence = { compare: 1, "+": 2, "-": 2, "*": 3, "//": 3, "%": 3, negated: 4, atom: 5 } as const;

function precedenceOf(expression: Expression): number {
  if (expression.kind === "compare") return precedence.compare;
  if (expression.kind === "arithmetic") return precedence[expression.operator];
  if (expression.kind === "negated" || (expression.kind === "number" && expression.value < 0))
    return precedence.negated;
  return precedence.atom;
}

function renderExpression(expression: Expression | undefined, least = 0): string {
  if (expression === undefined) return "True";
  const written = renderBare(expression);
  return precedenceOf(expression) < least ? `(${written})` : written;
}

function renderBare(expression: Expression): string {
  switch (expression.kind) {
    case "name":
      return expression.name;
    case "number":
      return String(expression.value);
    case "text":
      return JSON.stringify(expression.value);
    case "arithmetic": {
      const level = precedence[expression.operator];
      return `${renderExpression(expression.left, level)}${expression.operator}${renderExpression(expression.right, level + 1)}`;
    }
    case "compare": {
      const spaced = /[a-z]/.test(expression.operator) ? ` ${expression.operator} ` : expression.operator;
      return `${renderExpression(expression.left, 2)}${spaced}${renderExpression(expression.right, 2)}`;
    }
    case "negated":
      return `-${renderExpression(expression.operand, precedence.negated)}`;
    case "absolute":
      return `abs(${renderBare(expression.operand)})`;
    case "upper":
      return `${renderExpression(expression.operand, precedence.atom)}.upper()`;
    case "occurrences":
      return `a.count(${renderBare(expression.operand)})`;
    case "truncated-half":
      return `int(${renderExpression(expression.operand, precedence["*"])}/2)`;
  }
}

export const oppositeOf: Readonly<Record<Comparator, Comparator>> = {
  ">": "<=",
  ">=": "<",
  "<": ">=",
  "<=": ">",
  "==": "!=",
  "!=": "==",
  in: "not in",
  "not in": "in",
};

function opposite(filter: Expression | undefined): Expression {
  if (filter?.kind !== "compare") throw new Error("only a comparison can be turned into a removal");
  return { ...filter, operator: oppositeOf[filter.operator] };
}
