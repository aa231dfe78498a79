/**
 * Are the cases that we read out of test code those that Python would run? Random code with assignments, aliases,
 * changes in place, loops and functions runs in a real Python with a recording entry point; whatever we accept must
 * have been asked there, with the same arguments and the same expected value.
 */
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../package-root.ts";
import type { FunctionCase } from "../problems/problem.ts";
import { askPython, hasPython } from "../values/run-python.test.support.ts";
import { encodeWire } from "../values/wire.ts";
import { parseTestSource } from "./parse-tests.ts";

const pick = (...texts: string[]) => fc.constantFrom(...texts);
const name = pick("a", "b", "c");
const value = fc.oneof(pick("1", "[1, 2]", "[]", "{'k': [3]}", "(1, [2])", "'x'", "-1.5"), name);
const expression = fc.oneof(
  { weight: 4, arbitrary: value },
  fc.tuple(value, value).map(([left, right]) => `[${left}, ${right}]`),
  fc
    .tuple(
      name,
      pick("sorted(?)", "? + [1]", "?.copy()", "?.pop()", "len(?)", "helper(?)", "(a := ?)", "[?.append(1)]"),
    )
    .map(([text, form]) => form.replace("?", text)),
);

/** `#` becomes a number of its own, by which a test is found again. */
const statement = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(name, expression).map(([target, text]) => `${target} = ${text}`) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(value, value)
      .map(([left, right]) => `assert f(#, ${left}, k=[${right}]) == ${right}`),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(value, value).map(([left, right]) => `r = f(#, ${left})\nassert ${right} == r`),
  },
  fc.tuple(name, name, value).map(([left, right, text]) => `${left} = ${right} = ${text}`),
  fc.tuple(name, name, value, value).map(([left, right, one, two]) => `${left}, ${right} = ${one}, ${two}`),
  fc
    .tuple(
      name,
      pick(
        "?.append(4)",
        "?[0] = 5",
        "? += [6]",
        "del ?",
        "?.clear()",
        "helper(?)",
        "print(?)",
        "reset()",
        "exec('a = [8]')",
        "global_a()",
      ),
    )
    .map(([text, form]) => form.replace("?", text)),
  fc.tuple(name, name).map(([target, other]) => `for ${target} in [1, 2]: ${other} = ${target}`),
  fc.tuple(name, name).map(([condition, target]) => `if ${condition}: ${target} = [7]`),
  fc.tuple(name, name).map(([left, right]) => `try: ${left} = ${right}[0]\nexcept Exception: pass`),
);

const block = fc.array(statement, { minLength: 1, maxLength: 7 });
const program = fc.tuple(block, block, block).map(([first, inside, last]) => {
  const body = inside.flatMap((text) => text.split("\n")).map((line) => `    ${line}`);
  let number = 0;
  return [...first, "def test_it():", ...body, ...last].join("\n").replace(/#/g, () => String(++number));
});

const recorder = `
import copy, io, contextlib, json, sys
sys.path.insert(0, ${JSON.stringify(path.join(packageRoot, "python/sandbox"))})
import wire

def encode(value):
    return wire.Encoder(10**6).encode(value)

def run(source):
    asked = []
    class Answer:
        def __init__(self, args, keywords):
            self.call = [[encode(a) for a in args], {n: encode(v) for n, v in keywords.items()}]
        def __eq__(self, other):
            asked.append(self.call + [encode(other)])
            return True
    def helper(x):
        if type(x) is list: x.append(9)
        return x
    def reset():
        for n in "abc":
            if type(names.get(n)) is list: names[n].append(0)
    def global_a():
        names["a"] = "changed"
    names = {"f": lambda *args, **keywords: Answer(args, keywords), "helper": helper, "reset": reset, "global_a": global_a}
    def attempt(code):
        try:
            exec(code, names)
        except Exception:
            pass
    with contextlib.redirect_stdout(io.StringIO()):
        # Statement by statement, as if every error were caught: the more is asked, the more is compared.
        import ast
        for node in ast.parse(source).body:
            attempt(compile(ast.Module([node], []), "s", "exec"))
        attempt("test_it()")
    return asked

print(json.dumps([run(source) for source in json.load(sys.stdin)]))`;

describe.skipIf(!hasPython)("TestCollector against Python", () => {
  it("reads only calls that Python makes, with the values that Python has", () => {
    const sources = fc.sample(program, { numRuns: 4_000, seed: 91 });
    const asked = askPython(recorder, sources) as [unknown[], Record<string, unknown>, unknown][][];
    let compared = 0;
    for (const [index, source] of sources.entries()) {
      for (const test of parseTestSource(source, "f").cases as FunctionCase[]) {
        const [args, keywords, expected] = [
          test.call.args.map(encodeWire),
          test.call.keywords,
          test.expected,
        ];
        const python = asked[index]!.filter(([[number]]) => number === args[0]);
        // Not asked: an error before it, in code that would have failed as a whole.
        if (python.length === 0) continue;
        const ours = [
          args,
          Object.fromEntries(Object.entries(keywords).map(([key, item]) => [key, encodeWire(item)])),
          encodeWire(expected),
        ];
        if (python.length > 1) expect(python).toContainEqual(ours);
        else expect({ source, call: ours }).toEqual({ source, call: python[0] });
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(2_000);
  });
});
