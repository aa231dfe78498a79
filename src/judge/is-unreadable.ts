/** Whether a program's outcomes say that it is no Python at all: it cannot be read, whatever it is asked. */
import type { Outcome } from "./outcome.ts";

/** What Python, or the sandbox before it, says of a source that is no program. */
const unreadable: ReadonlySet<string> = new Set([
  "SyntaxError",
  "IndentationError",
  "TabError",
  "SourceTooLarge",
]);

/** Without an outcome nothing speaks against it. */
export function isUnreadable(outcomes: readonly Outcome[]): boolean {
  const saysSo = (outcome: Outcome) =>
    (outcome.kind === "did-not-load" || outcome.kind === "raised") && unreadable.has(outcome.error.type);
  return outcomes.length > 0 && outcomes.every(saysSo);
}
