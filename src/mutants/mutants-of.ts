/**
 * All mutants of a program: each is one small text edit at a place that the syntax tree names, and is a program again.
 * Imports, docstrings, annotations, decorators and patterns are never touched. The order is that of the source, and
 * the same every time.
 *
 * Any text is welcome: what does not parse, or is longer than a program would be, has no mutants. A long program has
 * fewer than all of them, spread over operators and places, so that the work stays in proportion to its length.
 *
 * @example
 * mutantsOf("def f(a):\n    return a < 3\n")[0]; // { operator: "changed-return", line: 2, after: "    return None", … }
 */
import { childrenOf, parsePython, type SyntaxNode, textOf } from "../prompts/python-syntax.ts";
import { callEdits } from "./call-edits.ts";
import { asksForMain, conditionEdits } from "./condition-edits.ts";
import { constantEdits } from "./constant-edits.ts";
import { expressionEdits } from "./expression-edits.ts";
import { type Edit, type Mutant, type MutantOperator, mutantOperators } from "./mutant.ts";
import { isDocstring } from "./program-key.ts";
import { subscriptEdits } from "./range-edits.ts";
import { type Surroundings, statementEdits } from "./statement-edits.ts";

export interface MutantOptions {
  /** Only these kinds of slips. */
  readonly operators?: readonly MutantOperator[];
  /** At most this many mutants. */
  readonly most?: number;
}

const maximumLength = 50_000;
/** Characters to parse again in all: the top-level statement of each mutant, to make sure that it is a program. */
const maximumWork = 2_000_000;
/** Characters of all mutants together. */
const maximumText = 20_000_000;

export function mutantsOf(source: string, options: MutantOptions = {}): readonly Mutant[] {
  if (source.length > maximumLength) return [];
  const parsed = parsePython(source);
  if (!parsed.ok) return [];
  const wanted = new Set(options.operators ?? mutantOperators);
  const edits = placed(
    editsOf(parsed.root, parsed.source).filter(({ operator }) => wanted.has(operator)),
    parsed.root,
  );
  const work = edits.reduce((sum, { statement }) => sum + statement.to - statement.from, 0);
  const most = Math.min(
    options.most ?? 1000,
    Math.floor((maximumWork * edits.length) / Math.max(1, work)),
    Math.floor(maximumText / parsed.source.length),
  );
  const seen = new Set([parsed.source]);
  const mutants: Mutant[] = [];
  for (const { edit, statement } of spread(edits, most)) {
    const mutant = applied(edit, parsed.source);
    const grown = mutant.source.length - parsed.source.length;
    const changed = mutant.source.slice(statement.from, statement.to + grown);
    if (seen.has(mutant.source) || !parsePython(changed).ok) continue;
    seen.add(mutant.source);
    mutants.push(mutant);
  }
  return mutants;
}

/** An edit with the statement of the top level that it is in. */
interface PlacedEdit {
  readonly edit: Edit;
  readonly statement: { readonly from: number; readonly to: number };
}

function placed(edits: readonly Edit[], root: SyntaxNode): PlacedEdit[] {
  const statements = childrenOf(root);
  let index = 0;
  return edits.flatMap((edit) => {
    while (index + 1 < statements.length && statements[index + 1]!.from <= edit.from) index += 1;
    const statement = statements[index]!;
    return edit.to <= statement.to ? [{ edit, statement }] : [];
  });
}

/** Parts of a program in which nothing is a slip, or no slip would be about the problem. */
const untouched = new Set([
  "ImportStatement",
  "TypeDef",
  "TypeDefinition",
  "TypeParamList",
  "Decorator",
  "ScopeStatement",
  "AssertStatement",
]);

function editsOf(root: SyntaxNode, source: string): Edit[] {
  const earlier = new Set<string>();
  const needed = nonlocalNames(root, source);
  const surroundings = { source, earlier, needed };
  const keepsBindings = ({ from, to }: Edit) => needed.size === 0 || !source.slice(from, to).includes(":=");
  const edits: Edit[] = [];
  // Not by recursion: programs come from models and may be nested as deep as they are long.
  const waiting: SyntaxNode[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (untouched.has(node.name) || node.name.endsWith("Pattern") || isDocstring(node)) continue;
    edits.push(...editsAt(node, surroundings));
    if (node.name === "VariableName") earlier.add(textOf(node, source));
    waiting.push(...childrenToVisit(node, source).reverse());
  }
  return edits.filter(keepsBindings).sort((left, right) => left.from - right.from);
}

function childrenToVisit(node: SyntaxNode, source: string): SyntaxNode[] {
  const children = childrenOf(node);
  if (node.name === "ClassDefinition") return children.filter(({ name }) => name !== "ArgList");
  return asksForMain(node, source) ? children.filter(({ name }) => name === "Body") : children;
}

function* editsAt(node: SyntaxNode, surroundings: Surroundings): Generator<Edit> {
  const { source } = surroundings;
  yield* statementEdits(node, surroundings);
  if (!asksForMain(node, source)) yield* conditionEdits(node, source);
  yield* expressionEdits(node, source);
  yield* callEdits(node, source);
  yield* subscriptEdits(node, source);
  // Quotes within a formatted text may be the same as around it.
  if (node.name !== "String" || !isInFormat(node)) yield* constantEdits(node, source);
}

function isInFormat(node: SyntaxNode): boolean {
  for (let outer = node.parent; outer; outer = outer.parent) {
    if (outer.name === "FormatReplacement") return true;
    if (outer.name.endsWith("Statement")) return false;
  }
  return false;
}

function nonlocalNames(root: SyntaxNode, source: string): Set<string> {
  const names = new Set<string>();
  if (!source.includes("nonlocal")) return names;
  root.cursor().iterate((node) => {
    if (node.name !== "ScopeStatement") return true;
    for (const child of childrenOf(node.node)) {
      if (child.name === "VariableName") names.add(textOf(child, source));
    }
    return false;
  });
  return names;
}

/** As many edits as may be, each operator in its turn, evenly over the places of each. */
function spread(edits: readonly PlacedEdit[], most: number): readonly PlacedEdit[] {
  if (edits.length <= most) return edits;
  const groups = new Map<MutantOperator, PlacedEdit[]>();
  for (const placedEdit of edits) {
    const group = groups.get(placedEdit.edit.operator);
    if (group) group.push(placedEdit);
    else groups.set(placedEdit.edit.operator, [placedEdit]);
  }
  const bySize = [...groups.values()].sort((left, right) => left.length - right.length);
  const chosen = new Set<PlacedEdit>();
  for (const [index, group] of bySize.entries()) {
    const share = Math.min(group.length, Math.floor((most - chosen.size) / (bySize.length - index)));
    for (let number = 0; number < share; number += 1) {
      chosen.add(group[Math.floor((number * group.length) / share)]!);
    }
  }
  return edits.filter((each) => chosen.has(each));
}

const wordCharacter = /[\p{ID_Continue}]/u;

function applied({ operator, from, to, text }: Edit, source: string): Mutant {
  // `return(x)` must become `return None`, not a name.
  const before = joins(source[from - 1], text[0] ?? source[to]) ? " " : "";
  const after = text !== "" && joins(text.at(-1), source[to]) ? " " : "";
  const inserted = `${before}${text}${after}`;
  const lineStart = source.lastIndexOf("\n", from - 1) + 1;
  const next = source.indexOf("\n", to);
  const lineEnd = next < 0 ? source.length : next;
  return {
    source: `${source.slice(0, from)}${inserted}${source.slice(to)}`,
    operator,
    line: source.slice(0, lineStart).split("\n").length,
    before: source.slice(lineStart, lineEnd),
    after: `${source.slice(lineStart, from)}${inserted}${source.slice(to, lineEnd)}`,
  };
}

function joins(left: string | undefined, right: string | undefined): boolean {
  return left !== undefined && right !== undefined && wordCharacter.test(left) && wordCharacter.test(right);
}
