import fc from "fast-check";
import { expect, test } from "vitest";
import { CallFault } from "./call-fault.ts";
import { complaintIn, readReply } from "./chat-reply.ts";

function accepts(body: string): void {
  try {
    const { choices, promptTokens, completionTokens } = readReply(body, ["STOP"]);
    expect(choices.length).toBeGreaterThan(0);
    for (const choice of choices) if (choice.kind === "text") expect(choice.text).not.toContain("STOP");
    expect(promptTokens + completionTokens).toBeGreaterThanOrEqual(0);
  } catch (error) {
    expect(error).toBeInstanceOf(CallFault);
    expect(error).toMatchObject({ kind: "malformed" });
  }
}

test("any text is a reply or a malformed one", () => {
  fc.assert(fc.property(fc.string(), accepts));
  fc.assert(fc.property(fc.json(), accepts));
});

test("any JSON in the places that matter is a reply or a malformed one", () => {
  const anything = fc.oneof(fc.jsonValue(), fc.constant("a STOP b STOP c"));
  const choice = fc.record(
    {
      message: fc.oneof(anything, fc.record({ content: anything, refusal: anything })),
      finish_reason: anything,
    },
    { requiredKeys: [] },
  );
  const reply = fc.record({ choices: fc.oneof(anything, fc.array(choice)), usage: anything });
  fc.assert(fc.property(reply, (value) => accepts(JSON.stringify(value))));
});

test("counts that are none count nothing", () => {
  const body = (usage: unknown) => JSON.stringify({ choices: [{ message: { content: "" } }], usage });
  for (const usage of [
    undefined,
    null,
    7,
    { prompt_tokens: -5 },
    { prompt_tokens: 1.5 },
    { prompt_tokens: "9" },
  ])
    expect(readReply(body(usage), [])).toMatchObject({ promptTokens: 0, completionTokens: 0 });
});

test.each([
  [{ error: "plain" }, "plain"],
  [{ error: { message: "openai", param: "seed" } }, "openai (parameter 'seed')"],
  [{ error: { message: "'seed' is bad", param: "seed" } }, "'seed' is bad"],
  [{ object: "error", message: "older vllm" }, "older vllm"],
  [{ detail: [{ loc: ["body", "seed"], msg: "extra" }] }, '[{"loc":["body","seed"],"msg":"extra"}]'],
  [{}, ""],
  [null, ""],
])("complaints are found: %j", (reply, words) => {
  expect(complaintIn(reply)).toBe(words);
});
