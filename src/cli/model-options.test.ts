import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { addModelOptions, type ModelFlags, samplingOf, shelfOf } from "./model-options.ts";

type Flags = ModelFlags & { readonly codeModel: string; readonly testModel: string };

function parse(...words: string[]): Flags {
  const command = new Command("try").exitOverride().configureOutput({ writeErr: () => {} });
  addModelOptions(command, {
    models: [
      { flag: "code-model", role: "code" },
      { flag: "test-model", role: "test", default: "arena" },
    ],
    temperature: 0.7,
    topP: 0.95,
  });
  return command.parse(words, { from: "user" }).opts<Flags>();
}

describe("flags", () => {
  test("have the defaults that the command chose", () => {
    expect(parse("--code-model", "x")).toEqual({
      codeModel: "x",
      testModel: "arena",
      temperature: 0.7,
      topP: 0.95,
    });
  });

  test("are read as what they are", () => {
    const words = "--code-model a --test-model b --base-url http://h/v1 --api-key-env K --concurrency 3";
    const more = "--temperature 0 --top-p 0.5 --max-tokens 9";
    expect(parse(...words.split(" "), ...more.split(" "))).toEqual({
      codeModel: "a",
      testModel: "b",
      baseUrl: "http://h/v1",
      apiKeyEnv: "K",
      concurrency: 3,
      temperature: 0,
      topP: 0.5,
      maxTokens: 9,
    });
  });

  test("refuse nonsense", () => {
    expect(() => parse()).toThrow(/--code-model/);
    const wrong = [
      ["--temperature", "-1"],
      ["--temperature", ""],
      ["--temperature", "hot"],
      ["--top-p", "0"],
      ["--top-p", "1.1"],
      ["--max-tokens", "0"],
      ["--max-tokens", "many"],
      ["--concurrency", "0"],
    ];
    for (const words of wrong) expect(() => parse("--code-model", "x", ...words)).toThrow(/invalid/);
  });
});

test("sampling takes the model's own length unless another one is asked for", async () => {
  const flags = parse("--code-model", "arena");
  const shelf = shelfOf(flags);
  try {
    const model = await shelf.open({ text: flags.codeModel, role: "code" });
    expect(samplingOf(flags, model, { seed: 4, stopStrings: ["!"] })).toEqual({
      temperature: 0.7,
      topP: 0.95,
      maxTokens: 96,
      seed: 4,
      stopStrings: ["!"],
    });
    const short = parse("--code-model", "arena", "--max-tokens", "5");
    expect(samplingOf(short, model, { seed: 4, stopStrings: [] })).toEqual({
      temperature: 0.7,
      topP: 0.95,
      maxTokens: 5,
      seed: 4,
    });
  } finally {
    await shelf.close();
  }
});

test("the address and the key's variable reach the engine", async () => {
  const shelf = shelfOf(
    parse("--code-model", "x", "--base-url", "http://here:1/v1", "--concurrency", "2"),
    "skip",
  );
  const model = await shelf.open({ text: "openai:some", role: "code" });
  expect(model.engine.describe().details).toMatchObject({
    address: "http://here:1/v1",
    concurrency: 2,
    onFailure: "skip",
  });
  await shelf.close();
  const flags = parse("--code-model", "x", "--api-key-env", "SPARRING_TEST_NO_SUCH_KEY");
  await expect(shelfOf(flags).open({ text: "openai:some", role: "code" })).rejects.toThrow(
    /SPARRING_TEST_NO_SUCH_KEY is not set/,
  );
});
