import { afterAll, beforeAll } from "vitest";
import { engineContract } from "../engine-contract.ts";
import { openOpenAIEngine } from "./openai-engine.ts";
import { ScriptedServer } from "./scripted-server.test.support.ts";

let server: ScriptedServer;
beforeAll(async () => {
  server = await ScriptedServer.start();
});
afterAll(() => server.close());

engineContract("openai", {
  open: async () => openOpenAIEngine({ baseUrl: server.baseUrl, environment: {} }),
  lacks: ["training", "scoring", "tokens", "deterministic"],
  model: { kind: "named", name: "scripted" },
});
