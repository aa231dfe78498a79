/**
 * Runs an arena program without Python, so that gold tests and supervised data are made in microseconds. It is not
 * a judge: candidates are always executed as real Python. evaluate.test.ts proves on every reference and every
 * planted bug that it gives what Python gives.
 *
 * A program is compiled to closures once and then called for many inputs.
 */
import type {
  ArenaInput,
  ArenaValue,
  Arithmetic,
  Comparator,
  Expression,
  Finish,
  Program,
  Source,
} from "./program.ts";

export type Answer =
  | { readonly kind: "value"; readonly value: ArenaValue }
  | { readonly kind: "raised"; readonly type: "ValueError" | "IndexError" };

type Item = number | string;

interface Scope {
  readonly input: readonly Item[];
  readonly x: Item;
  readonly y: Item | undefined;
}

type Evaluate = (scope: Scope) => Item | boolean;

export function compileProgram(program: Program): (input: ArenaInput) => Answer {
  const keep = program.filter === undefined ? () => true : compileExpression(program.filter);
  const change = compileExpression(program.change);
  const alreadyFiltered = program.preparation === "remove-in-place";
  const withItemBefore = program.source.kind === "neighbours";
  return (given) => {
    const input = prepare(program, [...given], keep);
    const items = itemsOf(program.source, input);
    const kept: Item[] = [];
    for (let index = 0; index < items.length; index += 1) {
      const scope = { input, x: items[index]!, y: withItemBefore ? input[index] : undefined };
      if (alreadyFiltered || keep(scope)) kept.push(change(scope) as Item);
    }
    return finish(program.finish, kept);
  };
}

/** A text that two answers share exactly when a judge would call them the same. */
export function answerKey(answer: Answer): string {
  return answer.kind === "raised" ? "raised" : JSON.stringify(answer.value);
}

export function sameAnswer(left: Answer, right: Answer): boolean {
  if (left.kind === "raised" || right.kind === "raised") return left.kind === right.kind;
  return sameArenaValue(left.value, right.value);
}

function sameArenaValue(left: ArenaValue, right: ArenaValue): boolean {
  if (left === null || right === null || typeof left !== "object" || typeof right !== "object")
    return left === right;
  return left.length === right.length && left.every((item, index) => sameArenaValue(item, right[index]!));
}

function prepare(program: Program, input: Item[], keep: Evaluate): readonly Item[] {
  if (program.preparation === "sort-input") return input.sort(byValue);
  if (program.preparation === "remove-in-place") {
    // As Python's list iterator: the index moves on although the list has become shorter.
    for (let index = 0; index < input.length; index += 1) {
      const x = input[index]!;
      if (!keep({ input, x, y: undefined })) input.splice(input.indexOf(x), 1);
    }
  }
  return input;
}

function itemsOf(source: Source, input: readonly Item[]): readonly Item[] {
  switch (source.kind) {
    case "slice":
      return slice(input, source);
    case "distinct":
      return [...new Set(input)];
    case "sorted-distinct":
      return [...new Set(input)].sort(byValue);
    case "neighbours":
      return input.slice(1);
  }
}

function slice(input: readonly Item[], range: Extract<Source, { kind: "slice" }>): readonly Item[] {
  const part = input.slice(range.start ?? 0, range.stop ?? input.length);
  const { step } = range;
  return step === undefined ? part : part.filter((_, index) => index % step === 0);
}

function finish({ kind, fallback }: Finish, items: readonly Item[]): Answer {
  switch (kind) {
    case "sum":
      return value((items as readonly number[]).reduce((total, next) => total + next, 0));
    case "count":
      return value(items.length);
    case "distinct-count":
      return value(new Set(items).size);
    case "largest":
      return items.length === 0 ? empty(fallback, "ValueError") : value([...items].sort(byValue).at(-1)!);
    case "smallest":
      return items.length === 0 ? empty(fallback, "ValueError") : value([...items].sort(byValue)[0]!);
    case "first":
      return items.length === 0 ? empty(fallback, "IndexError") : value(items[0]!);
    case "last":
      return items.length === 0 ? empty(fallback, "IndexError") : value(items.at(-1)!);
    case "list":
      return value(items);
    case "sorted-list":
      return value([...items].sort(byValue));
    case "reversed-list":
      return value([...items].reverse());
    case "joined":
      return value(items.join(""));
    case "sorted-joined":
      return value([...items].sort(byValue).join(""));
    case "reversed-joined":
      return value([...items].reverse().join(""));
    case "sort-in-place":
      return value(null);
  }
}

function value(of: ArenaValue): Answer {
  return { kind: "value", value: of };
}

function empty(fallback: Finish["fallback"], type: "ValueError" | "IndexError"): Answer {
  return fallback === undefined ? { kind: "raised", type } : value(fallback);
}

function byValue(left: Item, right: Item): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function compileExpression(expression: Expression): Evaluate {
  switch (expression.kind) {
    case "name":
      return expression.name === "x" ? (scope) => scope.x : (scope) => scope.y!;
    case "number":
    case "text": {
      const constant = expression.value;
      return () => constant;
    }
    case "arithmetic": {
      const [left, right] = [compileExpression(expression.left), compileExpression(expression.right)];
      const { operator } = expression;
      return (scope) => calculate(left(scope) as Item, operator, right(scope) as number);
    }
    case "compare": {
      const [left, right] = [compileExpression(expression.left), compileExpression(expression.right)];
      const { operator } = expression;
      return (scope) => holds(left(scope) as Item, operator, right(scope) as Item);
    }
    case "negated": {
      const operand = compileExpression(expression.operand);
      // Not unary minus: Python has no negative zero among its integers.
      return (scope) => 0 - (operand(scope) as number);
    }
    case "absolute": {
      const operand = compileExpression(expression.operand);
      return (scope) => Math.abs(operand(scope) as number);
    }
    case "upper": {
      const operand = compileExpression(expression.operand);
      return (scope) => (operand(scope) as string).toUpperCase();
    }
    case "occurrences": {
      const operand = compileExpression(expression.operand);
      return (scope) => {
        const wanted = operand(scope);
        return scope.input.reduce<number>((count, item) => (item === wanted ? count + 1 : count), 0);
      };
    }
    case "truncated-half": {
      const operand = compileExpression(expression.operand);
      return (scope) => Math.trunc((operand(scope) as number) / 2) + 0;
    }
  }
}

function calculate(left: Item, operator: Arithmetic, right: number): Item {
  if (typeof left === "string") {
    if (operator !== "*") throw new Error(`an arena program cannot apply ${operator} to text`);
    return left.repeat(right);
  }
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right + 0;
    case "//":
      return Math.floor(left / right);
    case "%":
      return left - right * Math.floor(left / right);
  }
}

function holds(left: Item, operator: Comparator, right: Item): boolean {
  switch (operator) {
    case ">":
      return left > right;
    case ">=":
      return left >= right;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case "==":
      return left === right;
    case "!=":
      return left !== right;
    case "in":
      return (right as string).includes(left as string);
    case "not in":
      return !(right as string).includes(left as string);
  }
}
