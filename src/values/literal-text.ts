/**
 * A value as Python source text that reads back as the same value: how tests and answers are shown, stored and sent
 * to tools that want text. Values without a literal of their own get the one spelling that makes them: `set()`,
 * `frozenset({1})`, `float('nan')`, `complex(-0.0, 1.0)`. An opaque value has no such text and is shown as
 * `<Name object>`.
 */
import { pythonFloatText } from "./float-text.ts";
import { ownText } from "./own-text.ts";
import type { PythonValue } from "./python-value.ts";
import { bytesText, stringText } from "./string-text.ts";

/** The full text. It may be as long as the value is large: for people use `shortLiteralText`. */
export function literalText(value: PythonValue): string {
  const writer = new Writer(Number.POSITIVE_INFINITY);
  writer.value(value);
  return writer.text();
}

/** At most `most` characters, ending in `…` where something was left out; takes no longer than what it shows. */
export function shortLiteralText(value: PythonValue, most = 200): string {
  const writer = new Writer(most);
  writer.value(value);
  const text = writer.text();
  return text.length <= most
    ? text
    : `${ownText(text, Math.max(0, most - 1)).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Collects pieces of text until there are more characters than anybody will read. */
class Writer {
  readonly #pieces: string[] = [];
  #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  text(): string {
    return this.#pieces.join("");
  }

  value(value: PythonValue): void {
    switch (value.type) {
      case "list":
        this.#items("[", value.items, "]");
        break;
      case "tuple":
        this.#items("(", value.items, value.items.length === 1 ? ",)" : ")");
        break;
      case "set":
        if (value.items.length === 0) this.#put("set()");
        else this.#items("{", value.items, "}");
        break;
      case "frozenset":
        if (value.items.length === 0) this.#put("frozenset()");
        else this.#items("frozenset({", value.items, "})");
        break;
      case "dict":
        this.#entries(value.entries);
        break;
      case "str":
        this.#put(stringText(this.#head(value.value)));
        break;
      case "bytes":
        this.#put(bytesText(this.#head(value.hex)));
        break;
      default:
        this.#put(scalarText(value));
    }
  }

  #put(piece: string): void {
    this.#pieces.push(piece);
    this.#room -= piece.length;
  }

  /** As much of a text as can matter: an even number of characters, so that hexadecimal pairs stay whole. */
  #head(text: string): string {
    const wanted = 2 * Math.max(this.#room, 0) + 2;
    return text.length > wanted ? text.slice(0, wanted) : text;
  }

  #items(open: string, items: readonly PythonValue[], close: string): void {
    this.#put(open);
    for (const [index, item] of items.entries()) {
      if (this.#room < 0) return;
      if (index > 0) this.#put(", ");
      this.value(item);
    }
    this.#put(close);
  }

  #entries(entries: readonly (readonly [PythonValue, PythonValue])[]): void {
    this.#put("{");
    for (const [index, [key, item]] of entries.entries()) {
      if (this.#room < 0) return;
      if (index > 0) this.#put(", ");
      this.value(key);
      this.#put(": ");
      this.value(item);
    }
    this.#put("}");
  }
}

function scalarText(
  value: Exclude<PythonValue, { items: unknown } | { entries: unknown } | { type: "str" | "bytes" }>,
): string {
  switch (value.type) {
    case "none":
      return "None";
    case "bool":
      return value.value ? "True" : "False";
    case "int":
      return integerText(value.value);
    case "float":
      return pythonFloatText(value.value);
    case "complex":
      return complexText(value.real, value.imaginary);
    case "opaque":
      return opaqueText(value);
  }
}

/** Python's parser refuses decimal integers above 4,300 digits (about 14,280 bits), hexadecimal ones it takes. */
function integerText(value: bigint): string {
  const magnitude = value < 0n ? -value : value;
  const hex = magnitude.toString(16);
  const text = hex.length > 3_000 ? `0x${hex}` : magnitude.toString();
  return value < 0n ? `-${text}` : text;
}

/**
 * `(1+2j)` is a sum, and sums lose the sign of a zero and turn infinities into nan; such parts need the call.
 */
function complexText(real: number, imaginary: number): string {
  const plain = (part: number) => Number.isFinite(part) && !Object.is(part, -0);
  if (!plain(real) || !plain(imaginary)) {
    return `complex(${pythonFloatText(real)}, ${pythonFloatText(imaginary)})`;
  }
  const imaginaryText = `${pythonFloatText(Math.abs(imaginary))}j`;
  if (real === 0 && imaginary >= 0) return imaginaryText;
  return `(${pythonFloatText(real)}${imaginary < 0 ? "-" : "+"}${imaginaryText})`;
}

function opaqueText(value: Extract<PythonValue, { type: "opaque" }>): string {
  const name = value.typeName.replace(/[^\p{L}\p{N}_.]/gu, "?");
  return value.reason === "object" ? `<${name} object>` : `<${value.reason} ${name}>`;
}
