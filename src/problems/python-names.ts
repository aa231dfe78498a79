/** Which functions and classes a piece of Python defines, and how often it mentions a name. Nothing is run. */
import { childrenOf, parsePython, type SyntaxNode, textOf } from "../prompts/python-syntax.ts";

export interface DefinedNames {
  readonly functions: readonly string[];
  readonly classes: readonly string[];
}

/** Of the top level, in order, each once. */
export function definedNames(source: string): DefinedNames {
  const functions = new Set<string>();
  const classes = new Set<string>();
  const parsed = parsePython(source);
  if (!parsed.ok) {
    // Wider than Python is right here: it is better to know a function of a text that only Python can read.
    for (const [, kind, name] of source.matchAll(/^(?:async\s+)?(def|class)\s+([^\s(:]+)/gm)) {
      (kind === "def" ? functions : classes).add(name!);
    }
    return { functions: [...functions], classes: [...classes] };
  }
  for (const statement of childrenOf(parsed.root)) {
    const definition = statement.name === "DecoratedStatement" ? childrenOf(statement).at(-1)! : statement;
    const name = definition.getChild("VariableName");
    if (!name) continue;
    if (definition.name === "FunctionDefinition") functions.add(textOf(name, parsed.source));
    if (definition.name === "ClassDefinition") classes.add(textOf(name, parsed.source));
  }
  return { functions: [...functions], classes: [...classes] };
}

/** How often each name is used; imports, definitions, parameters and the messages of asserts are no uses. */
export function countMentions(source: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const parsed = parsePython(source);
  if (!parsed.ok) {
    for (const [name] of source.matchAll(/[\p{ID_Start}_]\p{ID_Continue}*/gu)) add(name);
    return counts;
  }
  parsed.root.cursor().iterate((node) => {
    if (node.name === "ImportStatement" || isAssertMessage(node.node)) return false;
    if (node.name === "VariableName" && !isDeclared(node.node)) add(textOf(node.node, parsed.source));
    return true;
  });
  return counts;
}

/** The import statements of the top level, as a text: test code may rely on what its solution imports. */
export function topLevelImports(source: string): string {
  const parsed = parsePython(source);
  if (!parsed.ok) return "";
  return childrenOf(parsed.root)
    .filter(({ name }) => name === "ImportStatement")
    .map((statement) => textOf(statement, parsed.source).trim())
    .join("\n");
}

function isAssertMessage(node: SyntaxNode): boolean {
  return node.parent?.name === "AssertStatement" && node.prevSibling?.name === ",";
}

function isDeclared(name: SyntaxNode): boolean {
  const parent = name.parent?.name;
  if (parent === "FunctionDefinition" || parent === "ClassDefinition") return true;
  // A default value in a parameter list is a use.
  return parent === "ParamList" && name.prevSibling?.name !== "AssignOp";
}

/** The name by which `def check(…)` takes the function under test; undefined where there is no such function. */
export function checkParameter(source: string): string | undefined {
  return /^def\s+check\s*\(\s*([^\s,):=]+)/m.exec(source)?.[1];
}
