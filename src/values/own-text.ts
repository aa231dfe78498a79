/**
 * A text that holds on to nothing but itself. JavaScript engines keep the whole original alive for a slice of it, so
 * that the first two hundred characters of a flood, kept in a verdict, would keep the flood.
 */
export function ownText(text: string, most = Number.POSITIVE_INFINITY): string {
  const part = text.length > most ? text.slice(0, most) : text;
  // Two bytes per unit carries lone surrogates through unchanged.
  return Buffer.from(part, "utf16le").toString("utf16le");
}
