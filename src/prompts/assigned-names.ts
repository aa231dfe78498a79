/**
 * The names that a piece of test code has assigned so far, and what is known about each: a literal value, the result
 * of one call of the entry point, or an instance of the solution's class. As soon as code that we do not understand
 * mentions a known name or calls something, everything known is forgotten, because a value may have been changed in
 * place under any of its names. Only the entry point is trusted: what it does to its arguments is not followed, each
 * test gets them as they were written.
 */
import { type Call, maximumDepth, type PythonValue } from "../values/python-value.ts";

export type Assigned =
  | { readonly kind: "literal"; readonly value: PythonValue }
  | { readonly kind: "result"; readonly call: Call }
  | { readonly kind: "instance" }
  | { readonly kind: "unknown" };

/**
 * How much all uses of names in one reply may add up to, in values and characters. A name that is used twice in a
 * value that is used twice … makes a value that no machine could write down.
 */
const maximumExpansion = 1_000_000;

interface Measured {
  readonly assigned: Assigned;
  readonly size: number;
  readonly depth: number;
  readonly again: boolean;
}

export class AssignedNames {
  readonly #names = new Map<string, Measured>();
  readonly #outer: AssignedNames | undefined;
  readonly #expansion: { left: number };

  constructor(outer?: AssignedNames) {
    this.#outer = outer;
    this.#expansion = outer ? outer.#expansion : { left: maximumExpansion };
  }

  assign(name: string, assigned: Assigned): void {
    const measure = assigned.kind === "literal" ? measureValue(assigned.value) : { size: 0, depth: 0 };
    this.#names.set(name, { assigned, ...measure, again: this.#names.has(name) });
  }

  find(name: string): Assigned | undefined {
    return this.#find(name)?.assigned;
  }

  /** The literal behind a name that stands inside `depth` containers, or why there is none. */
  literal(name: string, depth: number): PythonValue | string {
    const found = this.#find(name);
    if (found?.assigned.kind !== "literal") return `\`${name.slice(0, 60)}\` has no known literal value`;
    if (depth + found.depth > maximumDepth) return `nested more than ${maximumDepth} deep`;
    this.#expansion.left -= found.size;
    if (this.#expansion.left < 0) return "the names used add up to too large a value";
    return found.assigned.value;
  }

  isKnown(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  forgetAll(): void {
    this.#names.clear();
    this.#outer?.forgetAll();
  }

  #find(name: string): Measured | undefined {
    const own = this.#names.get(name);
    if (own) return own;
    const outer = this.#outer ? this.#outer.#find(name) : undefined;
    // A function sees a name of the top level as it is when the function is called: unclear if it was assigned twice.
    return outer?.again ? { assigned: { kind: "unknown" }, size: 0, depth: 0, again: true } : outer;
  }
}

function measureValue(value: PythonValue): { size: number; depth: number } {
  switch (value.type) {
    case "str":
      return { size: 1 + value.value.length, depth: 0 };
    case "bytes":
      return { size: 1 + value.hex.length, depth: 0 };
    case "int":
      return { size: 1 + value.value.toString(16).length, depth: 0 };
    case "list":
    case "tuple":
    case "set":
    case "frozenset":
      return measureAll(value.items);
    case "dict":
      return measureAll(value.entries.flat());
    default:
      return { size: 1, depth: 0 };
  }
}

function measureAll(items: readonly PythonValue[]): { size: number; depth: number } {
  let [size, depth] = [1, 0];
  for (const item of items) {
    const inner = measureValue(item);
    size += inner.size;
    depth = Math.max(depth, inner.depth);
  }
  return { size, depth: depth + 1 };
}
