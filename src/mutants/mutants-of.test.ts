import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arenaProblems } from "../problems/arena/arena.ts";
import { askPython, hasPython } from "../values/run-python.test.support.ts";
import { mutantOperators } from "./mutant.ts";
import { mutantsOf } from "./mutants-of.ts";

/** Programs that between them give every operator something to do. */
const programs = [
  `import math
from typing import List

@cache(maxsize=1)
def longest(rows: List[int] = [1, 2], limit: int = 3, name="total", *, quick=True) -> List[int]:
    """Returns 1 or 2."""
    best, left = 0, 0
    count: int = -1
    for i in range(len(rows)):
        if rows[i] < limit and not quick or i % 2 == 0:
            best += rows[i - 1] * 2
            left = max(best, left)
            continue
        elif name.strip().lower() in "aeiou" and rows[i:] != rows[:-1]:
            count -= abs(-best) // 7
            break
        best = best | left ^ 3 << 1
        left = min(left, i)
    return sorted(rows, key=lambda x: -x, reverse=True)[best:left + 1:2] if quick is not None else rows[:]
`,
  `import sys

class Stack(list):
    """A stack."""
    size: int = 0

    def push(self, item, *, times=1):
        self.items[times] = item
        self.size += 1
        return len(self.items) > 3 or self.isempty()

    def drop(self):
        if(self.size):
            return(self.items.pop())
        raise IndexError("empty")


def main():
    total = 0
    words = {word: len(word) for word in sys.stdin.read().split(",") if word}
    def add(by):
        nonlocal total
        total += by
    for word, length in words.items():
        add(length)
        total = total + 1
    while True:
        if total > 10: break
        total *= 2 ; total %= 7
    print("YES" if any(x for x in words if x) else f"no {total+1} {'a'!r:>{total}}", total, sep="")
    return total


if __name__ == "__main__":
    main()
`,
  `def g(n, m=None):
    global seen
    seen = [[0] * n for _ in range(1, n, 2)]
    if (k := n & 1) and n:
        return k <= 0.5
    try:
        x = seen[n][m]
    except (KeyError, IndexError):
        x = float("inf")
    finally:
        del seen[0]
    for a in seen:
        x = a
        x = x ** 2 / 3
    else:
        x = 4
    match x:
        case 1 | 2:
            return all(seen)
        case [a, *_] if a > 1:
            return not a
    return True, x
`,
];

const compiles = `
import ast, json, sys
answers = []
for source in json.load(sys.stdin):
    try:
        compile(source, "program", "exec")
        answers.append(None)
    except Exception as error:
        answers.append(type(error).__name__ + ": " + str(error))
json.dump(answers, sys.stdout)
`;

/** What no mutant may change: imports, docstrings, annotations, decorators, as Python itself sees them. */
const frozenParts = `
import ast, json, sys
def frozen(source):
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Import, ast.ImportFrom)): found.append(ast.dump(node))
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)): found.append(ast.get_docstring(node))
        if isinstance(node, ast.FunctionDef): found += [ast.dump(part) for part in node.decorator_list]
        for name in ("annotation", "returns"):
            if getattr(node, name, None) is not None: found.append(ast.dump(getattr(node, name)))
    return found
original, *mutants = json.load(sys.stdin)
wanted = sorted(map(str, frozen(original)))
json.dump([sorted(map(str, frozen(mutant))) == wanted for mutant in mutants], sys.stdout)
`;

describe("mutants", () => {
  it("use every operator", () => {
    const used = new Set(programs.flatMap((program) => mutantsOf(program)).map(({ operator }) => operator));
    expect(mutantOperators.filter((operator) => !used.has(operator))).toEqual([]);
  });

  it.each([
    ["if a < b: pass", "comparison-boundary", ["if a <= b: pass"]],
    ["if a < b: pass", "comparison-direction", ["if a > b: pass"]],
    ["x = a not in b", "comparison-negation", ["x = a in b"]],
    ["x = a - 1", "dropped-constant", ["x = a"]],
    ["x = a - b * c", "swapped-operands", ["x = (b * c) - a"]],
    ["x = 'a' + b", "arithmetic", []],
    ["x = a[1:]", "slice-bound", ["x = a[:]"]],
    [
      "x = a[i:j]",
      "slice-bound",
      ["x = a[:j]", "x = a[i + 1:j]", "x = a[i - 1:j]", "x = a[i:]", "x = a[i:j + 1]", "x = a[i:j - 1]"],
    ],
    ["x = a[:]", "slice-bound", ["x = a"]],
    ["x = range(n)", "range-bound", ["x = range(n + 1)", "x = range(n - 1)", "x = range(1, n)"]],
    ["x = range(3)", "number-constant", ["x = range(4)", "x = range(2)"]],
    ["x = a[::1]", "number-constant", ["x = a[::2]"]],
    ["x = a[::-1]", "number-constant", ["x = a[::-2]"]],
    ["x = a // 1", "number-constant", ["x = a // 2"]],
    ["x = 0.5", "number-constant", ["x = 1.5"]],
    ["x = 0x1f + 1_0 + 2j + 1e5", "number-constant", []],
    ["f(a.sort(), b)", "swapped-arguments", ["f(b, a.sort())"]],
    ["f(*a, b, c=1)", "swapped-arguments", []],
    ["x.sort()", "sort-order", ["x.sort(reverse=True)"]],
    ["x.sort(reverse=True)", "sort-order", ["x.sort()"]],
    ["x = sorted(a for a in b)", "sort-order", []],
    ["x = sorted(a, key=f)", "sort-order", ["x = sorted(a)", "x = sorted(a, key=f, reverse=True)"]],
    ["x = 'yes'", "string-constant", ["x = ''", "x = 'YES'"]],
    ["x = a.split(', ')", "string-constant", []],
    ["x = ord('a')", "string-constant", ["x = ord('b')"]],
    ["x = '%d' % a", "string-constant", ["x = '' % a"]],
    ["x = float('inf')", "string-constant", ["x = float('-inf')"]],
    ["'docstring'", "string-constant", []],
    ["while True:\n    pass", "boolean-constant", []],
    ["def f():\n    return(x)", "changed-return", ["def f():\n    return None"]],
    [
      "def f():\n    return any(x)",
      "changed-return",
      ["def f():\n    return None", "def f():\n    return not (any(x))"],
    ],
    ["if not(x): pass", "negated-condition", ["if (x): pass"]],
    ["x = [a for a in b if a]", "dropped-condition", ["x = [a for a in b]"]],
    ["x = 1 if(a)else 2", "negated-condition", ["x = 1 if not ((a))else 2"]],
    ["x = a if b else c", "dropped-condition", ["x = a", "x = c"]],
    ["if __name__ == '__main__':\n    x()", "dropped-condition", []],
    ["x = a.copy()", "removed-call", ["x = a"]],
    ["x = abs(a - b)", "removed-call", ["x = (a - b)"]],
    ["x = a.pop()", "swapped-function", ["x = a.pop(0)"]],
    ["x = 1", "removed-statement", []],
    ["x = 1\nx = 2", "removed-statement", ["x = 1\npass"]],
    ["for a in b:\n  c()\n  d()\nelse:\n  e()", "moved-statement", []],
    ["for a in b:\n  c()\n  d()", "moved-statement", ["for a in b:\n  c()\nd()"]],
    [
      "def f():\n\tfor a in b:\n\t\tc()\n\t# x\n\treturn 1",
      "moved-statement",
      ["def f():\n\tfor a in b:\n\t\tc()\n\t# x\n\t\treturn 1"],
    ],
  ] as const)("of %j by %s", (source, operator, expected) => {
    expect(mutantsOf(source, { operators: [operator] }).map((mutant) => mutant.source)).toEqual(expected);
  });

  it("say where and what", () => {
    expect(mutantsOf("def f(a):\n    return a < 3\n", { operators: ["comparison-boundary"] })).toEqual([
      {
        source: "def f(a):\n    return a <= 3\n",
        operator: "comparison-boundary",
        line: 2,
        before: "    return a < 3",
        after: "    return a <= 3",
      },
    ]);
  });

  it("differ from the program and from each other, in the order of the source", () => {
    for (const program of programs) {
      const sources = mutantsOf(program).map(({ source }) => source);
      expect(new Set([program, ...sources]).size).toBe(sources.length + 1);
      expect(mutantsOf(program).map(({ source }) => source)).toEqual(sources);
      const lines = mutantsOf(program).map(({ line }) => line);
      expect(lines).toEqual(lines.toSorted((left, right) => left - right));
    }
  });

  it.skipIf(!hasPython)("are programs, says Python", () => {
    const references = arenaProblems({ split: "train", limit: 20 }).map(({ reference }) => reference);
    const scripts = arenaProblems({ split: "train", style: "stdio", limit: 20 }).map(
      ({ reference }) => reference,
    );
    const sources = [...programs, ...references, ...scripts].flatMap((program) => [
      program,
      ...mutantsOf(program).map(({ source }) => source),
    ]);
    const answers = askPython(compiles, sources) as (string | null)[];
    expect(sources.filter((_, index) => answers[index] !== null)).toEqual([]);
    expect(sources.length).toBeGreaterThan(500);
  });

  it.skipIf(!hasPython)("leave imports, docstrings, annotations and decorators alone", () => {
    for (const program of programs) {
      const mutants = mutantsOf(program);
      const same = askPython(frozenParts, [program, ...mutants.map(({ source }) => source)]) as boolean[];
      expect(mutants.filter((_, index) => !same[index])).toEqual([]);
    }
  });

  it("keep a name that an inner function declares nonlocal", () => {
    const source = "def f():\n    def g():\n        nonlocal n\n        n = 1\n    n = 0\n    return g\n";
    const removed = mutantsOf(source, { operators: ["removed-statement"] });
    expect(removed).toEqual([]);
    expect(
      mutantsOf("def f():\n    if (n := 1): pass\n    def g():\n        nonlocal n\n        n = 1").filter(
        (mutant) => !mutant.source.includes(":="),
      ),
    ).toEqual([]);
  });

  it("are none of a text that is no program", () => {
    for (const text of ["", "  ", "def f(", "Hello, world!", "\0", "x = 1 +\n", "(".repeat(1000)]) {
      expect(mutantsOf(text)).toEqual([]);
    }
  });

  it("never throws, and each differs and parses again whatever the text", () => {
    const piece = fc.constantFrom(
      ...["if x:", "\n", "    ", "a", " < ", " and ", "not ", "(", ")", "[", "]", ":", "1", "-", " + "],
      ...[
        "return ",
        "for i in ",
        "range(",
        "'s'",
        "f'{",
        "}'",
        "break",
        "=",
        "+=",
        ",",
        "lambda ",
        "else:",
        "\\",
        "#",
        ";",
      ],
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join("")),
        ),
        (text) => {
          const mutants = mutantsOf(text);
          expect(new Set([text.replace(/\r\n?/g, "\n"), ...mutants.map(({ source }) => source)]).size).toBe(
            mutants.length + 1,
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it("stay few where the program is long or deep", () => {
    const long = "x = a < 1 and b\n".repeat(2_000);
    const some = mutantsOf(long);
    expect(some.length).toBeGreaterThan(100);
    expect(some.length).toBeLessThanOrEqual(1_000);
    expect(new Set(some.map(({ operator }) => operator)).size).toBeGreaterThan(5);
    expect(Math.max(...some.map(({ line }) => line))).toBeGreaterThan(1_500);
    expect(mutantsOf(long, { most: 7 })).toHaveLength(7);
    for (const deep of [
      `x = ${"not ".repeat(10_000)}a`,
      `x = ${"a and ".repeat(8_000)}a`,
      `x = ${"-".repeat(40_000)}1`,
    ]) {
      expect(mutantsOf(deep, { most: 5 }).length).toBeLessThanOrEqual(5);
    }
    expect(mutantsOf("x = 1\n".repeat(10_000))).toEqual([]);
  });
});
