/**
 * Where a text stops being JSON. `JSON.parse` says so only on some versions of Node and for some errors; a person
 * with a long file needs the line.
 */

type Expecting = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end";

const blank = /[ \t\r\n]*/y;
const text = /"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"/y;
const scalar = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?![\w.+-])/y;

/** The line, from 1, of the first place that is wrong; undefined for a text that is JSON. */
export function locateJsonError(source: string): number | undefined {
  const open: ("[" | "{")[] = [];
  let expecting: Expecting = "value";
  let position = skip(blank, source, 0)!;
  while (position < source.length) {
    const step = advance({ source, position, expecting, open });
    if (!step) return lineAt(source, position);
    expecting = step.expecting;
    position = skip(blank, source, step.position)!;
    if (open.length === 0) return position < source.length ? lineAt(source, position) : undefined;
  }
  return lineAt(source, source.length);
}

interface State {
  readonly source: string;
  readonly position: number;
  readonly expecting: Expecting;
  readonly open: ("[" | "{")[];
}

function advance({
  source,
  position,
  expecting,
  open,
}: State): Pick<State, "position" | "expecting"> | undefined {
  const character = source[position];
  const next = position + 1;
  const inObject = open.at(-1) === "{";
  switch (expecting) {
    case "colon":
      return character === ":" ? { position: next, expecting: "value" } : undefined;
    case "comma-or-end":
      if (character === ",") return { position: next, expecting: inObject ? "key" : "value" };
      return character === (inObject ? "}" : "]") ? close(next, open) : undefined;
    case "key":
    case "key-or-end": {
      if (character === "}" && expecting === "key-or-end") return close(next, open);
      const end = skip(text, source, position);
      return end === undefined ? undefined : { position: end, expecting: "colon" };
    }
    default: {
      if (character === "]" && expecting === "value-or-end") return close(next, open);
      if (character === "[" || character === "{") {
        open.push(character);
        return { position: next, expecting: character === "[" ? "value-or-end" : "key-or-end" };
      }
      const end = skip(text, source, position) ?? skip(scalar, source, position);
      return end === undefined ? undefined : { position: end, expecting: "comma-or-end" };
    }
  }
}

function close(position: number, open: ("[" | "{")[]): Pick<State, "position" | "expecting"> {
  open.pop();
  return { position, expecting: "comma-or-end" };
}

function skip(pattern: RegExp, source: string, position: number): number | undefined {
  pattern.lastIndex = position;
  return pattern.test(source) ? pattern.lastIndex : undefined;
}

function lineAt(source: string, position: number): number {
  return source.slice(0, position).split("\n").length;
}
