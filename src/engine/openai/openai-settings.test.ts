import { expect, test } from "vitest";
import type { SparringError } from "../../errors.ts";
import { openOpenAIEngine } from "./openai-engine.ts";
import { type OpenAIEngineOptions, resolveSettings } from "./openai-settings.ts";
import { commandLineNames } from "./setting-names.ts";

const addressOf = (options: OpenAIEngineOptions) => openOpenAIEngine(options).describe().details.address;

test("the address: what was said, the environment, OpenAI's own", () => {
  const environment = { OPENAI_BASE_URL: "http://there:1/v1/", OPENAI_API_KEY: "key" };
  expect(addressOf({ baseUrl: "https://here/v1", environment })).toBe("https://here/v1");
  expect(addressOf({ environment })).toBe("http://there:1/v1");
  expect(addressOf({ environment: { OPENAI_API_KEY: "key", OPENAI_BASE_URL: " " } })).toBe(
    "https://api.openai.com/v1",
  );
  expect(addressOf({ baseUrl: "http://here:8000/v1/chat/completions/", environment })).toBe(
    "http://here:8000/v1",
  );
});

test.each(["", "localhost:8000", "ftp://here/v1", "not an address", "https://"])(
  "'%s' is no address",
  (baseUrl) => {
    expect(() => openOpenAIEngine({ baseUrl, environment: {} })).toThrow(
      expect.objectContaining({
        code: "engine-address",
        hint: expect.stringContaining("http://localhost:8000/v1"),
      }),
    );
  },
);

test("a login in the address is refused and not repeated", () => {
  const open = () => openOpenAIEngine({ baseUrl: "https://me:secret@here/v1", environment: {} });
  expect(open).toThrow(/here holds a login/);
  expect(open).not.toThrow(/secret/);
});

test("a key is asked for where none would do", () => {
  const message = /OPENAI_API_KEY is not set/;
  expect(() => resolveSettings({ environment: {} })).toThrow(message);
  expect(() => resolveSettings({ environment: { OPENAI_API_KEY: " \n" } })).toThrow(message);
  expect(() =>
    resolveSettings({ baseUrl: "http://here/v1", apiKeyVariable: "MINE", environment: {} }),
  ).toThrow(/MINE is not set/);
  expect(resolveSettings({ baseUrl: "http://here/v1", environment: {} }).apiKey).toBeUndefined();
});

test("a hint calls the settings what the caller calls them", () => {
  const hint = (options: OpenAIEngineOptions) => {
    try {
      return resolveSettings({ ...options, environment: {} });
    } catch (error) {
      return (error as SparringError).hint;
    }
  };
  expect(hint({})).toMatch(/--api-key-env.*--base-url/);
  const names = { ...commandLineNames, apiKeyVariable: "its.key", baseUrl: "its.address" };
  expect(hint({ names })).toMatch(/its\.key.*its\.address/);
});

test("a key that cannot be one is not shown", () => {
  const resolve = () => resolveSettings({ environment: { OPENAI_API_KEY: "se cret" } });
  expect(resolve).toThrow(/OPENAI_API_KEY holds no key/);
  expect(resolve).not.toThrow(/se cret/);
});

test.each([
  { concurrency: 0 },
  { concurrency: 1.5 },
  { samplesPerCall: 0 },
  { retries: -1 },
  { timeoutSeconds: 0 },
  { timeoutSeconds: Number.NaN },
  { mostBytes: 0 },
])("%j is refused", (options) => {
  const [name] = Object.keys(options);
  expect(() => resolveSettings({ ...options, baseUrl: "http://here", environment: {} })).toThrow(
    `${name} is`,
  );
});
