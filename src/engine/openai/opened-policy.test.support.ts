/** What the tests of this adapter share: a server, policies that are closed after each test, pauses that cost no time. */
import { afterAll, afterEach, beforeAll } from "vitest";
import { collectSamples } from "../collect-samples.ts";
import type { SampleRequest, SamplingSettings } from "../completion.ts";
import { type OpenAIEngineOptions, openOpenAIEngine } from "./openai-engine.ts";
import type { OpenAIPolicy } from "./openai-policy.ts";
import { ScriptedServer } from "./scripted-server.test.support.ts";

export const settings: SamplingSettings = { temperature: 0.7, topP: 0.9, maxTokens: 20, seed: 3 };

export interface ServerFixture {
  readonly server: ScriptedServer;
  /** The waits before further tries, in seconds. */
  readonly pauses: readonly number[];
  open(options?: OpenAIEngineOptions): Promise<OpenAIPolicy>;
}

/** Call at the top of a test file: registers what starts and ends it all. */
export function serverFixture(): ServerFixture {
  let server: ScriptedServer | undefined;
  const pauses: number[] = [];
  const engines: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    server = await ScriptedServer.start();
  });
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close();
    server?.reset();
    pauses.length = 0;
  });
  afterAll(() => server?.close());
  return {
    get server() {
      return server!;
    },
    pauses,
    open(options = {}) {
      const engine = openOpenAIEngine({
        baseUrl: server!.baseUrl,
        environment: {},
        random: () => 0.5,
        sleep: async (seconds) => void pauses.push(seconds),
        ...options,
      });
      engines.push(engine);
      return engine.openFrozen({ role: "test", model: { kind: "named", name: "scripted" }, seed: 0 });
    },
  };
}

export function ask(content: string, samples = 1): SampleRequest {
  return { prompt: { kind: "messages", messages: [{ role: "user", content }] }, samples, key: content };
}

/** The texts of each request. */
export async function texts(
  policy: OpenAIPolicy,
  requests: readonly SampleRequest[],
  changed: Partial<SamplingSettings> = {},
): Promise<string[][]> {
  const collected = await collectSamples(policy, requests, { ...settings, ...changed });
  return collected.map((completions) => completions.map(({ text }) => text));
}
