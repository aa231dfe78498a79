/** What is sent to a server and what is made of its answers, with a real one on this machine. */
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { collectSamples } from "../collect-samples.ts";
import { ask, serverFixture, settings, texts } from "./opened-policy.test.support.ts";
import { replyOf, sendError, sendJson } from "./scripted-server.test.support.ts";

const fixture = serverFixture();
const key = "sk-very-secret-0123456789";

describe("a call", () => {
  test("says everything that sampling was asked for", async () => {
    const policy = await fixture.open({ apiKeyVariable: "MY_KEY", environment: { MY_KEY: ` ${key}\n` } });
    await texts(policy, [ask("hello", 3)], { stopStrings: ["a", "b", "c", "d", "e"] });
    const [call] = fixture.server.calls;
    expect(call!.url).toBe("/v1/chat/completions");
    expect(call!.headers.authorization).toBe(`Bearer ${key}`);
    expect(call!.body).toEqual({
      model: "scripted",
      messages: [{ role: "user", content: "hello" }],
      temperature: 0.7,
      top_p: 0.9,
      max_tokens: 20,
      n: 3,
      seed: expect.any(Number),
      stop: ["a", "b", "c", "d"],
    });
  });

  test("goes out without a key where there is none", async () => {
    await texts(await fixture.open(), [ask("hello")]);
    expect(fixture.server.calls[0]!.headers.authorization).toBeUndefined();
  });

  test("asks for at most five samples, each chunk with a seed of its own", async () => {
    const [first] = await texts(await fixture.open(), [ask("hello", 12)]);
    expect(first).toHaveLength(12);
    expect(new Set(first).size).toBe(12);
    expect(fixture.server.calls.map(({ body }) => body.n).sort()).toEqual([2, 5, 5]);
    const seeds = fixture.server.calls.map(({ body }) => body.seed);
    expect(new Set(seeds).size).toBe(3);
    fixture.server.calls.length = 0;
    expect(await texts(await fixture.open(), [ask("hello", 12)])).toEqual([first]);
    expect(fixture.server.calls.map(({ body }) => body.seed).sort()).toEqual(seeds.sort());
    expect(await texts(await fixture.open(), [ask("hello", 12)], { seed: 4 })).not.toEqual([first]);
  });

  test("never goes out with more than the allowed number of others", async () => {
    const waiting: ServerResponse[] = [];
    fixture.server.script = (_, response, number) => {
      waiting.push(response);
      // Nobody is answered before as many as possible have come.
      if (number < 2) return;
      for (const held of waiting.splice(0)) sendJson(held, 200, replyOf("x"));
    };
    const policy = await fixture.open({ concurrency: 3 });
    const requests = Array.from({ length: 9 }, (_, index) => ask(`prompt ${index}`));
    expect((await texts(policy, requests)).flat()).toHaveLength(9);
    expect(fixture.server.mostInFlight).toBe(3);
  });
});

describe("a reply", () => {
  test("is handed on while others are still under way", async () => {
    const answers = new Map<string, () => void>();
    fixture.server.script = ({ body }, response) => {
      const { content } = body.messages[0];
      answers.set(content, () => sendJson(response, 200, replyOf(content)));
      if (answers.size === 2) answers.get("fast")!();
    };
    const policy = await fixture.open();
    const seen: string[] = [];
    for await (const { completion, requestIndex } of policy.sample([ask("slow"), ask("fast")], settings)) {
      seen.push(`${requestIndex} ${completion.text}`);
      if (seen.length === 1) answers.get("slow")!();
    }
    expect(seen).toEqual(["1 fast", "0 slow"]);
  });

  test("tells ends, lengths and stop strings apart", async () => {
    const choice = (content: string | null, finish_reason: string, more = {}) => ({
      message: { role: "assistant", content },
      finish_reason,
      ...more,
    });
    fixture.server.script = (_, response) =>
      sendJson(response, 200, {
        choices: [
          choice("whole", "stop"),
          choice("cut o", "length"),
          choice("before END after", "stop"),
          choice("swallowed ", "stop", { stop_reason: "END" }),
          // Cut off while it was still thinking.
          choice(null, "length", { message: { content: null, reasoning_content: "hm, well" } }),
        ],
      });
    const [completions] = await collectSamples(await fixture.open(), [ask("x", 5)], {
      ...settings,
      stopStrings: ["END"],
    });
    expect(completions!.map(({ text, stopReason }) => [text, stopReason])).toEqual([
      ["whole", "end"],
      ["cut o", "length"],
      ["before ", "stop"],
      ["swallowed ", "stop"],
      ["", "length"],
    ]);
    expect(completions![0]).toMatchObject({ role: "test", policyVersion: 0, tokenIds: [], logprobs: [] });
  });

  test("may come in parts or be a refusal in words", async () => {
    fixture.server.script = (_, response) =>
      sendJson(response, 200, {
        choices: [
          {
            message: {
              content: [
                { type: "text", text: "in " },
                { type: "text", text: "parts" },
              ],
            },
          },
          { message: { content: null, refusal: "I will not." }, finish_reason: "stop" },
        ],
      });
    expect(await texts(await fixture.open(), [ask("x", 2)])).toEqual([["in parts", "I will not."]]);
  });

  test("is counted, its tokens as the server says", async () => {
    fixture.server.script = (_, response, number) =>
      number === 0 ? sendError(response, 500, "oops") : sendJson(response, 200, replyOf("a", "b"));
    const policy = await fixture.open();
    await texts(policy, [ask("x", 2)]);
    expect(policy.usage()).toEqual({
      calls: 2,
      retries: 1,
      completions: 2,
      lost: 0,
      promptTokens: 10,
      completionTokens: 6,
    });
  });
});

describe("servers with habits", () => {
  test("one that ignores n is asked one by one", async () => {
    fixture.server.script = (_, response, number) => sendJson(response, 200, replyOf(`text ${number}`));
    const policy = await fixture.open();
    const collected = await texts(policy, [ask("x", 7), ask("y", 2)]);
    expect(collected.map((row) => row.length)).toEqual([7, 2]);
    expect(new Set(collected.flat()).size).toBe(9);
    expect(policy.usage().retries).toBe(0);
    fixture.server.calls.length = 0;
    await texts(policy, [ask("z", 3)]);
    expect(fixture.server.calls.map(({ body }) => body.n)).toEqual([undefined, undefined, undefined]);
    expect(new Set(fixture.server.calls.map(({ body }) => body.seed)).size).toBe(3);
  });

  test("one that gives the same text n times is asked one by one", async () => {
    fixture.server.script = ({ body }, response) =>
      sendJson(
        response,
        200,
        replyOf(...Array.from({ length: body.n ?? 1 }, () => `drawn with ${body.seed}`)),
      );
    const policy = await fixture.open();
    const [answers] = await texts(policy, [ask("x", 4)]);
    expect(new Set(answers).size).toBe(4);
    // Without any luck in it, the same text is what was asked for.
    const greedy = await fixture.open();
    fixture.server.calls.length = 0;
    expect((await texts(greedy, [ask("x", 4)], { temperature: 0 }))[0]).toHaveLength(4);
    expect(fixture.server.calls).toHaveLength(1);
  });

  test("one that gives more or fewer choices than asked for still ends with the right number", async () => {
    fixture.server.script = ({ body }, response) =>
      sendJson(
        response,
        200,
        replyOf(...Array.from({ length: (body.n ?? 1) >= 4 ? 3 : 9 }, (_, index) => `${index}`)),
      );
    expect(await texts(await fixture.open(), [ask("x", 5)])).toEqual([["0", "1", "2", "0", "1"]]);
    expect(fixture.server.calls).toHaveLength(2);
  });

  test.each([
    [400, "n must be 1 when using greedy sampling, got 3.", "n"],
    [400, "Only one completion choice is allowed", "n"],
    [400, "Unrecognized request argument supplied: seed", "seed"],
    [422, "Extra inputs are not permitted: 'seed'", "seed"],
    [400, "Unsupported parameter: 'stop' is not supported with this model.", "stop"],
    [400, "Unsupported value: 'temperature' does not support other values", "temperature"],
    [400, "Unsupported parameter: 'top_p' is not supported with this model.", "top_p"],
  ])("HTTP %i '%s' is not asked for '%s' again", async (status, message, field) => {
    fixture.server.script = ({ body }, response) =>
      body[field] === undefined ? "model" : sendError(response, status, message);
    const policy = await fixture.open();
    const changed = { temperature: 1, topP: 1, stopStrings: ["zzz"] };
    const [first] = await texts(policy, [ask("x", 3)], changed);
    expect(first).toHaveLength(3);
    const before = fixture.server.calls.length;
    await texts(policy, [ask("y")], changed);
    expect(fixture.server.calls).toHaveLength(before + 1);
    const others = ["n", "seed", "stop", "temperature", "top_p"].filter(
      (name) => name !== field && name !== "n",
    );
    for (const name of others) expect(fixture.server.calls.at(-1)!.body).toHaveProperty(name);
    expect(fixture.pauses).toEqual([]);
  });

  test("one that wants the length by its new name gets it", async () => {
    fixture.server.script = ({ body }, response) =>
      body.max_tokens === undefined
        ? "model"
        : sendError(response, 400, "'max_tokens' is not supported. Use 'max_completion_tokens' instead.");
    await texts(await fixture.open(), [ask("x")]);
    expect(fixture.server.calls.at(-1)!.body).toMatchObject({ max_completion_tokens: 20 });
  });

  test("one that does not say what it dislikes is asked in the plainest way", async () => {
    fixture.server.script = ({ body }, response) =>
      (body.n ?? body.seed) ? sendError(response, 400, "computer says no") : "model";
    const policy = await fixture.open();
    expect((await texts(policy, [ask("x", 3)]))[0]).toHaveLength(3);
    expect(fixture.server.calls.at(-1)!.body).toMatchObject({ temperature: 0.7, top_p: 0.9, max_tokens: 20 });
  });

  test("one that takes no such temperature is not asked with another one", async () => {
    fixture.server.script = (_, response) =>
      sendError(response, 400, "'temperature' does not support 0.7 with this model");
    await expect(texts(await fixture.open(), [ask("x")])).rejects.toMatchObject({
      code: "engine-endpoint-refused",
      hint: expect.stringContaining("--temperature"),
    });
    expect(fixture.server.calls.every(({ body }) => body.temperature === 0.7)).toBe(true);
  });
});
