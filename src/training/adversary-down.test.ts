/** A whole run whose adversary lives on a server that goes down, or turns it away. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Script, ScriptedServer, sendError } from "../engine/openai/scripted-server.test.support.ts";
import { Checkpoints } from "../runs/checkpoints.ts";
import { checkConfig } from "./load-config.ts";
import { train } from "./train.ts";
import type { TrainingEvent } from "./training-event.ts";

let server: ScriptedServer;
let folder: string;
beforeAll(async () => {
  server = await ScriptedServer.start();
  folder = mkdtempSync(path.join(tmpdir(), "sparring-adversary-down-"));
});
beforeEach(() => server.reset());
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** The run's first call is the one it opens with. */
const afterGreeting =
  (script: Script): Script =>
  (call, response, number) =>
    number === 0 ? "model" : script(call, response, number);

async function run(name: string) {
  const config = checkConfig(
    {
      steps: 2,
      problemsPerStep: 2,
      method: { kind: "atgen" },
      problems: { limit: 2 },
      evaluation: { problems: 1, every: 0 },
      engine: { threads: 1 },
      sandbox: { workers: 1, demand: "limits" },
      sampling: { codeTokens: 48, testTokens: 48 },
      learning: { warmUpSteps: 0, miniBatchProblems: 2 },
      atgen: {
        mode: "unconditional",
        tests: 2,
        startStep: 1,
        maxTries: 2,
        pairsPerProblem: 1,
        adversary: { model: "openai:coder", baseUrl: server.baseUrl, retries: 0 },
      },
    },
    "test",
  );
  const events: TrainingEvent[] = [];
  mkdirSync(path.join(folder, name), { recursive: true });
  const outcome = train({
    config,
    folder: path.join(folder, name),
    onEvent: (event) => void events.push(event),
  });
  const error = await outcome.then(
    () => undefined,
    (thrown) => thrown,
  );
  return { error, warnings: events.filter(({ kind }) => kind === "adversary-failed") };
}

it("tells of each step that a server cost its replacements, once", async () => {
  server.script = (_, response) => sendError(response, 503, "restarting");
  const { error, warnings } = await run("down");
  expect(error).toBeUndefined();
  const reason = expect.stringContaining("HTTP 503: restarting");
  expect(warnings).toEqual([
    { kind: "adversary-failed", step: undefined, failures: 0, reason },
    { kind: "adversary-failed", step: 1, failures: expect.any(Number), reason },
    { kind: "adversary-failed", step: 2, failures: expect.any(Number), reason },
  ]);
}, 120_000);

it("ends with the reason where it is turned away, and goes on from its checkpoint", async () => {
  server.script = afterGreeting((_, response) => sendError(response, 401, "the key was withdrawn"));
  const { error, warnings } = await run("refused");
  expect(error).toMatchObject({
    code: "engine-endpoint-refused",
    message: expect.stringContaining("the key was withdrawn"),
  });
  expect(warnings).toEqual([]);
  expect(new Checkpoints(path.join(folder, "refused")).steps()).toEqual([0]);
  server.reset();
  expect(await run("refused")).toEqual({ error: undefined, warnings: [] });
  expect(new Checkpoints(path.join(folder, "refused")).steps()).toContain(2);
}, 120_000);
