import { describe, expect, it } from "vitest";
import { removeThinking } from "./thinking.ts";

describe("removeThinking", () => {
  it.each([
    ["no tags", "no tags"],
    ["<think>a</think>b", "b"],
    ["a<think>b</think>c<think>d</think>e", "ace"],
    // The chat template had opened the block.
    ["reasoning</think>answer", "answer"],
    // Cut off while thinking.
    ["<think>never ends ```python\nx\n```", ""],
    ["answer<think>never ends", "answer"],
    // A draft whose fence was left open inside the reasoning.
    ["draft\n```\nx\n</think>\n```\ny\n```", "\n```\ny\n```"],
    ["<think>draft\n```python\nx\n</think>\n```python\ny\n```", "\n```python\ny\n```"],
  ])("%j", (reply, rest) => {
    expect(removeThinking(reply)).toBe(rest);
  });

  it("leaves tags in code alone", () => {
    const reply = "```python\nprint('</think>')\nprint('<think>')\n```";
    expect(removeThinking(reply)).toBe(reply);
    expect(removeThinking(`<think>x</think>${reply}`)).toBe(reply);
  });
});
