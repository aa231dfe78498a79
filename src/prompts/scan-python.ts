/**
 * A pass over Python source that knows strings, comments, names, numbers and brackets, and nothing else. It is what
 * surrounds the real parser: it finds how deep brackets are nested, so that hostile nesting is refused before it
 * costs time; completes floats that end in their point (`1.` to `1.0`), which the parser's grammar does not know;
 * and finds where a statement ends in a text that does not parse as a whole. Linear in the length of the source.
 */

export interface PythonScan {
  readonly source: string;
  /** The largest number of brackets open at once. */
  readonly brackets: number;
}

export function scanPython(source: string): PythonScan {
  const scanner = new PythonScanner(source);
  const insertions: number[] = [];
  let [depth, brackets, position] = [0, 0, 0];
  while (position < source.length) {
    const end = scanner.skip(position);
    depth = Math.max(0, depth + bracketStep(source.charCodeAt(position)));
    brackets = Math.max(brackets, depth);
    if (scanner.endsInPoint) insertions.push(scanner.pointEnd);
    position = end;
  }
  return { source: insertions.length === 0 ? source : insertZeros(source, insertions), brackets };
}

// Sticky patterns without nested repetition: each takes time linear in what it matches.
const stringStart = /(?:[rRbBuUfFtT]{1,2})?(?:"""|'''|"|')/y;
const word = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*/y;
const prefixedNumber = /0[xXoObB][0-9a-zA-Z_]+/y;
const wholeNumber = /[0-9][0-9_]*/y;
const fraction = /\.[0-9][0-9_]*/y;
const exponent = /[eE][+-]?[0-9][0-9_]*/y;

export class PythonScanner {
  readonly #source: string;
  /** Triple quotes that are known to have no end: looking again and again would take quadratic time. */
  readonly #endless = new Set<string>();
  /** Set by `skip`: whether the token was a float such as `1.`, and where its point ends. */
  endsInPoint = false;
  pointEnd = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** The end of the token that starts at `position`. Line ends outside strings are tokens of their own. */
  skip(position: number): number {
    this.endsInPoint = false;
    const code = this.#source.charCodeAt(position);
    if (code === 0x0a) return position + 1;
    if (code === 0x20) return position + 1;
    if (code === 0x23) return this.#lineEnd(position);
    if (code === 0x5c) return position + 2;
    if (code >= 0x30 && code <= 0x39) return this.#skipNumber(position);
    if (bracketStep(code) !== 0) return position + 1;
    return this.#skipString(position) ?? this.#match(word, position) ?? position + 1;
  }

  #skipNumber(start: number): number {
    const prefixed = this.#match(prefixedNumber, start);
    if (prefixed !== undefined) return prefixed;
    let position = this.#match(wholeNumber, start)!;
    const afterFraction = this.#match(fraction, position);
    if (afterFraction !== undefined) position = afterFraction;
    else if (this.#source[position] === ".") {
      position += 1;
      // A zero before an underscore would make one number of what Python refuses.
      this.endsInPoint = this.#source[position] !== "_";
      this.pointEnd = position;
    }
    return this.#match(exponent, position) ?? position;
  }

  /** Past the closing quote; a string that has none ends with its line. */
  #skipString(start: number): number | undefined {
    const opened = this.#match(stringStart, start);
    if (opened === undefined) return undefined;
    const source = this.#source;
    const triple = source[opened - 1]!.repeat(3);
    const long = opened - start >= 3 && source.startsWith(triple, opened - 3);
    const quote = long ? triple : source[opened - 1]!;
    if (this.#endless.has(quote)) return this.#lineEnd(opened);
    for (let position = opened; position < source.length; ) {
      const code = source.charCodeAt(position);
      if (code === 0x5c) position += 2;
      else if (code === 0x0a && !long) return position;
      else if (code === quote.charCodeAt(0) && source.startsWith(quote, position))
        return position + quote.length;
      else position += 1;
    }
    if (long) this.#endless.add(quote);
    return this.#lineEnd(opened);
  }

  #match(pattern: RegExp, position: number): number | undefined {
    pattern.lastIndex = position;
    return pattern.test(this.#source) ? pattern.lastIndex : undefined;
  }

  #lineEnd(position: number): number {
    const end = this.#source.indexOf("\n", position);
    return end < 0 ? this.#source.length : end;
  }
}

/** +1 for an opening bracket, -1 for a closing one. */
export function bracketStep(code: number): -1 | 0 | 1 {
  switch (code) {
    case 0x28:
    case 0x5b:
    case 0x7b:
      return 1;
    case 0x29:
    case 0x5d:
    case 0x7d:
      return -1;
    default:
      return 0;
  }
}

function insertZeros(source: string, positions: readonly number[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const position of positions) {
    pieces.push(source.slice(from, position), "0");
    from = position;
  }
  pieces.push(source.slice(from));
  return pieces.join("");
}
