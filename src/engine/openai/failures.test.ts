/** Servers that are slow, busy, broken or hostile: real ones on this machine. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { SparringError } from "../../errors.ts";
import { collectSamples } from "../collect-samples.ts";
import { openOpenAIEngine } from "./openai-engine.ts";
import { ask, serverFixture, settings, texts } from "./opened-policy.test.support.ts";
import { replyOf, type Script, sendError, sendJson } from "./scripted-server.test.support.ts";

const fixture = serverFixture();
const key = "sk-very-secret-0123456789";
const withKey = { environment: { OPENAI_API_KEY: key } };

/** Whatever happens `times` times, and then a proper answer. */
function first(times: number, misbehave: Script): Script {
  return (call, response, number) => (number < times ? misbehave(call, response, number) : "model");
}

const prose: Script = (_, response) => {
  response.writeHead(200, { "content-type": "text/html" });
  response.end("<html>Welcome to nginx!</html>");
};

describe("what passes is tried again", () => {
  test.each<[string, Script]>([
    ["HTTP 500", (_, response) => sendError(response, 500, "oops")],
    ["HTTP 503 in prose", (_, response) => void response.writeHead(503).end("Service Unavailable")],
    ["HTTP 408", (_, response) => sendError(response, 408, "too slow")],
    ["HTTP 409", (_, response) => sendError(response, 409, "conflict")],
    ["a web page", prose],
    ["JSON without choices", (_, response) => sendJson(response, 200, { hello: "world" })],
    ["JSON that is no object", (_, response) => sendJson(response, 200, null)],
    ["no choices", (_, response) => sendJson(response, 200, { choices: [] })],
    ["strange choices", (_, response) => sendJson(response, 200, { choices: [null, 7] })],
    ["a tool call", (_, response) => sendJson(response, 200, replyOf(null))],
    [
      "a filtered text",
      (_, response) =>
        sendJson(response, 200, {
          choices: [{ message: { content: "half" }, finish_reason: "content_filter" }],
        }),
    ],
    ["a connection that breaks at once", (_, response) => void response.socket?.destroy()],
    [
      "a connection that breaks within the answer",
      (_, response) => {
        response.writeHead(200, { "content-length": 1000 });
        response.write('{"choices": [', () => response.socket?.destroy());
      },
    ],
  ])("%s", async (_, misbehave) => {
    fixture.server.script = first(2, misbehave);
    const policy = await fixture.open();
    const [answers] = await texts(policy, [ask("x")]);
    expect(answers).toHaveLength(1);
    expect(fixture.pauses).toEqual([0.375, 0.75]);
    expect(policy.usage()).toMatchObject({ calls: 3, retries: 2, completions: 1, lost: 0 });
  });

  test("a call that takes too long", async () => {
    // It never answers the first one.
    fixture.server.script = first(1, () => {});
    const policy = await fixture.open({ timeoutSeconds: 0.2 });
    expect((await texts(policy, [ask("x")]))[0]).toHaveLength(1);
    expect(policy.usage().retries).toBe(1);
  });

  test("when the server says, within reason", async () => {
    const asked = ["3", "100000", "soon", "-5"];
    fixture.server.script = first(4, (_, response, number) =>
      sendJson(response, 429, { error: { message: "slow down" } }, { "retry-after": asked[number]! }),
    );
    await texts(await fixture.open(), [ask("x")]);
    expect(fixture.pauses).toEqual([3 + 0.0375, 60 + 0.075, 1.5, 3]);
  });

  test("with the same seed, but with another one for an answer that was none", async () => {
    fixture.server.script = first(2, (_, response, number) =>
      number === 0 ? sendError(response, 500, "oops") : sendJson(response, 200, replyOf(null)),
    );
    await texts(await fixture.open(), [ask("x")]);
    const seeds = fixture.server.calls.map(({ body }) => body.seed);
    expect(seeds[1]).toBe(seeds[0]);
    expect(seeds[2]).not.toBe(seeds[1]);
  });

  test("only what is missing of a chunk", async () => {
    fixture.server.script = first(1, (_, response) => sendJson(response, 200, replyOf("a", null, "c")));
    const [answers] = await texts(await fixture.open(), [ask("x", 3)]);
    expect([answers![0], answers![2]]).toEqual(["a", "c"]);
    expect(answers).toHaveLength(3);
    expect(fixture.server.calls[1]!.body.n).toBeUndefined();
  });

  test("not for ever", async () => {
    fixture.server.script = (_, response) => sendError(response, 503, "overloaded");
    const policy = await fixture.open({ retries: 3 });
    await expect(texts(policy, [ask("x")])).rejects.toMatchObject({
      code: "engine-endpoint",
      message: expect.stringMatching(/'scripted' at http:.*503: overloaded/),
      hint: expect.stringContaining("--concurrency"),
    });
    expect(fixture.server.calls).toHaveLength(4);
    expect(policy.usage()).toMatchObject({ retries: 3, lost: 1, completions: 0 });
  });

  test("less often where nobody ever answered", async () => {
    const unused = http.createServer();
    await new Promise<void>((resolve) => unused.listen(0, "127.0.0.1", resolve));
    const { port } = unused.address() as AddressInfo;
    await new Promise((resolve) => unused.close(resolve));
    const policy = await fixture.open({ baseUrl: `http://127.0.0.1:${port}/v1` });
    await expect(texts(policy, [ask("x")])).rejects.toMatchObject({
      code: "engine-endpoint",
      message: expect.stringContaining("ECONNREFUSED"),
      hint: expect.stringContaining("Is a server running"),
    });
    expect(fixture.pauses).toHaveLength(2);
  });
});

describe("what does not pass is said at once", () => {
  test.each([
    [400, "This model's maximum context length is 4096 tokens", /--max-tokens/],
    [401, "Incorrect API key provided", /OPENAI_API_KEY/],
    [403, "No access to this model", /OPENAI_API_KEY/],
    [404, "The model `scripted` does not exist", /\/models lists/],
  ])("HTTP %i", async (status, message, hint) => {
    fixture.server.script = (_, response) => sendError(response, status, message);
    const failing = texts(await fixture.open(withKey), [ask("x")]);
    await expect(failing).rejects.toMatchObject({
      code: "engine-endpoint-refused",
      message: expect.stringContaining(
        `'scripted' at ${fixture.server.baseUrl} cannot be asked: HTTP ${status}: ${message}`,
      ),
      hint: expect.stringMatching(hint),
    });
    expect(fixture.pauses).toEqual([]);
  });

  test("a question that is refused after others were answered is not asked again", async () => {
    const policy = await fixture.open();
    await texts(policy, [ask("x")]);
    fixture.server.script = (_, response) => sendError(response, 400, "too long");
    await expect(texts(policy, [ask("y")])).rejects.toThrow("too long");
    const asked = fixture.server.calls.map(({ body }) => body.messages[0].content);
    // The easy question tells whether it is only this one.
    expect(asked).toEqual(["x", "y", "Reply with OK."]);
  });

  test("what was answered before does not hide that nothing is any more", async () => {
    const policy = await fixture.open();
    await texts(policy, [ask("x")]);
    fixture.server.script = (call, response) =>
      call.body.messages[0].content === "too long" ? sendError(response, 400, "too long") : "model";
    await expect(texts(policy, [ask("too long")])).rejects.toMatchObject({ code: "engine-prompt-refused" });
    // A good answer to the easy question is not remembered either.
    fixture.server.script = (_, response) => sendError(response, 400, "no credit left");
    await expect(texts(policy, [ask("y")])).rejects.toMatchObject({
      code: "engine-endpoint-refused",
      message: expect.stringContaining("no credit left"),
    });
  });

  test.each<[string, Script]>([
    ["HTTP 400", (_, response) => sendError(response, 400, "context length exceeded")],
    ["HTTP 422", (_, response) => sendError(response, 422, "too many messages")],
    ["a filter that never lets it pass", (_, response) => sendJson(response, 200, replyOf(null))],
  ])("only about the prompt, where others are answered: %s", async (_, refuse) => {
    fixture.server.script = (call, response, number) =>
      call.body.messages[0].content === "unwelcome" ? refuse(call, response, number) : "model";
    // Before anything was answered, and after.
    for (const before of [[], [ask("x")]]) {
      const policy = await fixture.open({ retries: 1 });
      if (before.length > 0) await texts(policy, before);
      await expect(texts(policy, [ask("unwelcome")])).rejects.toMatchObject({
        code: "engine-prompt-refused",
        message: expect.stringContaining("does not answer this prompt"),
      });
    }
  });

  test("about everything, where no other question fares better", async () => {
    fixture.server.script = (_, response) => sendError(response, 400, "'scripted' is not a valid model");
    await expect(texts(await fixture.open(), [ask("x")])).rejects.toMatchObject({
      code: "engine-endpoint-refused",
    });
    fixture.server.script = (_, response) => sendJson(response, 200, replyOf(null));
    await expect(texts(await fixture.open({ retries: 0 }), [ask("x")])).rejects.toMatchObject({
      code: "engine-endpoint",
    });
  });

  test("no key where one is needed", async () => {
    fixture.server.script = (_, response) => sendError(response, 401, "who are you?");
    await expect(texts(await fixture.open(), [ask("x")])).rejects.toMatchObject({
      hint: expect.stringContaining("No key was sent: the environment variable OPENAI_API_KEY is not set"),
    });
  });

  test("an account that is empty", async () => {
    fixture.server.script = (_, response) =>
      sendJson(response, 429, { error: { message: "You exceeded your quota", code: "insufficient_quota" } });
    await expect(texts(await fixture.open(withKey), [ask("x")])).rejects.toThrow("quota");
    expect(fixture.server.calls).toHaveLength(1);
  });

  test("a redirect, which is not followed", async () => {
    fixture.server.script = (_, response) =>
      void response.writeHead(308, { location: "http://127.0.0.1:1/" }).end();
    await expect(texts(await fixture.open(withKey), [ask("x")])).rejects.toThrow(/308.*points to http:/);
    expect(fixture.server.calls).toHaveLength(1);
  });

  test("an answer without end", async () => {
    fixture.server.script = (_, response) => {
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
        response.once("drain", pour);
      };
      pour();
    };
    const policy = await fixture.open({ mostBytes: 300_000 });
    await expect(texts(policy, [ask("x")])).rejects.toThrow("larger than 300000 bytes");
    // The second call is the easy question that tells whether it is only this one.
    expect(fixture.server.calls).toHaveLength(2);
  });

  test("neither key nor terminal commands come back out", async () => {
    fixture.server.script = (_, response) => sendError(response, 401, `\u001b[2J\nbad key ${key}\u202e!`);
    const error = await texts(await fixture.open(withKey), [ask("x")]).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SparringError);
    const everything = `${error.message} ${error.hint} ${error.stack} ${error.cause} ${error.cause.stack}`;
    expect(everything).toContain("bad key (the key)");
    expect(everything).not.toContain(key);
    expect(error.message).not.toMatch(/[\u001b\n\u202e]/);
  });
});

describe("with onFailure: skip", () => {
  const skip = { onFailure: "skip", retries: 1 } as const;
  const contentOf = (body: { messages: { content: string }[] }) => body.messages[0]!.content;

  test("lost samples are left out and counted", async () => {
    fixture.server.script = ({ body }, response) => {
      if (contentOf(body) === "broken") return sendError(response, 500, "oops");
      if (contentOf(body) === "too long") return sendError(response, 400, "context length exceeded");
      return "model";
    };
    const policy = await fixture.open(skip);
    const collected = await texts(policy, [
      ask("broken", 2),
      ask("fine", 2),
      ask("too long"),
      ask("fine too"),
    ]);
    expect(collected.map((row) => row.length)).toEqual([0, 2, 0, 1]);
    expect(policy.usage()).toMatchObject({ completions: 3, lost: 3 });
  });

  test("a sample in the middle leaves no hole", async () => {
    fixture.server.script = ({ body }, response) =>
      sendJson(response, 200, replyOf(...(body.n === 3 ? ["a", null, "c"] : [null])));
    expect(await texts(await fixture.open(skip), [ask("x", 3)])).toEqual([["a", "c"]]);
  });

  test("a wrong key still ends everything", async () => {
    fixture.server.script = first(100, (_, response) => sendError(response, 401, "no"));
    await expect(texts(await fixture.open(skip), [ask("x"), ask("y")])).rejects.toMatchObject({
      code: "engine-endpoint-refused",
    });
  });

  test("a prompt that is refused before anything was answered is left out as well", async () => {
    fixture.server.script = ({ body }, response) =>
      contentOf(body) === "too long" ? sendError(response, 400, "context length exceeded") : "model";
    const policy = await fixture.open(skip);
    expect(await texts(policy, [ask("too long")])).toEqual([[]]);
    expect((await texts(policy, [ask("fine")]))[0]).toHaveLength(1);
    expect(policy.usage()).toMatchObject({ completions: 1, lost: 1 });
  });

  test("with skip-some a call that brings nothing says why, one that brings some goes on", async () => {
    const policy = await fixture.open({ ...skip, onFailure: "skip-some" });
    await texts(policy, [ask("fine")]);
    fixture.server.script = ({ body }, response) =>
      contentOf(body) === "broken" ? sendError(response, 500, "oops") : "model";
    expect((await texts(policy, [ask("broken"), ask("fine")])).map((row) => row.length)).toEqual([0, 1]);
    await expect(texts(policy, [ask("broken")])).rejects.toMatchObject({
      code: "engine-endpoint",
      message: expect.stringContaining("oops"),
    });
  });

  test("the loss of everything does not pass for a result", async () => {
    fixture.server.script = (_, response) => sendError(response, 500, "oops");
    const policy = await fixture.open(skip);
    await expect(texts(policy, [ask("x"), ask("y")])).rejects.toThrow("oops");
    expect(policy.usage().lost).toBe(2);
  });

  test("a server that died is noticed", async () => {
    const policy = await fixture.open(skip);
    await texts(policy, [ask("x")]);
    fixture.server.script = (_, response) => sendError(response, 502, "gone");
    const many = Array.from({ length: 200 }, (_, index) => ask(`prompt ${index}`));
    await expect(texts(policy, many)).rejects.toThrow("gone");
    expect(fixture.server.calls.length).toBeLessThan(200);
  });

  test("so is one that has nothing but refusals left", async () => {
    const policy = await fixture.open(skip);
    await texts(policy, [ask("x")]);
    fixture.server.script = (_, response) => sendError(response, 400, "no credit left");
    await expect(texts(policy, [ask("y"), ask("z")])).rejects.toMatchObject({
      code: "engine-endpoint-refused",
    });
    fixture.server.reset();
    fixture.server.script = ({ body }, response) =>
      contentOf(body) === "Reply with OK." ? "model" : sendError(response, 400, "not this one");
    const many = Array.from({ length: 200 }, (_, index) => ask(`prompt ${index}`));
    await expect(texts(policy, many)).rejects.toMatchObject({
      code: "engine-endpoint-refused",
      message: expect.stringContaining("not this one"),
    });
    expect(fixture.server.calls.length).toBeLessThan(200);
  });

  test("a prompt that is refused counts once, however many samples are asked for", async () => {
    fixture.server.script = ({ body }, response) =>
      contentOf(body) === "too long" ? sendError(response, 400, "too long") : "model";
    const policy = await fixture.open({ ...skip, samplesPerCall: 1 });
    expect((await texts(policy, [ask("too long", 40)])).flat()).toEqual([]);
    expect(policy.usage()).toMatchObject({ completions: 0, lost: 40 });
  });
});

describe("stopping", () => {
  test("a signal drops calls under way and pauses", async () => {
    const controller = new AbortController();
    fixture.server.script = () => controller.abort(new Error("enough"));
    const policy = await fixture.open();
    const options = { signal: controller.signal };
    await expect(collectSamples(policy, [ask("x")], settings, options)).rejects.toThrow("enough");
    expect(() => policy.sample([ask("x")], settings, options)).toThrow("enough");

    const other = new AbortController();
    fixture.server.script = (_, response) => sendError(response, 500, "oops");
    const sleeping = await fixture.open({
      sleep: (_, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          other.abort(new Error("woken"));
        }),
    });
    const signal = { signal: other.signal };
    await expect(collectSamples(sleeping, [ask("x")], settings, signal)).rejects.toThrow("woken");
  });

  test("whoever stops reading stops the calls", async () => {
    const dropped = new Promise<void>((resolve) => {
      fixture.server.script = (_, response, number) => {
        if (number > 0) return void response.once("close", resolve);
        return "model";
      };
    });
    const policy = await fixture.open({ concurrency: 2 });
    const requests = Array.from({ length: 10 }, (_, index) => ask(`prompt ${index}`));
    for await (const _ of policy.sample(requests, settings)) {
      // The next call has to be under way before it can be dropped.
      while (fixture.server.calls.length < 2) await new Promise((resolve) => setImmediate(resolve));
      break;
    }
    await dropped;
    expect(fixture.server.calls.length).toBeLessThan(5);
  });

  test("closing the engine ends what is under way", async () => {
    const engine = openOpenAIEngine({ baseUrl: fixture.server.baseUrl, environment: {} });
    const policy = await engine.openFrozen({ role: "code", model: { kind: "named", name: "m" }, seed: 0 });
    fixture.server.script = () => void engine.close();
    await expect(collectSamples(policy, [ask("x")], settings)).rejects.toThrow(/disposed while/);
    await expect(
      engine.openFrozen({ role: "code", model: { kind: "named", name: "m" }, seed: 0 }),
    ).rejects.toThrow(/closed/);
  });
});
