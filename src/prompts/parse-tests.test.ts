import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FunctionCase } from "../problems/problem.ts";
import { assertText } from "../problems/test-text.ts";
import { arbitraryValue } from "../values/arbitrary-value.test.support.ts";
import { literalText } from "../values/literal-text.ts";
import { parseTestStatement, parseTests } from "./parse-tests.ts";

const target = { style: "function", entryPoint: "f" } as const;

/** Cases as asserts, invalid tests as their reasons. */
function read(reply: string, entryPoint = "f"): { cases: string[]; reasons: string[] } {
  const { cases, invalid } = parseTests(reply, { style: "function", entryPoint });
  return {
    cases: cases.map((test) => assertText(test as FunctionCase, entryPoint).slice("assert ".length)),
    reasons: invalid.map(({ reason }) => reason),
  };
}

const fenced = (...lines: string[]) => `Here you are:\n\`\`\`python\n${lines.join("\n")}\n\`\`\`\n`;

describe("parseTests for functions", () => {
  it.each([
    ["assert f(1) == 2", "f(1) == 2"],
    ["assert f() == 2", "f() == 2"],
    ["assert 2 == f(1)", "f(1) == 2"],
    ["assert (f(1)) == (2)", "f(1) == 2"],
    ["assert (f(1) == 2)", "f(1) == 2"],
    ["assert f(1) == 2, 'one'", "f(1) == 2"],
    ["assert f([1, {'a': (2,)}], key=-1.5) == {3}", "f([1, {'a': (2,)}], key=-1.5) == {3}"],
    ["assert f(1) is True", "f(1) == True"],
    ["assert f(1) is False", "f(1) == False"],
    ["assert None is f(1)", "f(1) == None"],
    ["assert f(1)", "f(1) == True"],
    ["assert not f(1)", "f(1) == False"],
    ["assert (not (f(1)))", "f(1) == False"],
    ["assert f(float('inf')) == -math.inf", "f(float('inf')) == float('-inf')"],
    ["assert f(\n    [1,\n     2],  # two\n) == 3", "f([1, 2]) == 3"],
    ["assert f('assert f(2) == 3') == '# no'", "f('assert f(2) == 3') == '# no'"],
    ["assert f(__proto__=1) == 2", "f(__proto__=1) == 2"],
    ["x = 1\nassert f(x) == x", "f(1) == 1"],
    ["x: list[int] = [1]\nassert f([x, x]) == 2", "f([[1], [1]]) == 2"],
    ["a = b = 1\nassert f(a, b) == 2", "f(1, 1) == 2"],
    ["a, b = 1, 'x'\nassert f(a, b) == 2", "f(1, 'x') == 2"],
    ["result = f(1)\nassert result == 2", "f(1) == 2"],
    ["result = f(1)\nprint(result)\nexpected = [2]\nassert expected == result, f'{result}'", "f(1) == [2]"],
    ["result = f(1)\nassert result", "f(1) == True"],
    ["result = f(1)\nassert not result", "f(1) == False"],
    ["result = f(1)\nassert result is None", "f(1) == None"],
    ["def test_f():\n    x = 1\n    assert f(x) == 2", "f(1) == 2"],
    ["X = 1\ndef test_f():\n    assert f(X) == 2", "f(1) == 2"],
    ["def test_f():\n    assert f(X) == 2\nX = 1", "f(1) == 2"],
    ["async def test_f():\n    assert f(1) == 2", "f(1) == 2"],
    ["@pytest.mark.slow\ndef test_f():\n    assert f(1) == 2", "f(1) == 2"],
    ["if __name__ == '__main__':\n    assert f(1) == 2", "f(1) == 2"],
    ["class T(TestCase):\n    def test_f(self):\n        self.assertEqual(f(1), 2, 'm')", "f(1) == 2"],
    ["class T:\n    def test_f(self):\n        self.assertListEqual([2], f(1))", "f(1) == [2]"],
    ["def test_f(self): self.assertTrue(f(1))", "f(1) == True"],
    ["def test_f(self): self.assertTrue(f(1) == 3)", "f(1) == 3"],
    ["def test_f(self): self.assertFalse(f(1))", "f(1) == False"],
    ["def test_f(self): self.assertIsNone(f(1))", "f(1) == None"],
    ["def test_f(self): self.assertIs(f(1), False)", "f(1) == False"],
    ["x = 1; assert f(x) == 2", "f(1) == 2"],
  ])("reads %j", (code, test) => {
    expect(read(fenced(code))).toEqual({ cases: [test], reasons: [] });
  });

  it.each([
    ["assert f(1) != 2", "uses `!=`: only equality is a test"],
    ["assert f(1) < 2", "uses `<`: only equality is a test"],
    ["assert f(1) in [2]", "uses `in`: only equality is a test"],
    ["assert f(1) is not None", "uses `is not`: only equality is a test"],
    ["assert f(1) is 5", "uses `is` with something other than True, False or None"],
    ["assert abs(f(1) - 2) < 1e-6", "uses `<`: only equality is a test"],
    ["assert math.isclose(f(1), 2)", "calls `math.isclose`, not `f`"],
    ["assert g(1) == 2", "neither side is a call of `f`"],
    ["assert len(f(1)) == 2", "neither side is a call of `f`"],
    ["assert f(1)[0] == 2", "neither side is a call of `f`"],
    ["assert f(1) == f(1)", "compares two calls with each other"],
    ["r = f(1)\nassert r == r", "compares two calls with each other"],
    ["assert f(1) == 2 == 2", "neither side is a call of `f`"],
    ["assert f(1) == 2 and f(2) == 3", "uses `and`: only equality is a test"],
    ["assert not f(1) == 2", "negates something other than a call of `f`"],
    ["assert (f(1) == 2, 'm')", "asserts a tuple, which is always true"],
    ["assert True", "does not compare a call of `f` with a literal"],
    ["assert f(1) == 1 + 1", "in the expected value: `1 + 1` is not a literal"],
    ["assert f(1) == _r", "in the expected value: `_r` has no known literal value"],
    ["assert f(g(1)) == 2", "in the arguments: `g(1)` is not a literal"],
    ["assert f(f(1)) == 2", "in the arguments: `f(1)` is not a literal"],
    ["assert f(x) == 2", "in the arguments: `x` has no known literal value"],
    ["assert f(*[1]) == 2", "the argument `*[1]` is not a literal"],
    ["assert f(**{}) == 2", "the argument `**{}` is not a literal"],
    ["assert f(i for i in [1]) == 2", "the argument `i for i in [1]` is not a literal"],
    ["assert f(x := 1) == 2", "the argument `x := 1` is not a literal"],
    ["assert f(a=1, 2) == 2", "a positional argument follows a keyword argument"],
    ["assert f(a=1, a=2) == 2", "the argument `a` is given twice"],
    ["assert f({[1]}) == 2", "in the arguments: a list as a member of a set"],
    ["assert f(1) = 2", "is not valid Python"],
    ["assert", "is not valid Python"],
    ["assert f('a) == 2", "is not valid Python"],
    ["f(1) == 2", "is not an assert"],
    ["for i in [1, 2]:\n    assert f(1) == 2", "stands inside a `for` statement"],
    ["if x:\n    assert f(1) == 2", "stands inside a `if` statement"],
    ["def test():\n    def inner():\n        assert f(1) == 2", "stands inside a `def` statement"],
    ["with pytest.raises(ValueError):\n    f(-1)", "expects an exception: only an answer is a test"],
    ["def test_f(x):\n    assert f(x) == 2", "in the arguments: `x` has no known literal value"],
    ["x = 1\ndef test_f(x):\n    assert f(x) == 2", "in the arguments: `x` has no known literal value"],
    ["x = 1\ndef test_f():\n    assert f(x) == 2\nx = 2", "in the arguments: `x` has no known literal value"],
    ["x = [1]\nx.append(2)\nassert f(x) == 2", "in the arguments: `x` has no known literal value"],
    ["x = [1]\ny = x\ny.append(2)\nassert f(x) == 2", "in the arguments: `x` has no known literal value"],
    ["x = [1]\nx[0] = 2\nassert f(x) == 2", "in the arguments: `x` has no known literal value"],
    ["x = [1]\ny = x.pop()\nassert f(x) == 2", "in the arguments: `x` has no known literal value"],
    ["x = 1\nx += 1\nassert f(x) == 2", "in the arguments: `x` has no known literal value"],
    ["x = 1\ndel x\nassert f(x) == 2", "in the arguments: `x` has no known literal value"],
    ["x = 1\nfor x in y: pass\nassert f(x) == 2", "in the arguments: `x` has no known literal value"],
    ["r = f([2, 1])\nr.sort()\nassert r == [1, 2]", "neither side is a call of `f`"],
    [
      "def test(self): self.assertAlmostEqual(f(1), 2)",
      "`self.assertAlmostEqual` with these arguments is not a test of equality",
    ],
    [
      "def test(self): self.assertFalse(f(1) == 2)",
      "`self.assertFalse` with these arguments is not a test of equality",
    ],
  ])("refuses %j", (code, reason) => {
    expect(read(fenced(code))).toEqual({ cases: [], reasons: [reason] });
  });

  it.each([
    ["", "nothing"],
    ["Sorry, I cannot.", "prose"],
    [fenced("import f", "print(f(1))", "test_f()", "unittest.main()"), "no assert"],
    [fenced("def f(x):", "    assert x > 0", "    return x"), "asserts of the solution itself"],
    [fenced("def helper(x):", "    assert x > 0"), "asserts of a helper"],
    [fenced('"""assert f(1) == 2"""'), "an assert in a docstring"],
    [fenced("# assert f(1) == 2"), "an assert in a comment"],
    ["<think>assert f(1) == 2</think>", "only reasoning"],
  ])("finds no test in %j (%s)", (reply) => {
    expect(parseTests(reply, target)).toEqual({ cases: [], invalid: [] });
  });

  it("reads bare lines where there is no fence, or none with tests", () => {
    const bare =
      "The tests:\n\nassert f(1) == 2\nassert f((1,\n 2)) == 3\nThat's all (for now.\nassert f(4 == 5\nassert f(6) == 7";
    const expected = {
      cases: ["f(1) == 2", "f((1, 2)) == 3", "f(6) == 7"],
      reasons: ["is not valid Python"],
    };
    expect(read(bare)).toEqual(expected);
    expect(read(`${fenced("def f(x): pass")}${bare}`)).toEqual(expected);
  });

  it("reads all blocks, names carrying over, and prefers Python ones", () => {
    const reply = `${fenced("x = 1")}Then\n${fenced("assert f(x) == 2")}\n\`\`\`text\nassert f(0) == 0\n\`\`\``;
    expect(read(reply)).toEqual({ cases: ["f(1) == 2"], reasons: [] });
    expect(read("```text\nassert f(0) == 0\n```").cases).toEqual(["f(0) == 0"]);
    // The prompt had opened the fence.
    expect(read("assert f(0) == 0\n```\nThese tests are good.").cases).toEqual(["f(0) == 0"]);
  });

  it("keeps the order of the text and the duplicates", () => {
    const reply = fenced(
      "def test_a():",
      "    assert f(1) == 1",
      "assert f(2) == 2",
      "def test_b():",
      "    assert f(1) == 1",
    );
    expect(read(reply).cases).toEqual(["f(1) == 1", "f(2) == 2", "f(1) == 1"]);
  });

  it("knows methods of the solution's class", () => {
    const code = fenced(
      "assert Solution().add(1) == 2",
      "s = Solution()",
      "assert s.add(3) == 4",
      "assert add(5) == 6",
      "assert Other().add(7) == 8",
    );
    expect(read(code, "Solution().add")).toEqual({
      cases: ["Solution().add(1) == 2", "Solution().add(3) == 4"],
      reasons: Array(2).fill("neither side is a call of `Solution().add`"),
    });
  });
});

const call = fc.record({
  args: fc.array(arbitraryValue, { maxLength: 3 }),
  keywords: fc.dictionary(fc.constantFrom("a", "key", "_x1"), arbitraryValue, {
    maxKeys: 2,
    noNullPrototype: true,
  }),
});
const functionCase = fc.record({ style: fc.constant("function" as const), call, expected: arbitraryValue });

/** Different ways to write the same test. */
const templates: readonly ((test: string, expected: string) => string)[] = [
  (test, expected) => fenced(`assert ${test} == ${expected}`),
  (test, expected) => `assert ${expected} == ${test}, "message"`,
  (test, expected) => fenced(`result = ${test}`, `expected = ${expected}`, "assert result == expected"),
  (test, expected) => fenced("def test_it():", `    wanted = ${expected}`, `    assert ${test} == wanted`),
  (test, expected) =>
    fenced("class T:", "  def test_it(self):", `    self.assertEqual(${test}, ${expected})`),
  // Something broken beside it.
  (test, expected) => fenced("assert f(1 == 2", `assert ${test} == ${expected}`),
  (test, expected) => fenced(`assert ${test} == ${expected}`, 'broken = """never closed', "x ="),
];

describe("properties of parseTests", () => {
  it("reads back every case in every form", () => {
    fc.assert(
      fc.property(functionCase, fc.constantFrom(...templates), (test, template) => {
        const [callText, expected] = [assertText(test, "f"), literalText(test.expected)];
        const text = callText.slice("assert ".length, -` == ${expected}`.length);
        expect(parseTests(template(text, expected), target).cases).toEqual([test]);
      }),
      { seed: 51, numRuns: 1_000 },
    );
  });

  it("does not lose good asserts to a broken line between them", () => {
    const broken = fc.constantFrom(
      "assert f([1, 2 == 3",
      "assert f('x == 1",
      "assert",
      "x = (",
      'y = """',
      "}",
      "  indented = 1",
      "def broken(",
      "if",
      "assert f(1)) == 2",
      "z = '''it's",
      "$ % ?",
      "else:",
      "\\",
      "assert f(\\",
    );
    const numbers = fc.array(fc.nat(99), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(numbers, broken, fc.nat(6), (values, line, place) => {
        const good = values.map((value) => `assert f(${value}) == ${value}`);
        const reply = good.toSpliced(Math.min(place, good.length), 0, line).join("\n");
        expect(read(reply).cases).toEqual(values.map((value) => `f(${value}) == ${value}`));
      }),
      { seed: 52, numRuns: 1_000 },
    );
  });

  it("never throws", () => {
    const piece = fc.constantFrom(
      "assert ",
      "f(",
      "1",
      ")",
      " == ",
      "\n",
      "    ",
      "def test():",
      "x = ",
      "x",
      "[",
      "]",
      "'",
      '"""',
      "```python\n",
      "```\n",
      "for i in x:",
      "self.assertEqual(",
      ", ",
      "not ",
      " is ",
      "None",
      "#",
      "\\",
      ";",
      "<think>",
      "lambda",
      "{",
      "}",
      "class T:",
      "1.",
      "if __name__ == '__main__':",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        parseTests(pieces.join(""), target);
      }),
      { seed: 53, numRuns: 3_000 },
    );
  });
});

describe("hostile replies", () => {
  it("refuses a reply that is too long as a whole", () => {
    const { cases, invalid } = parseTests("assert f(1) == 2\n".repeat(600_000), target);
    expect(cases).toEqual([]);
    expect(invalid).toEqual([
      { text: expect.any(String), reason: expect.stringContaining("10200000 characters") },
    ]);
  });

  it.each(["assert f(1) == 2\n", "assert f((1 == 2\n", "for i in x: assert f(1)\n"])(
    "stops reading after a thousand tests: %j",
    (line) => {
      const { cases, invalid } = parseTests(line.repeat(8_000), target);
      expect(cases.length + invalid.length).toBe(1_001);
      expect(invalid.at(-1)!.reason).toBe("more than 1000 tests: the rest was not read");
    },
  );

  it("does not blow up names that multiply", () => {
    const bomb = fenced(
      "a = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]",
      ...Array.from(
        { length: 30 },
        (_, index) =>
          `a${index} = [${Array(10)
            .fill(index === 0 ? "a" : `a${index - 1}`)
            .join(", ")}]`,
      ),
      "assert f(a3) == 1",
      "assert f(a29) == 1",
    );
    const { cases, reasons } = read(bomb);
    expect(cases.length + reasons.length).toBe(2);
    expect(reasons).toContain("in the arguments: `a29` has no known literal value");
    const deep = fenced("a = [1]", ...Array(150).fill("a = [a]"), "assert f(a) == 1");
    expect(read(deep).reasons).toEqual(["in the arguments: `a` has no known literal value"]);
  });

  it.each<[string, string]>([
    ["brackets", `assert f(${"(".repeat(150_000)}`],
    ["minus signs", `assert f(${"-".repeat(150_000)}1) == 1`],
    ["backticks", "`".repeat(200_000)],
    ["fences", "```python\n".repeat(20_000)],
    ["triple quotes", "\\'''\n".repeat(40_000)],
    ["reasoning tags", "<think></think>".repeat(13_000)],
    ["null characters", "\0".repeat(200_000)],
    ["backslashes", "\\\n".repeat(100_000)],
    ["braces after a fence", `\`\`\`python ${"}".repeat(190_000)}x`],
  ])("gets through many %s", (_, reply) => {
    expect(parseTests(reply, target).cases).toEqual([]);
  });
});

describe("parseTestStatement", () => {
  it("reads one gold test", () => {
    expect(parseTestStatement("assert add(1, 2) == 3", "add")).toMatchObject({ ok: true });
    expect(parseTestStatement("xs = [1]\nassert add(xs, xs) == [1, 1]", "add")).toMatchObject({ ok: true });
  });

  it.each([
    ["add(1, 2) == 3", "is not an assert"],
    ["assert sub(1, 2) == 3", "neither side is a call of `add`"],
    ["assert add(1) == 1\nassert add(2) == 2", "holds more than one test"],
    ["x = 1", "holds no assert of a call of `add`"],
    ["", "holds no assert of a call of `add`"],
    ["assert add(1", "is not valid Python"],
  ])("says why %j is none", (text, reason) => {
    expect(parseTestStatement(text, "add")).toEqual({ ok: false, reason });
  });
});
