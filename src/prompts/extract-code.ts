/**
 * The program in a reply. Reasoning is taken out first; then, in this order (`rule` says which one it was):
 *
 *   entry-point         the last block that parses and defines the entry point
 *   broken-entry-point  the last block that seems to define it but does not parse
 *   last-program        the last block that parses and is more than bare values: those with a Python tag first, then
 *                       those without a tag, then the others
 *   before-fence        the text before the first fence, if that is a program: the prompt had opened the block
 *   last-block          the last block, whatever it is
 *   whole-reply         there is no block, and the whole reply is a program
 *
 * The last and not the first block, because models correct themselves downwards; not simply the last, because
 * examples of use follow the solution. Prose is never handed on as a program. Nothing is run.
 */
import { type FencedBlock, findFences } from "./fences.ts";
import {
  childrenOf,
  type PythonSource,
  parsePython,
  type Refused,
  type SyntaxNode,
  textOf,
} from "./python-syntax.ts";
import { removeThinking } from "./thinking.ts";

type ExtractionRule =
  | "entry-point"
  | "broken-entry-point"
  | "last-program"
  | "before-fence"
  | "last-block"
  | "whole-reply";

export type ExtractedCode =
  | {
      readonly ok: true;
      readonly code: string;
      readonly rule: ExtractionRule;
      readonly fence: "closed" | "unfinished" | "none";
    }
  | Refused;

const maximumCharacters = 1_000_000;

/** The code of a reply, or why there is none. Never throws. */
export function extractCode(reply: string, options: { entryPoint?: string | undefined } = {}): ExtractedCode {
  if (reply.length > maximumCharacters) {
    return { ok: false, reason: `the reply has more than ${maximumCharacters} characters` };
  }
  const text = removeThinking(reply);
  if (text.trim() === "") return { ok: false, reason: "the reply is empty" };
  const allBlocks = findFences(text);
  const blocks = allBlocks.filter((block) => block.code.trim() !== "").map(assess);
  const { entryPoint } = options;
  const chosen =
    (entryPoint && blocks.findLast((block) => block.parsed && defines(block.parsed, entryPoint))) ||
    undefined;
  if (chosen) return take(chosen, "entry-point");
  const broken =
    (entryPoint && blocks.findLast((block) => !block.parsed && seemsToDefine(block.code, entryPoint))) ||
    undefined;
  if (broken) return take(broken, "broken-entry-point");
  for (const wanted of [isPython, isUntagged, () => true]) {
    const program = blocks.findLast((block) => wanted(block) && block.parsed && isProgram(block.parsed));
    if (program) return take(program, "last-program");
  }
  return withoutProgramBlock(text, allBlocks, blocks);
}

interface AssessedBlock extends FencedBlock {
  readonly parsed: PythonSource | undefined;
}

function assess(block: FencedBlock): AssessedBlock {
  const parsed = parsePython(block.code);
  return { ...block, parsed: parsed.ok ? parsed : undefined };
}

function isPython(block: FencedBlock): boolean {
  return block.tag === "python";
}

function isUntagged(block: FencedBlock): boolean {
  return block.tag === "";
}

function take(block: FencedBlock, rule: ExtractionRule): ExtractedCode {
  return { ok: true, code: block.code, rule, fence: block.closed ? "closed" : "unfinished" };
}

function withoutProgramBlock(
  text: string,
  allBlocks: readonly FencedBlock[],
  blocks: readonly AssessedBlock[],
): ExtractedCode {
  const before = text.slice(0, allBlocks[0]?.from ?? text.length).trim();
  const parsed = parsePython(before);
  if (parsed.ok && isProgram(parsed)) {
    return {
      ok: true,
      code: before,
      rule: allBlocks.length > 0 ? "before-fence" : "whole-reply",
      fence: "none",
    };
  }
  const last = blocks.at(-1);
  if (last) return take(last, "last-block");
  return { ok: false, reason: "there is no code block, and the reply as a whole is not a Python program" };
}

/** Whether anything would happen: bare names and values, which prose and sample data may parse as, do nothing. */
function isProgram(parsed: PythonSource): boolean {
  return childrenOf(parsed.root).some((statement) => {
    if (statement.name !== "ExpressionStatement") return true;
    return (
      statement.firstChild?.name === "CallExpression" || statement.firstChild?.name === "AwaitExpression"
    );
  });
}

function defines(parsed: PythonSource, entryPoint: string): boolean {
  const method = /^(.+)\(\)\.(.+)$/.exec(entryPoint);
  const top = childrenOf(parsed.root).map(undecorated);
  if (!method) return top.some((statement) => definedNames(statement, parsed.source).includes(entryPoint));
  const [, className, methodName] = method;
  return top.some((statement) => {
    if (statement.name !== "ClassDefinition") return false;
    const body = childrenOf(childrenOf(statement).at(-1)!).map(undecorated);
    return (
      definedNames(statement, parsed.source).includes(className!) &&
      body.some((member) => definedNames(member, parsed.source).includes(methodName!))
    );
  });
}

function undecorated(statement: SyntaxNode): SyntaxNode {
  return statement.name === "DecoratedStatement" ? childrenOf(statement).at(-1)! : statement;
}

function definedNames(statement: SyntaxNode, source: string): string[] {
  switch (statement.name) {
    case "FunctionDefinition":
    case "ClassDefinition":
    case "AssignStatement": {
      const names = statement.getChildren("VariableName").map((node) => textOf(node, source));
      return statement.name === "AssignStatement" ? names : names.slice(0, 1);
    }
    default:
      return [];
  }
}

/** For code that does not parse, where there is no tree to ask. */
function seemsToDefine(code: string, entryPoint: string): boolean {
  const name = entryPoint.split(".").at(-1)!;
  return code.split("\n").some((line) => {
    const words = line.trim().split(/[\s(:]+/, 3);
    return words[0] === "def"
      ? words[1] === name
      : words[0] === "async" && words[1] === "def" && words[2] === name;
  });
}
