import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { collectSamples } from "../engine/collect-samples.ts";
import { openEmbeddedEngine } from "../engine/embedded/embedded-engine.ts";
import type { Engine, TrainablePolicy } from "../engine/engine.ts";
import { arenaProblems } from "../problems/arena/arena.ts";
import { arenaDialect, chatDialect } from "../prompts/dialect.ts";
import { Checkpoints } from "../runs/checkpoints.ts";
import { enginePrompt } from "./engine-prompt.ts";
import { ModelShelf } from "./open-model.ts";

let engine: Engine;
let policy: TrainablePolicy;
let folder: string;
let shelf: ModelShelf;

beforeAll(async () => {
  engine = await openEmbeddedEngine({ threads: 1, memoryMegabytes: 64 });
  policy = await engine.openPolicy({ role: "any", model: { kind: "named", name: "tiny" }, seed: 1 });
});
afterAll(() => engine.close());
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "sparring-models-"));
  shelf = new ModelShelf();
});
afterEach(async () => {
  await shelf.close();
  rmSync(folder, { recursive: true, force: true });
});

function runWith({ steps, roles }: { steps: readonly number[]; roles: readonly string[] }): Promise<unknown> {
  const checkpoints = new Checkpoints(folder);
  const save = async (target: string) => {
    for (const role of roles) await policy.saveState(path.join(target, role));
  };
  return Promise.all(steps.map((step) => checkpoints.write(step, {}, save)));
}

async function openedFolder(text: string, role: "code" | "test"): Promise<string> {
  const model = await shelf.open({ text, role });
  expect(model.dialect).toBe(arenaDialect);
  return path.relative(folder, model.policy.describe().model);
}

test("arena is the shipped model, in any role, and all models share one engine", async () => {
  const code = await shelf.open({ text: "arena", role: "code" });
  const tests = await shelf.open({ text: "arena", role: "test" });
  expect(code.engine).toBe(tests.engine);
  expect(code.policy.describe().role).toBe("code");
  expect(tests.policy.describe().role).toBe("test");
  expect([code.replyTokens, tests.replyTokens]).toEqual([96, 112]);
  expect(code.usage).toBeUndefined();
  const prompt = { kind: "tokens" as const, tokenIds: code.policy.tokenizer.encode("x") };
  const settings = { temperature: 1, topP: 1, maxTokens: 4, seed: 1 };
  expect((await collectSamples(code.policy, [{ prompt, samples: 2 }], settings))[0]).toHaveLength(2);
});

test("a folder of weights is that model in every role", async () => {
  await policy.exportWeights(path.join(folder, "mine"));
  expect(await openedFolder(path.join(folder, "mine"), "code")).toBe("mine");
  expect(await openedFolder(path.join(folder, "mine", "weights.safetensors"), "test")).toBe("mine");
});

test("a run is its newest complete checkpoint, in the role that is asked for", async () => {
  await runWith({ steps: [5, 20, 100], roles: ["code", "test"] });
  mkdirSync(path.join(folder, "checkpoints", "step-200"));
  expect(await openedFolder(folder, "code")).toBe(path.join("checkpoints", "step-100", "code"));
  expect(await openedFolder(folder, "test")).toBe(path.join("checkpoints", "step-100", "test"));
  expect(await openedFolder(path.join(folder, "checkpoints", "step-20"), "test")).toBe(
    path.join("checkpoints", "step-20", "test"),
  );
  const { description } = await shelf.open({ text: folder, role: "code" });
  expect(description).toBe(`${folder} at step 100 (code)`);
});

test("a run that trained one role does not pass it off as the other, unless one model played both", async () => {
  await runWith({ steps: [3], roles: ["code"] });
  const shared = path.join("checkpoints", "step-3", "code");
  await expect(shelf.open({ text: folder, role: "test" })).rejects.toMatchObject({
    message: expect.stringContaining("trained no test model"),
    hint: expect.stringContaining(shared),
  });
  writeFileSync(path.join(folder, "config.yaml"), "method:\n  kind: self-play\n");
  expect(await openedFolder(folder, "test")).toBe(shared);
  expect(await openedFolder(path.join(folder, "checkpoints", "step-3"), "test")).toBe(shared);
});

test("what is no model says what was tried and which forms there are", async () => {
  const refusal = async (text: string) => {
    const error = await shelf.open({ text, role: "test" }).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "model-unknown", hint: expect.stringContaining("openai:MODEL") });
    return error.message;
  };
  expect(await refusal("")).toContain("empty");
  expect(await refusal("arean")).toMatch(/'arean'.*did you mean 'arena'/);
  expect(await refusal("anthropic:some-model")).toContain("no engine 'anthropic'");
  expect(await refusal(folder)).toContain(`${folder} holds no model`);
  writeFileSync(path.join(folder, "notes.txt"), "");
  expect(await refusal(path.join(folder, "notes.txt"))).toContain("is a file that is no model");
  writeFileSync(path.join(folder, "config.json"), "{}");
  expect(await refusal(folder)).toContain("Hugging Face");
  mkdirSync(path.join(folder, "checkpoints"));
  expect(await refusal(folder)).toContain("no complete checkpoint");
});

test("damaged weights are named by their file", async () => {
  writeFileSync(path.join(folder, "weights.safetensors"), "nonsense");
  await expect(shelf.open({ text: folder, role: "code" })).rejects.toThrow(/weights\.safetensors/);
});

test("openai: asks a server, in the dialect of large models", async () => {
  const asked: { model: string; messages: { role: string }[] }[] = [];
  const server = http.createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    asked.push(JSON.parse(Buffer.concat(pieces).toString("utf8")));
    response.end(
      JSON.stringify({ choices: [{ message: { content: "def f(): ..." }, finish_reason: "stop" }] }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const remote = new ModelShelf({ endpoint: { baseUrl, environment: {} } });
  try {
    const model = await remote.open({ text: "openai:org/big-model:7b", role: "code" });
    const other = await remote.open({ text: "openai:other", role: "test" });
    expect(other.engine).toBe(model.engine);
    expect(model.dialect).toBe(chatDialect);
    expect(model.description).toBe(`org/big-model:7b at ${baseUrl}`);
    const [problem] = arenaProblems({ split: "train", limit: 1 });
    const prompt = enginePrompt(model.policy, model.dialect.codePrompt(problem!));
    const settings = { temperature: 0, topP: 1, maxTokens: model.replyTokens, seed: 1 };
    const [completions] = await collectSamples(model.policy, [{ prompt, samples: 1 }], settings);
    expect(completions![0]!.text).toBe("def f(): ...");
    expect(asked[0]).toMatchObject({
      model: "org/big-model:7b",
      messages: [{ role: "system" }, { role: "user" }],
    });
    expect(model.usage?.()).toMatchObject({ calls: 1, completions: 1 });
    expect(other.usage?.()).toMatchObject({ calls: 0 });
    await expect(remote.open({ text: "openai:", role: "code" })).rejects.toThrow(/empty/);
  } finally {
    await remote.close();
    await new Promise((resolve) => server.close(resolve));
  }
});
