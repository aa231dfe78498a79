/**
 * Whether a question lets a program choose among answers ("print any of them"). The gold tests know one answer each,
 * so another right one would count as wrong, and a program that gives it as a wrong program. Told by its words: there
 * is no judge program that could be asked.
 */
const freedoms: readonly RegExp[] = [
  /(?<!\b(?:not|never|without|cannot)\s+|n't\s+)\b(?:print|output|return)\s+any\b(?!\s*(?:more|where|thing|message|error|number\s+of|extra|spaces?|other))/i,
  /\bany\s+(?:one\s+)?of\s+(?:them|these|those|the\s+(?:answers|solutions|possible))/i,
  /\bany\s+(?:valid|correct|suitable|possible|acceptable|optimal|such|appropriate)\s+(?:answer|solution|one|order|sequence|permutation|string|array|arrangement)/i,
  /\b(?:multiple|several|many|more\s+than\s+one)\s+(?:possible\s+|valid\s+|correct\s+|optimal\s+|such\s+)?(?:answers?|solutions?)\b/i,
  /\bin\s+any\s+order\b/i,
  /\border\s+(?:of\s+[\w\s]{0,40})?(?:does\s+not|doesn't)\s+matter\b/i,
  /\bany\s+(?:answer|solution|order)\s+(?:is|will\s+be)\s+(?:accepted|fine|ok|acceptable|correct)/i,
];

/** The words that give the freedom; undefined where there are none. */
export function freedomIn(question: string): string | undefined {
  for (const freedom of freedoms) {
    const found = freedom.exec(question);
    if (found) return found[0].replace(/\s+/g, " ");
  }
  return undefined;
}
