import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTests } from "./parse-tests.ts";

const target = { style: "stdio", entryPoint: undefined } as const;
const pair = (input: string, expected: string) => ({ style: "stdio", input, expected });

describe("parseTests for stdio problems", () => {
  it.each<[string, string]>([
    ["an object", '{"input": "3\\n1 2 3", "output": "6"}'],
    ["a list", '[{"input": "3\\n1 2 3\\n", "output": "6"}]'],
    ["a JSON block", 'Sure:\n```json\n[{"input": "3\\n1 2 3", "output": "6"}]\n```\nand\n```\n42\n```'],
    ["a block without tag", '```\n{"input": "3\\n1 2 3", "output": 6}\n```'],
    ["prose around it", 'The test is {"input": "3\\n1 2 3", "output": "6"}. It is good.'],
    ["line ends of Windows", '{"input": "3\\r\\n1 2 3", "output": "6"}'],
    ["lists of inputs and outputs", '{"inputs": ["3\\n1 2 3", "lost"], "outputs": ["6"]}'],
    ["more fields", '{"input": "3\\n1 2 3", "output": "6", "why": "sum"}'],
  ])("reads %s", (_, reply) => {
    expect(parseTests(reply, target)).toEqual({ cases: [pair("3\n1 2 3\n", "6")], invalid: [] });
  });

  it("reads one object per line and keeps the good ones", () => {
    const reply =
      'Tests:\n{"input": "1", "output": "2"}\n{"input": "3", "output": }\n{"input": "5", "output": "6"},\n';
    expect(parseTests(reply, target)).toEqual({
      cases: [pair("1\n", "2"), pair("5\n", "6")],
      invalid: [{ text: '{"input": "3", "output": }', reason: "is not valid JSON" }],
    });
  });

  it.each([
    ['{"input": "1"}', "`output` is not a text"],
    ['{"output": "1"}', "`input` is not a text"],
    ['{"input": [1], "output": "1"}', "`input` is not a text"],
    ['{"input": " \\n", "output": "1"}', "`input` is empty"],
    [`{"input": "${"é".repeat(40_000)}", "output": "1"}`, "`input` has more than 64 KiB"],
    ["[1]", "is not an object with `input` and `output`"],
    ['{"input": "1", "output": "2"', "is not valid JSON"],
    ["[".repeat(100_000), "is not valid JSON"],
  ])("says why a pair is invalid (%#)", (reply, reason) => {
    expect(parseTests(reply, target)).toEqual({ cases: [], invalid: [{ text: expect.any(String), reason }] });
  });

  it("finds nothing in prose, and stops after a thousand pairs", () => {
    expect(parseTests("No tests.", target)).toEqual({ cases: [], invalid: [] });
    const many = parseTests('{"input":"1","output":"2"}\n'.repeat(5_000), target);
    expect(many.cases).toHaveLength(1_000);
    expect(many.invalid).toHaveLength(1);
  });

  it("reads back every pair", () => {
    const text = fc.string({ minLength: 1 }).filter((value) => value.trim() !== "" && !value.includes("\r"));
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 4 }), (pairs) => {
        const reply = JSON.stringify(pairs.map(([input, output]) => ({ input, output })));
        const cases = pairs.map(([input, output]) =>
          pair(input.endsWith("\n") ? input : `${input}\n`, output),
        );
        expect(parseTests(`\`\`\`json\n${reply}\n\`\`\``, target)).toEqual({ cases, invalid: [] });
      }),
      { seed: 61 },
    );
  });
});
