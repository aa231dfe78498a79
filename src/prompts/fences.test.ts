import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { neutralizeControlTokens } from "./control-tokens.ts";
import { embed } from "./embed.ts";
import { findFences, outsideFences } from "./fences.ts";

const summary = (text: string) => findFences(text).map(({ tag, code, closed }) => ({ tag, code, closed }));

describe("findFences", () => {
  it.each([
    ["```python\nx\n```", "python", "x"],
    ["```py\nx\n```", "python", "x"],
    ["```Python3\nx\n```", "python", "x"],
    ["```PYTHON\nx\n```", "python", "x"],
    ["```{.python .numberLines}\nx\n```", "python", "x"],
    ["``` python \nx\n```", "python", "x"],
    ['```python title="a.py"\nx\n```', "python", "x"],
    ["```\nx\n```", "", "x"],
    ["```C++\nx\n```", "c++", "x"],
    ["~~~python\nx\n~~~", "python", "x"],
    ["````python\n```\nx\n````", "python", "```\nx"],
    ["~~~\n```\nx\n```\n~~~", "", "```\nx\n```"],
    ["  ```python\n  x\n    y\n z\n  ```", "python", "x\n  y\nz"],
    ["1. text\n   ```python\n   x\n   ```", "python", "x"],
    ["```python\r\nx\r\ny\r\n```\r\n", "python", "x\ny"],
    ["```python\nx\n`````", "python", "x"],
    ["Here it is: ```python\nx\n```", "python", "x"],
    ["```python def f(): pass\n```", "python", "def f(): pass"],
    ["```def f():\n  pass\n```", "", "def f():\n  pass"],
    ["```python print(1)```", "python", "print(1)"],
    ["```python\nreturn x```", "python", "return x"],
    ["```python\nreturn x```\nMore text.", "python", "return x"],
  ])("finds the block of %j", (text, tag, code) => {
    expect(summary(text)).toEqual([{ tag, code, closed: true }]);
  });

  it("finds several blocks, and the text around them", () => {
    const text = "a\n```python\nx\n```\nb\n```\ny\n```\nc";
    const blocks = findFences(text);
    expect(blocks.map((block) => block.code)).toEqual(["x", "y"]);
    expect(blocks.map((block) => text.slice(block.from, block.to))).toEqual([
      "```python\nx\n```\n",
      "```\ny\n```\n",
    ]);
    expect(outsideFences(text, blocks)).toBe("a\n\nb\n\nc");
  });

  it("lets a block without an end reach to the end", () => {
    expect(summary("```python\nx\ny")).toEqual([{ tag: "python", code: "x\ny", closed: false }]);
  });

  it("starts a new block where a Python fence opens inside one that was not closed", () => {
    expect(summary("```python\nx\n```python\ny\n```")).toEqual([
      { tag: "python", code: "x", closed: false },
      { tag: "python", code: "y", closed: true },
    ]);
  });

  it.each([
    "no fence",
    "``x``",
    "text with ```inline``` code",
    "```not a fence``` but prose",
    "a ```sql",
    "``",
  ])("finds none in %j", (text) => {
    expect(findFences(text)).toEqual([]);
  });
});

const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "`",
        "```",
        "````",
        "~~~",
        "\n",
        "```python\n",
        "\n```\n",
        "~~~\n",
        " ",
        "\r\n",
        "<|im_end|>",
        "</s>",
      ),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("embed", () => {
  it("makes a block that its content cannot leave", () => {
    fc.assert(
      fc.property(hostileText, hostileText, (text, after) => {
        const prompt = `${embed(text, "python")}\n\nAfter it.\n${embed(after, "text")}`;
        const clean = (content: string) => neutralizeControlTokens(content).replace(/\r\n?/g, "\n").trimEnd();
        expect(summary(prompt)).toEqual([
          { tag: "python", code: clean(text), closed: true },
          { tag: "text", code: clean(after), closed: true },
        ]);
      }),
      { seed: 31, numRuns: 1_000 },
    );
  });

  it("never throws on hostile replies and covers every character once", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const blocks = findFences(text);
        let at = 0;
        for (const block of blocks) {
          expect(block.from).toBeGreaterThanOrEqual(at);
          expect(block.to).toBeGreaterThanOrEqual(block.from);
          at = block.to;
        }
        expect(at).toBeLessThanOrEqual(text.length);
      }),
      { seed: 32, numRuns: 1_000 },
    );
  });
});
