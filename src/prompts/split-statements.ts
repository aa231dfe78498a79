/**
 * Cuts a text that does not parse as a whole into single statements, so that one broken line does not lose the
 * others. A statement ends at the first line end outside brackets and strings; an open bracket does not reach across
 * a line that starts with a keyword which cannot stand inside brackets.
 */
import { bracketStep, PythonScanner } from "./scan-python.ts";

const statementStart = /[ \t]*(?:assert|self\.assert\w*|def|class|import|from|return|try|with|while)\b/y;

export function splitStatements(text: string): string[] {
  const source = text.replace(/\r\n?/g, "\n");
  const scanner = new PythonScanner(source);
  const statements: string[] = [];
  let start = 0;
  while (start < source.length) {
    const end = statementEnd(source, start, scanner);
    const statement = source.slice(start, end).trim();
    if (statement !== "" && !statement.startsWith("#")) statements.push(statement);
    start = end;
  }
  return statements;
}

/** Just past the line end that closes the statement which starts at `start`. */
function statementEnd(source: string, start: number, scanner: PythonScanner): number {
  let depth = 0;
  let position = start;
  while (position < source.length) {
    const end = scanner.skip(position);
    const isLineEnd = source[position] === "\n";
    // A backslash joins lines, and is skipped together with the line end.
    if (isLineEnd || source.startsWith("\\\n", position)) {
      statementStart.lastIndex = end;
      if ((isLineEnd && depth === 0) || statementStart.test(source)) return end;
    }
    depth = Math.max(0, depth + bracketStep(source.charCodeAt(position)));
    position = end;
  }
  return source.length;
}
