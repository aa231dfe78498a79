/**
 * The text of a string or bytes literal to its value, by the rules of Python's lexical analysis: prefixes, raw
 * strings, triple quotes, escapes, line continuation. Not taken, with a reason: f-strings and t-strings (they run
 * code), `\N{…}` (needs the table of Unicode names), and pairs of surrogates written as two escapes, which Python
 * keeps as two characters and our text cannot tell from one.
 */
import type { PythonValue } from "../values/python-value.ts";

type PythonText = Extract<PythonValue, { type: "str" | "bytes" }>;

const prefixes: ReadonlySet<string> = new Set(["", "r", "u", "b", "br", "rb"]);

const simpleEscapes: Readonly<Record<string, string>> = {
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** The value of one literal, or why it has none. */
export function readString(text: string): PythonText | string {
  const quoteAt = text.search(/['"]/);
  const prefix = text.slice(0, Math.max(quoteAt, 0)).toLowerCase();
  if (quoteAt < 0 || !prefixes.has(prefix)) return `a string with the prefix ${text.slice(0, 3)}`;
  const quote = text.startsWith(text[quoteAt]!.repeat(3), quoteAt)
    ? text.slice(quoteAt, quoteAt + 3)
    : text[quoteAt]!;
  const end = text.length - quote.length;
  if (end < quoteAt + quote.length || !text.endsWith(quote)) return "a string that is not closed";
  const body = text.slice(quoteAt + quote.length, end);
  // In a raw string too, a backslash keeps the quote after it from closing.
  if (/\\*$/.exec(body.slice(-1_000))![0].length % 2 === 1) return "a string that is not closed";
  const isBytes = prefix.includes("b");
  if (isBytes && /[^\x00-\x7f]/.test(body)) return "a bytes literal with characters beyond ASCII";
  if (/[\ud800-\udfff]/u.test(body)) return "a string with half a surrogate pair in it";
  const decoded = prefix.includes("r") ? { text: body } : decodeEscapes(body, isBytes ? "bytes" : "str");
  if (typeof decoded === "string") return decoded;
  return isBytes
    ? { type: "bytes", hex: Buffer.from(decoded.text, "latin1").toString("hex") }
    : { type: "str", value: decoded.text };
}

/** Literals that stand side by side. */
export function joinStrings(parts: readonly PythonText[]): PythonText | string {
  let [text, hex] = ["", ""];
  for (const part of parts) {
    if (part.type !== parts[0]!.type) return "text and bytes joined together";
    if (part.type === "bytes") hex += part.hex;
    else if (endsHigh(text) && /^[\udc00-\udfff]/.test(part.value)) return surrogatePair;
    else text += part.value;
  }
  return parts[0]?.type === "bytes" ? { type: "bytes", hex } : { type: "str", value: text };
}

const surrogatePair = "a surrogate pair written as two characters";

function endsHigh(text: string): boolean {
  return /[\ud800-\udbff]$/.test(text.slice(-1));
}

function decodeEscapes(body: string, kind: "str" | "bytes"): { text: string } | string {
  let position = body.indexOf("\\");
  if (position < 0) return { text: body };
  let text = body.slice(0, position);
  while (position < body.length) {
    const escaped = readEscape(body, position + 1, kind);
    if (typeof escaped === "string") return escaped;
    if (/^[\udc00-\udfff]/.test(escaped.text) && endsHigh(text)) return surrogatePair;
    const next = body.indexOf("\\", escaped.end);
    const stop = next < 0 ? body.length : next;
    text += escaped.text + body.slice(escaped.end, stop);
    position = stop;
  }
  return { text };
}

/** What the escape whose letter stands at `start` means and where it ends, or why it is wrong. */
function readEscape(
  body: string,
  start: number,
  kind: "str" | "bytes",
): { text: string; end: number } | string {
  const letter = body[start];
  if (letter === undefined) return "a string that is not closed";
  const simple = simpleEscapes[letter];
  if (simple !== undefined) return { text: simple, end: start + 1 };
  if (letter >= "0" && letter <= "7") {
    const digits = /^[0-7]{1,3}/.exec(body.slice(start, start + 3))![0];
    const code = Number.parseInt(digits, 8);
    return { text: String.fromCharCode(kind === "bytes" ? code & 0xff : code), end: start + digits.length };
  }
  if (letter === "x") return readHexadecimal(body, start, 2);
  if (kind === "str" && letter === "u") return readHexadecimal(body, start, 4);
  if (kind === "str" && letter === "U") return readHexadecimal(body, start, 8);
  if (kind === "str" && letter === "N") return "a string with a \\N{…} escape";
  // Python keeps the backslash of an escape that it does not know.
  return { text: `\\${letter}`, end: start + 1 };
}

function readHexadecimal(
  body: string,
  start: number,
  digits: 2 | 4 | 8,
): { text: string; end: number } | string {
  const end = start + 1 + digits;
  const hex = body.slice(start + 1, end);
  const code = hex.length === digits && /^[0-9a-fA-F]+$/.test(hex) ? Number.parseInt(hex, 16) : Number.NaN;
  if (Number.isNaN(code) || code > 0x10ffff) return `a string with a broken \\${body[start]} escape`;
  return { text: String.fromCodePoint(code), end };
}
