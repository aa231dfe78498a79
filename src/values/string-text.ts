/**
 * Text and bytes as Python literals. Quotes are chosen as `repr` chooses them. Everything that a person would not
 * see or a terminal would act on is escaped: control characters, lone surrogates, line and paragraph separators,
 * bidirectional and zero-width marks.
 */

// Control, format (Cf), surrogate, private-use and unassigned characters, and every space but the ordinary one.
const unseen = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const toEscape = new RegExp(`[\\\\'"]|${unseen.source}`, "gu");

const shortEscapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

export function stringText(text: string): string {
  const quote = quoteFor((quote) => text.includes(quote));
  const body = text.replace(toEscape, (character) => {
    if (character === "'" || character === '"') return character === quote ? `\\${character}` : character;
    return shortEscapes[character] ?? escapeCodePoint(character.codePointAt(0)!);
  });
  return `${quote}${body}${quote}`;
}

/** `hex` holds two lower-case hexadecimal digits per byte. */
export function bytesText(hex: string): string {
  const bytes = Buffer.from(hex, "hex");
  const quote = quoteFor((quote) => bytes.includes(quote));
  let body = "";
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    if (character === quote) body += `\\${character}`;
    else if (byte >= 0x20 && byte < 0x7f && byte !== 0x5c) body += character;
    else body += shortEscapes[character] ?? escapeCodePoint(byte);
  }
  return `b${quote}${body}${quote}`;
}

function quoteFor(contains: (quote: string) => boolean): "'" | '"' {
  return contains("'") && !contains('"') ? '"' : "'";
}

function escapeCodePoint(codePoint: number): string {
  const hex = codePoint.toString(16);
  if (codePoint <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return codePoint <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
