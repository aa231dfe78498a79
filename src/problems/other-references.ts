/**
 * Further programs that solve a problem. Sets with many accepted solutions (APPS) have them; where two that were
 * written independently disagree on an input, the input is none that the problem allows.
 */
import { parsePython } from "../prompts/python-syntax.ts";
import type { Problem } from "./problem.ts";

const field = "otherReferences";

/** More are no safer, and some problems have hundreds. */
const mostOthers = 4;

export function otherReferences({ metadata }: Pick<Problem, "metadata">): readonly string[] {
  const others = metadata[field];
  return Array.isArray(others) ? others.filter((program) => typeof program === "string") : [];
}

/** The first program that is Python (of today) is the reference; a few of the others are kept beside it. */
export function referencesOf(
  programs: readonly string[],
): { reference: string; metadata: Record<string, unknown> } | undefined {
  const usable: string[] = [];
  for (const program of new Set(programs)) {
    if (usable.length > mostOthers) break;
    if (program.trim() !== "" && isPythonOfToday(program)) usable.push(program);
  }
  const [reference, ...others] = usable;
  if (reference === undefined) return undefined;
  return { reference, metadata: others.length > 0 ? { [field]: others } : {} };
}

/** The parser still knows the `print` of Python 2, in which many old solutions are written. */
function isPythonOfToday(program: string): boolean {
  const parsed = parsePython(program);
  if (!parsed.ok) return false;
  let isOld = false;
  parsed.root.cursor().iterate(({ name }) => {
    if (name === "PrintStatement") isOld = true;
    return !isOld;
  });
  return !isOld;
}

/** The same problem with another of its programs as the reference. */
export function withReference(problem: Problem, reference: string): Problem {
  const others = [problem.reference, ...otherReferences(problem)].filter((program) => program !== reference);
  return { ...problem, reference, metadata: { ...problem.metadata, [field]: others } };
}
