/**
 * Walks Python statements and collects the tests in them: asserts at top level, in functions and methods whose names
 * speak of tests, and under `if __name__ == "__main__":`. Nothing is run; names are followed only as far as
 * assigned-names.ts goes. What is no test at all (imports, helper functions, prints) is passed over; an assert that
 * cannot be read is kept with its reason.
 */
import type { FunctionCase } from "../problems/problem.ts";
import { AssignedNames } from "./assigned-names.ts";
import { childrenOf, excerpt, type PythonSource, type SyntaxNode, textOf } from "./python-syntax.ts";
import { forgetIfTouched, mentions, readAssignment } from "./read-assignment.ts";
import type { TestContext } from "./read-call.ts";
import { type CaseResult, readCondition } from "./read-condition.ts";
import { readUnittestAssertion, unittestAssertion } from "./read-unittest.ts";

export interface InvalidTest {
  readonly text: string;
  readonly reason: string;
}

/** Functions whose asserts are tests. The asserts of a repeated solution are not. */
const testFunction = /test|check|main/i;

export class TestCollector {
  readonly #found: { at: number; result: FunctionCase | InvalidTest }[] = [];
  readonly #names = new AssignedNames();
  readonly #entryPoint: string;
  readonly #most: number;

  constructor(options: { entryPoint: string; most: number }) {
    this.#entryPoint = options.entryPoint;
    this.#most = options.most;
  }

  get isFull(): boolean {
    return this.#found.length > this.#most;
  }

  /** In the order of the source; functions are read after the top level, as a test runner would call them. */
  get results(): (FunctionCase | InvalidTest)[] {
    return this.#found.map(({ result }) => result);
  }

  refuse(text: string, reason: string): void {
    this.#found.push({ at: Number.POSITIVE_INFINITY, result: { text: excerpt(text, 500), reason } });
  }

  forgetNames(): void {
    this.#names.forgetAll();
  }

  collect(parsed: PythonSource): void {
    const before = this.#found.length;
    const context: TestContext = { source: parsed.source, entryPoint: this.#entryPoint, names: this.#names };
    const functions: SyntaxNode[] = [];
    this.#block(childrenOf(parsed.root), context, functions);
    for (const definition of functions) this.#function(definition, context);
    const fresh = this.#found.splice(before).sort((a, b) => a.at - b.at);
    this.#found.push(...fresh);
  }

  /** `functions` takes the definitions of the top level, to be read later; inside a function there is none. */
  #block(statements: readonly SyntaxNode[], context: TestContext, functions?: SyntaxNode[]): void {
    for (const statement of statements) {
      if (this.isFull) return;
      this.#statement(statement, context, functions);
    }
  }

  #statement(node: SyntaxNode, context: TestContext, functions?: SyntaxNode[]): void {
    switch (node.name) {
      case "AssertStatement":
        this.#record(node, readCondition(childrenOf(node)[1]!, context), context);
        break;
      case "AssignStatement":
        readAssignment(node, context);
        break;
      case "ExpressionStatement":
        this.#expression(node, context);
        break;
      case "StatementGroup":
      case "Body":
        this.#block(statementsIn(node), context, functions);
        break;
      case "FunctionDefinition":
      case "ClassDefinition":
      case "DecoratedStatement":
        if (functions) functions.push(...definitionsIn(node));
        else this.#notUnderstood(node, context);
        break;
      case "IfStatement":
        if (isMainGuard(node, context))
          this.#block(statementsIn(childrenOf(node).at(-1)!), context, functions);
        else this.#notUnderstood(node, context);
        break;
      default:
        this.#notUnderstood(node, context);
    }
  }

  #expression(node: SyntaxNode, context: TestContext): void {
    const expression = node.firstChild!;
    const assertion = unittestAssertion(expression, context);
    if (assertion) {
      this.#record(node, readUnittestAssertion(expression, assertion, context), context);
      return;
    }
    const callee = expression.name === "CallExpression" ? textOf(expression.firstChild!, context.source) : "";
    if (callee === "print") return;
    const entryName = context.entryPoint.split(/[(.]/)[0]!;
    if (mentions(node, (name) => name === entryName, context)) {
      this.#record(node, { ok: false, reason: "is not an assert" }, context);
    }
    forgetIfTouched(node, context);
  }

  /** Loops, conditions, `with`, `try`, updates …: their asserts are no tests, and what they touch is unknown after. */
  #notUnderstood(node: SyntaxNode, context: TestContext): void {
    const keyword = textOf(node, context.source).split(/\W/, 1)[0];
    let asserts = 0;
    node.cursor().iterate((inner) => {
      if (this.isFull) return false;
      const isAssert = inner.name === "AssertStatement";
      if (!isAssert && (inner.name !== "ExpressionStatement" || !hasAssertion(inner.node, context)))
        return true;
      asserts += 1;
      this.#record(inner.node, { ok: false, reason: `stands inside a \`${keyword}\` statement` }, context);
      return false;
    });
    if (asserts === 0 && node.name === "WithStatement" && /[rR]aises/.test(textOf(node, context.source))) {
      this.#record(node, { ok: false, reason: "expects an exception: only an answer is a test" }, context);
    }
    forgetIfTouched(node, context);
  }

  #function(definition: SyntaxNode, context: TestContext): void {
    const children = childrenOf(definition);
    const name = children.find((child) => child.name === "VariableName");
    const nameText = name ? textOf(name, context.source) : "";
    if (!testFunction.test(nameText) || nameText === this.#entryPoint) return;
    const names = new AssignedNames(this.#names);
    const parameters = children.find((child) => child.name === "ParamList");
    for (const parameter of parameters?.getChildren("VariableName") ?? []) {
      names.assign(textOf(parameter, context.source), { kind: "unknown" });
    }
    const body = children.at(-1)!;
    this.#block(statementsIn(body), { ...context, names });
  }

  #record(node: SyntaxNode, result: CaseResult, context: TestContext): void {
    const kept = result.ok
      ? result.case
      : { text: excerpt(textOf(node, context.source), 500), reason: result.reason };
    this.#found.push({ at: node.from, result: kept });
  }
}

function statementsIn(body: SyntaxNode): SyntaxNode[] {
  return childrenOf(body).filter((child) => child.name !== ":" && child.name !== ";");
}

/** The functions of a definition: itself, or the methods of a class. */
function definitionsIn(node: SyntaxNode): SyntaxNode[] {
  if (node.name === "FunctionDefinition") return [node];
  if (node.name === "DecoratedStatement") return definitionsIn(childrenOf(node).at(-1)!);
  if (node.name !== "ClassDefinition") return [];
  return statementsIn(childrenOf(node).at(-1)!).flatMap((statement) =>
    statement.name === "ClassDefinition" ? [] : definitionsIn(statement),
  );
}

function isMainGuard(node: SyntaxNode, context: TestContext): boolean {
  const [, condition, body, ...more] = childrenOf(node);
  const text =
    condition &&
    textOf(condition, context.source)
      .replace(/[\s()]/g, "")
      .replaceAll("'", '"');
  return more.length === 0 && body?.name === "Body" && text === '__name__=="__main__"';
}

function hasAssertion(statement: SyntaxNode, context: TestContext): boolean {
  return statement.firstChild !== null && unittestAssertion(statement.firstChild, context) !== undefined;
}
