import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atgenPrompt } from "./atgen-prompt.ts";
import { parseAtgenReply } from "./parse-atgen.ts";

const stdio = { style: "stdio", entryPoint: undefined } as const;
const call = { style: "function", entryPoint: "f" } as const;
const answer = '{"input": "1", "output": "2"}';

describe("parseAtgenReply", () => {
  it.each([
    `<think>so</think><answer>${answer}</answer>`,
    `\n<think>\nso\n</think>\n\n<answer>\n${answer}\n</answer>\n`,
    `<think></think><answer>\`\`\`json\n${answer}\n\`\`\`</answer>`,
  ])("reads a pair: %j", (reply) => {
    expect(parseAtgenReply(reply, stdio)).toEqual({
      ok: true,
      case: { style: "stdio", input: "1\n", expected: "2" },
    });
  });

  it.each(["assert f(1) == 2", "```python\nassert f(1) == 2\n```"])("reads an assert: %j", (text) => {
    expect(parseAtgenReply(`<think>so</think><answer>${text}</answer>`, call)).toMatchObject({
      ok: true,
      case: { style: "function", expected: { type: "int", value: 2n } },
    });
  });

  it.each<[string, string]>([
    ["", "`<think>` is missing or out of place"],
    [answer, "`<think>` is missing or out of place"],
    [`<answer>${answer}</answer>`, "`<think>` is missing or out of place"],
    [`<think>so<answer>${answer}</answer>`, "`</think>` is missing or out of place"],
    ["<think>so</think>", "`<answer>` is missing or out of place"],
    [`<think>so</think><answer>${answer}`, "`</answer>` is missing or out of place"],
    [`<think>a</think><think>b</think><answer>${answer}</answer>`, "`<think>` occurs more than once"],
    [
      `<think>a</think><answer>${answer}</answer><answer>${answer}</answer>`,
      "`<answer>` occurs more than once",
    ],
    [`<think>use <answer> tags</think><answer>${answer}</answer>`, "`<answer>` is missing or out of place"],
    [`<answer>${answer}</answer><think>so</think>`, "`<answer>` is missing or out of place"],
    [`Well <think>so</think><answer>${answer}</answer>`, "there is text outside the two blocks"],
    [`<think>so</think> then <answer>${answer}</answer>`, "there is text outside the two blocks"],
    [`<think>so</think><answer>${answer}</answer> done`, "there is text outside the two blocks"],
    [`<think>so</think><answer>${answer}${answer}</answer>`, "the answer is not valid JSON"],
    ["<think>so</think><answer>[]</answer>", "is not an object with `input` and `output`"],
    ["<think>so</think><answer>{}</answer>", "`input` is not a text"],
    ["x".repeat(200_001), "the reply has more than 200000 characters"],
  ])("says why the format is wrong (%#)", (reply, reason) => {
    expect(parseAtgenReply(reply, stdio)).toEqual({ ok: false, reason });
  });

  it("takes exactly one assert of the entry point", () => {
    const reply = (text: string) => parseAtgenReply(`<think></think><answer>${text}</answer>`, call);
    expect(reply("assert f(1) == 1\nassert f(2) == 2")).toEqual({
      ok: false,
      reason: "holds more than one test",
    });
    expect(reply("assert g(1) == 1")).toEqual({ ok: false, reason: "neither side is a call of `f`" });
  });

  it("never throws", () => {
    const piece = fc.constantFrom(
      "<think>",
      "</think>",
      "<answer>",
      "</answer>",
      answer,
      "```",
      "\n",
      "assert f(1) == 2",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom(stdio, call), (pieces, target) => {
        parseAtgenReply(pieces.join(""), target);
      }),
      { seed: 71, numRuns: 1_000 },
    );
  });

  it("reads what the prompt asks for", () => {
    for (const problem of [
      { question: "Double it.", ...stdio },
      { question: "Double it.", ...call },
    ]) {
      const { user } = atgenPrompt({ problem, buggyCode: "print(1)" });
      const form = /<think>….*<\/answer>/.exec(user)![0];
      const filled = form
        .replace('"input": "…"', '"input": "1"')
        .replace("arguments", "1")
        .replace("== answer", "== 2");
      expect(parseAtgenReply(filled, problem)).toMatchObject({ ok: true });
    }
  });
});
